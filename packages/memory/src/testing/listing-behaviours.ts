import { defineBehaviours } from './behaviour.ts'
import { holds, same } from './expect.ts'
import { filterRows, filterSamples } from './filter-rows.ts'
import { exported, here, idsOf, noon, put, sample } from './sample.ts'

/** How what is there is listed, filtered, followed and counted. */
export const listingBehaviours = defineBehaviours([
  {
    name: 'pages-without-gaps',
    title: 'lists in a stable order and pages without gaps or repeats',
    async check(store) {
      const entries = Array.from({ length: 23 }, (_, number) =>
        sample(`e${number % 7}-${number}`, {
          occurredAt: noon + (number % 4),
          sequence: { sessionId: `s${number % 2}`, index: number % 3 },
        }),
      )
      await put(store, here, entries)
      for (const order of ['oldest', 'newest'] as const) {
        const whole = await store.list(here, { order, limit: 1_000 })
        same(whole.next, undefined, 'a cursor after the last page')
        const seen: string[] = []
        let cursor: string | undefined
        do {
          const page = await store.list(here, { order, limit: 5, ...(cursor && { cursor }) })
          holds(page.entries.length > 0, 'A page is empty.')
          seen.push(...idsOf(page.entries))
          cursor = page.next
        } while (cursor !== undefined)
        same(seen, idsOf(whole.entries), `pages of the ${order}`)
        const wanted = [...entries].sort(
          (one, other) =>
            one.occurredAt - other.occurredAt ||
            (one.sequence?.index ?? 0) - (other.sequence?.index ?? 0) ||
            (one.id < other.id ? -1 : 1),
        )
        same(seen, idsOf(order === 'oldest' ? wanted : wanted.reverse()), `order of the ${order}`)
      }
    },
  },
  {
    name: 'filters',
    title: 'lists what every key of a filter lets through',
    async check(store) {
      await put(store, here, filterSamples())
      for (const [filter, wanted] of filterRows) {
        const { entries } = await store.list(here, { filter })
        same(idsOf(entries).sort(), wanted, JSON.stringify(filter))
      }
      const due = await store.list(here, { order: 'due' })
      same(idsOf(due.entries), ['sooner', 'later'], 'by due time')
    },
  },
  {
    name: 'finds-neighbours',
    title: 'gives the entries around places of a conversation, each once and in order',
    async check(store) {
      await put(store, here, [
        ...Array.from({ length: 8 }, (_, index) =>
          sample(`t${index}`, { sequence: { sessionId: 's', index } }),
        ),
        sample('other', { sequence: { sessionId: 'S', index: 3 } }),
        sample('old', { sequence: { sessionId: 's', index: 3 }, supersededBy: 't3' }),
      ])
      const around = async (indexes: number[], radius: number) =>
        idsOf(
          await store.neighbours(
            here,
            indexes.map((index) => ({ sessionId: 's', index })),
            { radius },
          ),
        )
      same(await around([3], 1), ['t2', 't3', 't4'], 'one place')
      same(await around([0, 1], 1), ['t0', 't1', 't2'], 'places that overlap')
      same(await around([5], 0), ['t5'], 'no radius')
      same(await around([], 2), [], 'no place')
    },
  },
  {
    name: 'follows-links',
    title: 'follows links from either end, to what is there and current',
    async check(store) {
      await put(store, here, [
        sample('a', {
          links: [
            { to: 'b', relation: 'knows', weight: 0.5 },
            { to: 'c', relation: 'knows' },
            { to: 'nobody', relation: 'knows' },
            { to: 'old', relation: 'was' },
          ],
        }),
        sample('b', { links: [{ to: 'd', relation: 'owns', weight: 0.2 }] }),
        sample('c'),
        sample('d'),
        sample('old', { supersededBy: 'd' }),
      ])
      const ends = async (ids: string[], limit = 50) =>
        (await store.linked(here, ids, { limit })).map(({ from, to }) => `${from}-${to}`)
      same(await ends(['a']), ['a-c', 'a-b'], 'from one end')
      same(await ends(['b']), ['a-b', 'b-d'], 'from both ends')
      same(await ends(['a', 'b']), ['a-c', 'a-b', 'b-d'], 'each once')
      same(await ends(['a', 'b'], 1), ['a-c'], 'the strongest')
      same(await ends(['nobody', 'old']), [], 'ends that are not there')
      await put(store, here, [sample('a')])
      same(await ends(['a', 'b', 'c']), ['b-d'], 'after the links were replaced')
    },
  },
  {
    name: 'describes-blocks',
    title: 'says what there is, by layer and label',
    async check(store) {
      await put(store, here, [
        sample('a', { label: 'b', importance: 3, updatedAt: noon + 1 }),
        sample('b', { label: 'b', importance: 8 }),
        sample('c', { label: 'a' }),
        sample('d'),
        sample('e', { layer: 'working', updatedAt: noon + 7 }),
        sample('f', { label: 'old', supersededBy: 'a' }),
      ])
      same(
        await store.describe(here),
        [
          { layer: 'working', count: 1, lastUpdatedAt: noon + 7, maxImportance: 5 },
          { layer: 'semantic', count: 1, lastUpdatedAt: noon, maxImportance: 5 },
          { layer: 'semantic', label: 'a', count: 1, lastUpdatedAt: noon, maxImportance: 5 },
          { layer: 'semantic', label: 'b', count: 2, lastUpdatedAt: noon + 1, maxImportance: 8 },
        ],
        'blocks',
      )
    },
  },
  {
    name: 'exports-everything',
    title: 'exports every entry once, superseded ones and embeddings included',
    async check(store) {
      const entries = Array.from({ length: 250 }, (_, number) =>
        sample(`e${String(number).padStart(3, '0')}`, {
          embedding: [number + 1, 1],
          ...(number % 5 === 0 && { supersededBy: 'e001' }),
        }),
      )
      await put(store, here, entries)
      same(
        await exported(store, here),
        entries.map((entry) => ({ ...entry, version: 1 })),
        'export',
      )
    },
  },
])
