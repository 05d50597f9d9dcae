import type { StoredEntry } from '../entry.ts'
import type { MemoryLayer } from '../layer.ts'
import { readableScopes, type Scope } from '../scope.ts'
import type { EntryFilter, MemoryStore, Ranked, StoredLink } from '../store.ts'
import { rankAuthors } from './authors.ts'
import { rankConversations } from './conversations.ts'
import { rankCorrections } from './corrections.ts'
import { datesInQuery } from './dates-in-query.ts'
import { fuseRankings } from './fuse-rankings.ts'
import { rankImportant } from './importance.ts'
import { rankLinked, type Tie } from './links.ts'
import { rankNeighbours } from './neighbours.ts'
import { rankRecent } from './recency.ts'
import { saidOnce } from './said-once.ts'
import { defaultRecallSettings, type RecallSettings } from './settings.ts'
import type { Candidate, Ranking, RecallReason, RecallSignal } from './signal.ts'
import { rankSubstance } from './substance.ts'
import { weighCandidates } from './weigh-candidates.ts'

/** What is asked of memory. */
export interface RecallQuery {
  /** The words of the user (MEM-08). */
  readonly text: string
  /** The same as a vector, where there is a model for it and the store ranks by vector. */
  readonly embedding?: Float32Array
  /** Epoch milliseconds. */
  readonly now: number
  /** Results wanted at most. */
  readonly limit: number
  /** Layers to look in. */
  readonly layers: readonly MemoryLayer[]
  /** Layers in which what was written for the namespace and the tenant is read as well. */
  readonly inheritedLayers: readonly MemoryLayer[]
}

/** An entry that was recalled, and why. */
export interface RecalledEntry extends StoredEntry {
  /** The scope it was written in: the one asked, or a wider one. */
  readonly scope: Scope
  readonly because: readonly RecallReason[]
  /** The fused score; comparable within one answer only. */
  readonly score: number
}

/** Results taken of a search where there are many copies of the same. */
const mostCandidates = 500

interface Reader {
  readonly scope: Scope
  readonly prefix: string
  readonly layers: readonly MemoryLayer[]
}

/**
 * Recalls what a query brings to mind, best first: words and vectors of each readable scope, fused by
 * rank with dates the query names, neighbours in the conversation, links, recency, importance and substance. What was
 * said several times is recalled once, the best of it.
 *
 * Reads only, at most a fixed number of calls of the store whatever it holds. The same store and query give the
 * same answer.
 *
 * @param settings - Weights and bounds; a signal of weight 0 is neither read nor ranked.
 * @throws What the store throws.
 */
export async function recall(
  store: MemoryStore,
  scope: Scope,
  query: RecallQuery,
  settings: RecallSettings = defaultRecallSettings,
): Promise<readonly RecalledEntry[]> {
  const { now, limit, text } = query
  const { weights, rankOffset, halfLifeMs } = settings
  const readers = readersOf(scope, query)
  const pool = new Map<string, Candidate>()
  const gather = async (candidates: number) => {
    const searches = readers.map((reader) => search(store, reader, query, weights, candidates))
    const rankings = (await Promise.all(searches)).flat()
    const fused = fuseRankings(rankings, { weights, rankOffset }).slice(0, candidates)
    await fetch(store, readers, fused, pool)
    return { fused, isCut: rankings.some(({ ranked }) => ranked.length >= candidates) }
  }
  const first = await gather(settings.candidates)
  // Copies of few things may have kept everything else out: then it is searched again, once, for more.
  const wanted = Math.min(limit, settings.candidates)
  const canAskMore = first.isCut && settings.candidates < mostCandidates
  const isCrowded = canAskMore && saidOnce([...pool.values()], wanted).length < wanted
  const best = isCrowded ? (await gather(mostCandidates)).fused : first.fused
  const found = best.filter(({ key }) => pool.has(key))
  const scores = new Map(found.map(({ key, score }) => [key, score]))
  const anchors = new Map([...scores].slice(0, settings.anchors))
  const [around, links] = await Promise.all([
    weights.neighbours > 0 ? lookAround(store, readers, anchors, pool, settings) : [],
    weights.links > 0 ? followLinks(store, readers, anchors, pool, settings) : [],
  ])
  for (const each of around) if (!pool.has(each.key)) pool.set(each.key, each)
  const candidates = [...pool.values()]
  const { neighbourRadius: radius, neighbourShare: share } = settings
  const weighed = weighCandidates(
    candidates,
    {
      found,
      spread: [
        rankNeighbours(candidates, { anchors: scores, radius, share, asking: weights.questions }),
        rankConversations(candidates, { found: scores }),
        ...links,
      ],
      boosts: [
        rankAuthors(candidates, { text }),
        rankRecent(candidates, { now, halfLifeMs }),
        rankImportant(candidates, { now, halfLifeMs }),
        rankCorrections(candidates),
        rankSubstance(candidates),
      ],
    },
    weights,
  )
  return saidOnce(weighed, limit).flatMap(({ key, entry, because, score }) => {
    const reader = readers.find(({ prefix }) => key.startsWith(prefix))
    if (reader === undefined) return []
    return [Object.freeze({ ...entry, scope: reader.scope, because, score })]
  })
}

function readersOf(scope: Scope, { layers, inheritedLayers }: RecallQuery): readonly Reader[] {
  return readableScopes(scope)
    .map((each, index) => ({
      scope: each,
      prefix: `${index}:`,
      layers: index === 0 ? layers : layers.filter((layer) => inheritedLayers.includes(layer)),
    }))
    .filter((reader) => reader.layers.length > 0)
}

async function search(
  store: MemoryStore,
  reader: Reader,
  query: RecallQuery,
  weights: RecallSettings['weights'],
  limit: number,
): Promise<Ranking[]> {
  const { ranksByText, ranksByVector } = store.capabilities
  const { scope, layers, prefix } = reader
  const inLayers: EntryFilter = { layers }
  const { embedding } = query
  const rank = async (
    signal: RecallSignal,
    work: Promise<readonly Ranked[]>,
  ): Promise<Ranking> => ({
    signal,
    ranked: (await work).map(({ id, score }) => ({ key: prefix + id, score })),
  })
  const searches: Promise<Ranking>[] = []
  if (ranksByText && weights.text > 0) {
    searches.push(rank('text', store.search(scope, query.text, { limit, filter: inLayers })))
  }
  if (ranksByVector && weights.vector > 0 && embedding !== undefined) {
    const options = { limit, filter: inLayers }
    searches.push(rank('vector', store.searchVector(scope, embedding, options)))
  }
  if (ranksByText && weights.dates > 0) {
    for (const { from, before } of datesInQuery(query.text, { now: query.now })) {
      const filter = { ...inLayers, occurredFrom: from, occurredBefore: before }
      searches.push(rank('dates', store.search(scope, query.text, { limit, filter })))
    }
  }
  return Promise.all(searches)
}

async function fetch(
  store: MemoryStore,
  readers: readonly Reader[],
  wanted: readonly { readonly key: string }[],
  pool: Map<string, Candidate>,
): Promise<void> {
  await Promise.all(
    readers.map(async ({ scope, prefix, layers }) => {
      const ids = wanted
        .filter(({ key }) => key.startsWith(prefix) && !pool.has(key))
        .map(({ key }) => key.slice(prefix.length))
      if (ids.length === 0) return
      for (const entry of await store.get(scope, ids)) {
        if (entry.supersededBy === undefined && layers.includes(entry.layer)) {
          pool.set(prefix + entry.id, { key: prefix + entry.id, entry })
        }
      }
    }),
  )
}

async function lookAround(
  store: MemoryStore,
  readers: readonly Reader[],
  anchors: ReadonlyMap<string, number>,
  pool: ReadonlyMap<string, Candidate>,
  { neighbourRadius: radius }: RecallSettings,
): Promise<Candidate[]> {
  const found = await Promise.all(
    readers.map(async ({ scope, prefix, layers }) => {
      const places = [...anchors.keys()]
        .filter((key) => key.startsWith(prefix))
        .flatMap((key) => pool.get(key)?.entry.sequence ?? [])
      const entries = places.length === 0 ? [] : await store.neighbours(scope, places, { radius })
      return entries
        .filter((entry) => layers.includes(entry.layer))
        .map((entry) => ({ key: prefix + entry.id, entry }))
    }),
  )
  return found.flat()
}

async function followLinks(
  store: MemoryStore,
  readers: readonly Reader[],
  anchors: ReadonlyMap<string, number>,
  pool: Map<string, Candidate>,
  { linkHops, linkShare: share, candidates: limit }: RecallSettings,
): Promise<Ranking[]> {
  return Promise.all(
    readers.map(async (reader) => {
      const { scope, prefix } = reader
      const hops: Tie[][] = []
      let ends = [...anchors.keys()]
        .filter((key) => key.startsWith(prefix))
        .map((key) => key.slice(prefix.length))
      for (let hop = 0; hop < linkHops && ends.length > 0; hop += 1) {
        const links: readonly StoredLink[] = await store.linked(scope, ends, { limit })
        hops.push(
          links.map(({ from, to, weight }) => ({ from: prefix + from, to: prefix + to, weight })),
        )
        const known = new Set(ends)
        ends = [...new Set(links.flatMap(({ from, to }) => [from, to]))].filter(
          (id) => !known.has(id),
        )
      }
      const ranking = rankLinked(hops, { anchors, share })
      const reached: readonly { key: string }[] = ranking.ranked.slice(0, limit)
      await fetch(store, [reader], reached, pool)
      return ranking
    }),
  )
}
