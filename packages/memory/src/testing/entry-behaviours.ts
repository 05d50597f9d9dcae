import type { StoredEntry } from '../entry.ts'
import { defineBehaviours } from './behaviour.ts'
import { holds, refuses, same } from './expect.ts'
import { exported, here, idsOf, noon, put, sample } from './sample.ts'

const hostileTexts = [
  'naïve 漢字 😀 \u202eright to left',
  '\u0000 and \ud800 half',
  '\\ " \' ` $1 ; -- /* \r\n\t\u2028',
  '{"__proto__":{"polluted":true}}',
  'x'.repeat(32_768),
]

/** What is put, read, listed and removed. */
export const entryBehaviours = defineBehaviours([
  {
    name: 'gives-back-what-was-put',
    title: 'gives back every field of an entry as it was put',
    async check(store) {
      const whole = sample('whole', {
        layer: 'prospective',
        context: 'said on Friday',
        label: 'errands',
        kind: 'intention',
        subject: 'ann',
        importance: 7.5,
        createdAt: noon - 5,
        updatedAt: noon - 4,
        occurredAt: noon - 3,
        lastRecalledAt: noon - 2,
        recallCount: 3,
        strength: 0.25,
        provenance: {
          source: 'tool',
          turnId: 't1',
          tool: 'calendar',
          author: 'ann',
          sourceTag: 'authored:desk',
        },
        supersedes: ['older'],
        supersededBy: 'newer',
        links: [{ to: 'x', relation: 'about', weight: 0.3 }],
        metadata: { __proto__: null, nested: [{ a: null, b: [true, 1.5, 'x'] }], 'ключ 😀': '' },
        dueAt: noon + 10,
        duePredicate: [{ state: { path: 'page.kind', op: 'in', value: ['a', 'b'] } }],
        sequence: { sessionId: 's', index: 4 },
        embedding: [0.1, -0.5, 0.25],
      })
      const bare = sample('bare')
      const texts = hostileTexts.map((content, index) =>
        sample(`text ${index} '"%_*`, { content, metadata: { text: content.slice(0, 99) } }),
      )
      const all = [whole, bare, ...texts]
      await put(store, here, all)
      const found = await store.get(here, idsOf(all))
      for (const [index, entry] of all.entries()) {
        same(found[index], { ...entry, version: 1 }, entry.id)
        same(Object.keys(found[index] ?? {}).includes('label'), entry === whole, 'optional keys')
      }
      holds(
        found[0]?.embedding instanceof Float32Array,
        'An embedding came back as something else.',
      )
    },
  },
  {
    name: 'answers-copies',
    title: 'lets nobody change what is stored by writing on an answer',
    async check(store) {
      await put(store, here, [sample('a', { embedding: [1, 2], metadata: { list: [1] } })])
      const read = async (): Promise<StoredEntry> => {
        const [entry] = await store.get(here, ['a'])
        if (entry === undefined) throw new Error('The entry is gone.')
        return entry
      }
      const entry = await read()
      entry.embedding?.fill(9)
      try {
        Object.assign(entry, { content: 'forged' })
        Object.assign(entry.metadata, { forged: true })
      } catch {
        // Frozen: that is one way.
      }
      const again = await read()
      same([...(again.embedding ?? [])], [1, 2], 'embedding')
      same([again.content, again.metadata], ['what a says', { list: [1] }], 'content and metadata')
    },
  },
  {
    name: 'counts-versions',
    title: 'starts versions at 1, counts each change and keeps the first time of writing',
    async check(store) {
      const created = await put(store, here, [sample('a')])
      same(created.entries, [{ id: 'a', status: 'created', version: 1 }], 'first put')
      const later = sample('a', { content: 'changed', createdAt: noon + 9, updatedAt: noon + 9 })
      const replaced = await put(store, here, [later])
      same(replaced.entries, [{ id: 'a', status: 'replaced', version: 2 }], 'second put')
      const [entry] = await store.get(here, ['a'])
      same([entry?.createdAt, entry?.updatedAt], [noon, noon + 9], 'times')
      same(entry?.content, 'changed', 'content')
    },
  },
  {
    name: 'writes-once',
    title: 'leaves an entry alone that is there already, when asked to keep it',
    async check(store) {
      await put(store, here, [sample('a')])
      const again = await put(store, here, [sample('a', { content: 'other' }), sample('b')], {
        ifExists: 'keep',
      })
      same(
        again.entries,
        [
          { id: 'a', status: 'kept', version: 1 },
          { id: 'b', status: 'created', version: 1 },
        ],
        'outcomes',
      )
      same((await store.get(here, ['a']))[0]?.content, 'what a says', 'content')
    },
  },
  {
    name: 'writes-all-or-nothing',
    title: 'writes nothing of a batch in which one version is another one',
    async check(store) {
      await put(store, here, [sample('a'), sample('gone')])
      const outcome = await store.write(here, {
        put: [
          { entry: sample('new') },
          { entry: sample('a', { content: 'lost' }), expectedVersion: 4 },
          { entry: sample('b'), expectedVersion: 0 },
        ],
        remove: ['gone'],
      })
      same(outcome, { committed: false, reason: 'version', conflicts: ['a'] }, 'outcome')
      same(idsOf(await exported(store, here)), ['a', 'gone'], 'what is there')
      const taken = await store.write(here, {
        put: [{ entry: sample('a'), expectedVersion: 0 }],
      })
      same(taken.committed, false, 'a put that expects nothing where there is something')
      const done = await store.write(here, {
        put: [{ entry: sample('a', { content: 'won' }), expectedVersion: 1 }],
        remove: ['gone', 'never there'],
      })
      same(done.committed && done.removed, 1, 'removed')
      same(idsOf(await exported(store, here)), ['a'], 'what is left')
    },
  },
  {
    name: 'keeps-every-update',
    title: 'loses no update of writers that compare versions at the same time',
    async check(store) {
      await put(store, here, [sample('counter', { metadata: { count: 0 } })])
      const increment = async (): Promise<void> => {
        for (let attempt = 0; attempt < 200; attempt += 1) {
          const [entry] = await store.get(here, ['counter'])
          if (entry === undefined) throw new Error('The entry is gone.')
          const { version, ...rest } = entry
          const count = Number(rest.metadata['count']) + 1
          const outcome = await store.write(here, {
            put: [{ entry: { ...rest, metadata: { count } }, expectedVersion: version }],
          })
          if (outcome.committed) return
        }
        throw new Error('A writer never got through.')
      }
      await Promise.all(Array.from({ length: 12 }, increment))
      const [entry] = await store.get(here, ['counter'])
      same([entry?.metadata['count'], entry?.version], [12, 13], 'count and version')
    },
  },
  {
    name: 'refuses-malformed-input',
    title: 'refuses what is malformed with a typed error and changes nothing',
    async check(store) {
      const entry = sample('a')
      await put(store, here, [entry])
      const query = 'MEMORY_QUERY_INVALID'
      await refuses(query, 'an id twice', () => store.write(here, { put: [{ entry }, { entry }] }))
      await refuses(query, 'an unknown filter', () =>
        store.list(here, { filter: { tenant: 'x' } as object }),
      )
      await refuses(query, 'a cursor of nobody', () => store.list(here, { cursor: '[]' }))
      await refuses(query, 'no limit', () => store.list(here, { limit: 0 }))
      await refuses(query, 'an empty selector', () => store.remove(here, {} as { ids: [] }))
      await refuses(query, 'an empty source', () => store.remove(here, { source: {} }))
      await refuses(query, 'two selectors', () =>
        store.remove(here, { ids: ['a'], everything: true } as { ids: string[] }),
      )
      await refuses(query, 'a radius of text', () =>
        store.neighbours(here, [], { radius: '1' as never as number }),
      )
      await refuses('MEMORY_ENTRY_INVALID', 'an unknown layer', () =>
        store.write(here, { put: [{ entry: { ...entry, layer: 'x' as 'working' } }] }),
      )
      await refuses('MEMORY_SCOPE_INVALID', 'an unknown part of a scope', () =>
        store.get({ ...here, team: 'x' } as typeof here, ['a']),
      )
      same(
        (await exported(store, here)).map((each) => each.version),
        [1],
        'versions',
      )
    },
  },
  {
    name: 'reads-in-order',
    title: 'gives entries in the order asked, leaving out what is not there',
    async check(store) {
      await put(store, here, [sample('a'), sample('b'), sample('c')])
      same(idsOf(await store.get(here, ['c', 'x', 'a'])), ['c', 'a'], 'get')
      same(await store.get(here, []), [], 'get of nothing')
    },
  },
  {
    name: 'records-recalls',
    title: 'counts recalls without touching what an entry says',
    async check(store) {
      await put(store, here, [sample('a', { strength: 0.9 }), sample('b')])
      same(await store.touch(here, ['a', 'a', 'x'], { at: noon + 5, gain: 0.2 }), 1, 'touched')
      same(await store.touch(here, ['a'], { at: noon + 1 }), 1, 'touched again')
      const [entry] = await store.get(here, ['a'])
      same(
        [entry?.recallCount, entry?.lastRecalledAt, entry?.strength, entry?.version],
        [2, noon + 5, 1, 3],
        'what was recorded',
      )
      same([entry?.content, entry?.updatedAt], ['what a says', noon], 'what it says')
      const stale = await store.write(here, {
        put: [{ entry: sample('a'), expectedVersion: 1 }],
      })
      same(stale.committed, false, 'a write that knew nothing of the recall')
    },
  },
  {
    name: 'removes-for-good',
    title: 'removes by id, source and subject, from every index',
    async check(store) {
      const all = [
        sample('a', {
          content: 'unmistakable zeppelin',
          subject: 'bob',
          sequence: { sessionId: 's', index: 1 },
          links: [{ to: 'b', relation: 'near' }],
          embedding: [1, 0],
        }),
        sample('b', { provenance: { source: 'tool', tool: 'crm', turnId: 't1' } }),
        sample('c', { provenance: { source: 'tool', tool: 'mail', turnId: 't1' } }),
        sample('d', { sequence: { sessionId: 's2', index: 1 } }),
      ]
      await put(store, here, all)
      same(await store.remove(here, { subject: 'bob' }), 1, 'by subject')
      same(await store.get(here, ['a']), [], 'get')
      same(await store.linked(here, ['a', 'b'], { limit: 9 }), [], 'links')
      const places = [{ sessionId: 's', index: 1 }]
      same(await store.neighbours(here, places, { radius: 1 }), [], 'neighbours')
      if (store.capabilities.ranksByText) {
        same(await store.search(here, 'zeppelin', { limit: 9 }), [], 'search')
      }
      if (store.capabilities.ranksByVector) {
        const ranked = await store.searchVector(here, new Float32Array([1, 0]), { limit: 9 })
        same(ranked, [], 'vectors')
      }
      same(await store.remove(here, { source: { source: 'tool', tool: 'crm' } }), 1, 'by tool')
      same(await store.remove(here, { source: { turnId: 't1' } }), 1, 'by turn')
      same(await store.remove(here, { source: { sessionId: 's2' } }), 1, 'by session')
      same(await exported(store, here), [], 'what is left')
      await put(store, here, all)
      same(await store.remove(here, { ids: ['a', 'c', 'x'] }), 2, 'by id')
      same(idsOf(await exported(store, here)), ['b', 'd'], 'what is left of the second time')
    },
  },
  {
    name: 'closes',
    title: 'rejects everything after it was closed, and may be closed twice',
    async check(store) {
      await put(store, here, [sample('a')])
      await store.close()
      await store.close()
      const code = 'MEMORY_STORE_CLOSED'
      await refuses(code, 'get', () => store.get(here, ['a']))
      await refuses(code, 'write', () => store.write(here, { put: [{ entry: sample('a') }] }))
      await refuses(code, 'export', () => exported(store, here))
      await refuses(code, 'jobs.enqueue', () => store.jobs.enqueue(here, { kind: 'x', runAt: 1 }))
    },
  },
])
