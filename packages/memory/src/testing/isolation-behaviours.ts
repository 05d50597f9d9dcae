import type { Scope } from '../scope.ts'
import type { MemoryStore } from '../store.ts'
import { defineBehaviours } from './behaviour.ts'
import { holds, refuses, same } from './expect.ts'
import { exported, here, idsOf, noon, put, sample } from './sample.ts'

/** Scopes that a careless key takes for one another, and names that a careless query runs. */
const hostileScopes: readonly Scope[] = [
  { tenantId: 'acme' },
  { tenantId: 'acme', userId: 'ann' },
  { tenantId: 'acme', namespace: 'ann' },
  { tenantId: 'acme', namespace: 'travel', userId: 'ann' },
  { tenantId: 'acme', namespace: 'travel' },
  { tenantId: 'ACME', userId: 'ann' },
  { tenantId: 'acme ', userId: 'ann' },
  { tenantId: 'acme', userId: 'ANN' },
  { tenantId: 'acme/u:ann' },
  { tenantId: 'acme/n:travel', userId: 'ann' },
  { tenantId: 'acme%2fu%3aann' },
  { tenantId: 'acmeann' },
  { tenantId: '%' },
  { tenantId: '*' },
  { tenantId: '_', userId: '%' },
  { tenantId: 'ac\u0000me', userId: 'ann' },
  { tenantId: 'acme\u0000', userId: 'ann' },
  { tenantId: 'caf\u00e9' },
  { tenantId: 'cafe\u0301' },
  { tenantId: '\u{1f3e2}' },
  { tenantId: "' OR 1=1 --" },
  { tenantId: "'; DROP TABLE entries; --" },
  { tenantId: '" OR ""="' },
  { tenantId: '__proto__', userId: 'constructor' },
  { tenantId: 'null', userId: 'undefined' },
]

/** What keeps tenants apart. None of it can be skipped. */
export const isolationBehaviours = defineBehaviours([
  {
    name: 'requires-a-scope',
    title: 'rejects every method that is called without a scope',
    isIsolation: true,
    async check(store) {
      await put(store, here, [sample('a')])
      const none = undefined as never as Scope
      const empty = {} as Scope
      for (const scope of [none, empty]) {
        const calls: [string, () => unknown][] = [
          ['write', () => store.write(scope, { put: [{ entry: sample('b') }] })],
          ['get', () => store.get(scope, ['a'])],
          ['list', () => store.list(scope)],
          ['search', () => store.search(scope, 'says', { limit: 5 })],
          ['searchVector', () => store.searchVector(scope, new Float32Array([1]), { limit: 5 })],
          ['neighbours', () => store.neighbours(scope, [], { radius: 1 })],
          ['linked', () => store.linked(scope, ['a'], { limit: 5 })],
          ['touch', () => store.touch(scope, ['a'], { at: noon })],
          ['remove', () => store.remove(scope, { everything: true })],
          ['describe', () => store.describe(scope)],
          ['export', () => exported(store, scope)],
          ['jobs.enqueue', () => store.jobs.enqueue(scope, { kind: 'nap', runAt: noon })],
          ['jobs.count', () => store.jobs.count(scope)],
        ]
        for (const [name, call] of calls) {
          const isMissing =
            (name === 'search' && !store.capabilities.ranksByText) ||
            (name === 'searchVector' && !store.capabilities.ranksByVector)
          if (!isMissing) await refuses('MEMORY_SCOPE_REQUIRED', name, call)
        }
      }
      same(idsOf(await exported(store, here)), ['a'], 'what is there afterwards')
    },
  },
  {
    name: 'keeps-scopes-apart',
    title: 'shows a scope its own entries and nobody else theirs, whatever the names',
    isIsolation: true,
    async check(store) {
      for (const [number, scope] of hostileScopes.entries()) {
        await put(store, scope, [
          sample('shared', {
            content: `pineapple number ${number}`,
            subject: 'fruit',
            sequence: { sessionId: 's', index: 1 },
            links: [{ to: 'own', relation: 'near' }],
            embedding: [1, number + 1],
          }),
          sample('own', { content: `pineapple again`, sequence: { sessionId: 's', index: 2 } }),
        ])
      }
      for (const [number, scope] of hostileScopes.entries()) {
        await seesOnlyItsOwn(store, scope, number)
      }
    },
  },
  {
    name: 'sees-nothing-elsewhere',
    title: 'answers a scope that wrote nothing with nothing',
    isIsolation: true,
    async check(store) {
      const entry = sample('a', {
        subject: 'ann',
        sequence: { sessionId: 's', index: 1 },
        embedding: [1, 0],
      })
      await put(store, here, [entry])
      for (const scope of hostileScopes) {
        if (scope.tenantId === here.tenantId && scope.userId === here.userId && !scope.namespace) {
          continue
        }
        const who = JSON.stringify(scope)
        same(await store.get(scope, ['a']), [], `get by ${who}`)
        same((await store.list(scope, { filter: { status: 'all' } })).entries, [], `list by ${who}`)
        same(await store.describe(scope), [], `describe by ${who}`)
        same(await exported(store, scope), [], `export by ${who}`)
        same(await store.touch(scope, ['a'], { at: noon }), 0, `touch by ${who}`)
        same(await store.remove(scope, { ids: ['a'] }), 0, `remove by ids by ${who}`)
        same(await store.remove(scope, { subject: 'ann' }), 0, `remove by subject by ${who}`)
        same(await store.remove(scope, { everything: true }), 0, `remove all by ${who}`)
        const taken = await store.write(scope, { remove: ['a'] })
        holds(taken.committed && taken.removed === 0, `a write of ${who} removed a neighbour's`)
      }
      same((await store.get(here, ['a']))[0]?.version, 1, 'version after all of that')
    },
  },
  {
    name: 'ranks-without-neighbours',
    title: 'ranks a scope the same, whatever other scopes hold',
    isIsolation: true,
    needs: 'ranksByText',
    async check(store) {
      // Here quinces are rare and apricots common; in the house next door it is the other way round.
      await put(store, here, [
        sample('rare', { content: 'quince and bread' }),
        ...many(10, 'common', 'apricot and bread'),
        ...many(30, 'filler', 'cheese and bread'),
      ])
      const ask = async () => idsOf(await store.search(here, 'apricot quince', { limit: 100 }))
      const before = await ask()
      same(before[0], 'rare', 'the best match among its own')
      await put(store, { tenantId: 'other' }, many(200, 'other', 'quince and bread'))
      same(await ask(), before, 'ranking beside another tenant')
    },
  },
  {
    name: 'removes-one-scope-only',
    title: 'removes everything of one scope and nothing of any other',
    isIsolation: true,
    async check(store) {
      for (const scope of hostileScopes) await put(store, scope, [sample('a'), sample('b')])
      for (const scope of hostileScopes) {
        same(await store.remove(scope, { everything: true }), 2, JSON.stringify(scope))
        for (const other of hostileScopes) {
          const wanted = other === scope ? [] : ['a', 'b']
          same(idsOf(await exported(store, other)), wanted, JSON.stringify([scope, other]))
        }
        await put(store, scope, [sample('a'), sample('b')])
      }
    },
  },
  {
    name: 'keeps-jobs-apart',
    title: 'queues, counts and ends the jobs of one scope without touching those of another',
    isIsolation: true,
    async check(store) {
      for (const scope of hostileScopes) {
        const { added } = await store.jobs.enqueue(scope, { kind: 'nap', runAt: noon })
        holds(added, `a job of ${JSON.stringify(scope)} was taken for another's`)
      }
      const claimed = await store.jobs.claim({ now: noon, leaseMs: 1_000, scope: here })
      same(
        claimed.map(({ scope }) => scope),
        [here],
        'the scope a claimed job belongs to',
      )
      const [job] = claimed
      if (job === undefined) throw new Error('The job was not claimed.')
      const stranger = { tenantId: 'acme' }
      same(await store.jobs.complete(stranger, job), false, 'completing for another scope')
      const write = await store.write(stranger, {
        put: [{ entry: sample('a') }],
        completes: job,
      })
      same(write.committed, false, "a write under another scope's claim")
      same(await store.jobs.release(stranger, job, { giveUp: true }), false, 'releasing')
      same(await store.jobs.complete(here, job), true, 'completing')
      same(await store.jobs.count(stranger), 1, 'jobs of the other scope')
      const all = await store.jobs.claim({ now: noon, leaseMs: 1_000, limit: 100 })
      same(all.length, hostileScopes.length - 1, 'jobs of everybody else')
    },
  },
])

function many(count: number, name: string, content: string) {
  return Array.from({ length: count }, (_, index) => sample(`${name}${index}`, { content }))
}

async function seesOnlyItsOwn(store: MemoryStore, scope: Scope, number: number): Promise<void> {
  const who = JSON.stringify(scope)
  const content = `pineapple number ${number}`
  const [found] = await store.get(scope, ['shared'])
  same(found?.content, content, `get by ${who}`)
  same(found?.version, 1, `version for ${who}`)
  same(idsOf((await store.list(scope)).entries), ['own', 'shared'], `list by ${who}`)
  const near = await store.neighbours(scope, [{ sessionId: 's', index: 1 }], { radius: 1 })
  same(
    near.map((entry) => entry.content),
    [content, 'pineapple again'],
    `neighbours by ${who}`,
  )
  same((await store.linked(scope, ['own'], { limit: 50 })).length, 1, `links by ${who}`)
  same(
    (await exported(store, scope)).map((entry) => entry.content),
    ['pineapple again', content],
    `export by ${who}`,
  )
  const [block] = await store.describe(scope)
  same(block?.count, 2, `describe by ${who}`)
  if (store.capabilities.ranksByText) {
    const ranked = await store.search(scope, 'pineapple', { limit: 100 })
    same(idsOf(ranked).sort(), ['own', 'shared'], `search by ${who}`)
    const foreign = `number ${(number + 1) % hostileScopes.length}`
    const alien = await store.search(scope, foreign.slice('number '.length), { limit: 100 })
    same(idsOf(alien), [], `a neighbour's words, searched by ${who}`)
  }
  if (store.capabilities.ranksByVector) {
    const ranked = await store.searchVector(scope, new Float32Array([1, 1]), { limit: 100 })
    same(idsOf(ranked), ['shared'], `vectors by ${who}`)
  }
}
