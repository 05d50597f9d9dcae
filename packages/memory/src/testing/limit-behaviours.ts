import type { MemoryEntry } from '../entry.ts'
import { memoryLimits } from '../limits.ts'
import { defineBehaviours } from './behaviour.ts'
import { same } from './expect.ts'
import { exported, here, idsOf, noon, put, sample } from './sample.ts'

/** What is as large, as long and as much as `memoryLimits` allows. */
export const limitBehaviours = defineBehaviours([
  {
    name: 'takes-the-longest',
    title: 'takes, finds and removes an entry and a job whose every text is as long as it may be',
    async check(store) {
      const part = (seed: number) => unlike(memoryLimits.scopePartChars, seed)
      const scope = { tenantId: part(1), namespace: part(2), userId: part(3) }
      const name = unlike(memoryLimits.nameChars, 4)
      const id = unlike(memoryLimits.idChars, 5)
      const content = unlike(memoryLimits.contentChars, 6)
      const entry = sample(id, {
        layer: 'prospective',
        content,
        context: unlike(memoryLimits.contextChars, 7),
        label: name,
        kind: name,
        subject: name,
        dueAt: noon,
        provenance: { source: 'tool', turnId: id, tool: id, author: id, sourceTag: id },
        supersedes: Array.from({ length: memoryLimits.supersedes }, (_, at) => id.slice(at)),
        links: Array.from({ length: memoryLimits.links }, (_, at) => {
          return { to: at === 0 ? id : id.slice(at), relation: name }
        }),
        metadata: { text: unlike(memoryLimits.jsonChars - 4, 8) },
        sequence: { sessionId: id, index: 9 },
      })
      await put(store, scope, [entry])
      same(await store.get(scope, [id]), [{ ...entry, version: 1 }], 'get')
      for (const filter of [{ subject: name }, { sessionId: id }, { turnId: id }]) {
        same(idsOf((await store.list(scope, { filter })).entries), [id], 'list')
      }
      same((await store.linked(scope, [id], { limit: 100 })).length, 1, 'links')
      if (store.capabilities.ranksByText) {
        same(idsOf(await store.search(scope, content.slice(0, 9), { limit: 5 })), [id], 'search')
        const end = await store.search(scope, 'nothing of it', { limit: 5 })
        same(end, [], 'search for other words')
      }
      await store.jobs.enqueue(scope, { kind: name, key: id, runAt: noon })
      const [job] = await store.jobs.claim({ now: noon, leaseMs: 1_000 })
      same([job?.scope, job?.kind, job?.key], [scope, name, id], 'the job')
      same(await store.remove(scope, { everything: true }), 1, 'removed')
      same(await store.jobs.count(scope), 0, 'jobs that are left')
    },
  },
  {
    name: 'gives-the-most',
    title: 'gives as much as is asked for, up to the limits, and exports beyond them',
    async check(store) {
      const { batch, page } = memoryLimits
      const all = Array.from({ length: batch }, (_, at): MemoryEntry => {
        const [id, next] = [numbered(at), numbered(at + 1)]
        return sample(id, {
          content: 'a melon',
          links: [{ to: next, relation: 'next' }],
          sequence: { sessionId: 's', index: at },
          embedding: [1, at + 1],
        })
      })
      await put(store, here, all)
      const ids = idsOf(all)
      same(idsOf(await store.get(here, ids)), ids, 'get')
      same((await store.list(here, { limit: page })).entries.length, page, 'list')
      same((await store.linked(here, ids, { limit: page })).length, batch - 1, 'linked')
      const places = ids.map((_, index) => ({ sessionId: 's', index }))
      same(idsOf(await store.neighbours(here, places, { radius: 1 })), ids, 'neighbours')
      if (store.capabilities.ranksByText) {
        const found = await store.search(here, 'melon', { limit: page })
        same(idsOf(found).sort(), ids, 'search')
      }
      if (store.capabilities.ranksByVector) {
        const found = await store.searchVector(here, new Float32Array([1, 0]), { limit: page })
        same(idsOf(found), ids, 'searchVector')
      }
      same(await store.touch(here, ids, { at: noon }), batch, 'touched')
      const more = Array.from({ length: 100 }, (_, at) => sample(numbered(batch + at)))
      await put(store, here, more)
      same(idsOf(await exported(store, here)), [...ids, ...idsOf(more)], 'export')
      same(await store.remove(here, { ids }), batch, 'removed')
    },
  },
])

function numbered(number: number): string {
  return `e${String(number).padStart(5, '0')}`
}

/** A text of characters that hardly two of follow each other twice: three bytes and a word or two each. */
function unlike(chars: number, seed: number): string {
  let state = seed
  return Array.from({ length: chars }, () => {
    state = (state * 48_271) % 2_147_483_647
    return String.fromCharCode(0x4e00 + (state % 20_900))
  }).join('')
}
