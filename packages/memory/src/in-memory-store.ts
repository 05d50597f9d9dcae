import { cosine } from './cosine.ts'
import type { MemoryEntry, StoredEntry } from './entry.ts'
import { MemoryError } from './errors.ts'
import { firstOf } from './in-memory/first-of.ts'
import { createInMemoryJobs } from './in-memory/job-queue.ts'
import { matchesFilter, matchesSelector } from './in-memory/matches-filter.ts'
import { byBlock, byLink, byPlace, comparePositions } from './in-memory/orders.ts'
import { createTextIndex, type TextIndex } from './in-memory/text-index.ts'
import type { MemoryLayer } from './layer.ts'
import { memoryLayers } from './layer.ts'
import { parseVector } from './parse-entry.ts'
import {
  type ListPosition,
  listPosition,
  type ParsedFilter,
  type ParsedWrite,
  parseIds,
  parseLimit,
  parseListOptions,
  parsePlaces,
  parseRadius,
  parseSearchOptions,
  parseSelector,
  parseTouch,
  parseWrite,
  writeCursor,
} from './parse-query.ts'
import { partitionKey, type Scope } from './scope.ts'
import type { MemoryStore, PutOutcome, StoredBlock, StoredLink, WriteOutcome } from './store.ts'
import { compareText, createTopList } from './top-list.ts'

/** How a store in memory is made. */
export interface InMemoryStoreOptions {
  /** Entries of all scopes together. One more is refused with `MEMORY_STORE_FULL`; 250,000 by default. */
  maxEntries?: number
}

interface Partition {
  readonly entries: Map<string, StoredEntry>
  /** Ids of the entries of a layer. */
  readonly layers: Map<MemoryLayer, Set<string>>
  readonly index: TextIndex
  /** Ids of the entries of a conversation. */
  readonly sessions: Map<string, Map<number, Set<string>>>
  /** Ids of the entries that link to an id. */
  readonly linkedFrom: Map<string, Set<string>>
}

/**
 * A store that forgets with the process. It ranks by text with BM25 and by vector with the exact cosine,
 * needs nothing installed and reads no clock. Each scope has an index of its own, so what one
 * tenant writes does not move another tenant's ranking.
 *
 * @throws MemoryError - `MEMORY_OPTION_INVALID` for a `maxEntries` that is no whole number above 0.
 */
export function createInMemoryStore({
  maxEntries = 250_000,
}: InMemoryStoreOptions = {}): MemoryStore {
  if (!Number.isSafeInteger(maxEntries) || maxEntries <= 0) {
    throw new MemoryError(
      'MEMORY_OPTION_INVALID',
      'Option "maxEntries" is no whole number above 0. Leave it out for 250,000.',
      { details: { option: 'maxEntries' } },
    )
  }
  const partitions = new Map<string, Partition>()
  let size = 0
  let isClosed = false

  const assertOpen = (): void => {
    if (!isClosed) return
    throw new MemoryError('MEMORY_STORE_CLOSED', 'The store was closed. Create another one.')
  }
  const jobs = createInMemoryJobs(assertOpen)

  /** The first line of every method: no scope, no answer. */
  const open = (scope: Scope): [key: string, partition: Partition | undefined] => {
    const key = partitionKey(scope)
    assertOpen()
    return [key, partitions.get(key)]
  }

  const drop = (partition: Partition, entry: StoredEntry): void => {
    partition.entries.delete(entry.id)
    partition.index.remove(entry)
    unplace(partition, entry)
    size -= 1
  }

  const forgetIfEmpty = (key: string): void => {
    if (partitions.get(key)?.entries.size === 0) partitions.delete(key)
  }

  const apply = (key: string, { put, remove, completes }: ParsedWrite): WriteOutcome => {
    const partition = partitions.get(key) ?? createPartition()
    const { entries } = partition
    if (completes !== undefined && !jobs.holds(key, completes)) {
      return { committed: false, reason: 'job-lost', conflicts: [] }
    }
    const conflicts = put
      .filter(({ entry, expectedVersion }) => {
        return (
          expectedVersion !== undefined && expectedVersion !== (entries.get(entry.id)?.version ?? 0)
        )
      })
      .map(({ entry }) => entry.id)
    if (conflicts.length > 0) return { committed: false, reason: 'version', conflicts }
    const removed = remove.flatMap((id) => entries.get(id) ?? [])
    const created = put.filter(({ entry }) => !entries.has(entry.id)).length
    if (size - removed.length + created > maxEntries) {
      throw new MemoryError(
        'MEMORY_STORE_FULL',
        `The store holds ${size} of at most ${maxEntries} entries. Remove some, raise maxEntries, or use a database.`,
        { details: { limit: maxEntries } },
      )
    }

    // Nothing can fail from here on.
    partitions.set(key, partition)
    for (const entry of removed) drop(partition, entry)
    const outcomes = put.map(({ entry, ifExists }): PutOutcome => {
      const there = entries.get(entry.id)
      if (there !== undefined && ifExists === 'keep') {
        return { id: entry.id, status: 'kept', version: there.version }
      }
      const version = (there?.version ?? 0) + 1
      if (there !== undefined) drop(partition, there)
      const createdAt = there?.createdAt ?? entry.createdAt
      const stored = Object.freeze({ ...entry, createdAt, version })
      entries.set(entry.id, stored)
      partition.index.add(stored)
      place(partition, stored)
      size += 1
      return { id: entry.id, status: there === undefined ? 'created' : 'replaced', version }
    })
    if (completes !== undefined) jobs.end(completes)
    forgetIfEmpty(key)
    return { committed: true, entries: outcomes, removed: removed.length }
  }

  return {
    capabilities: Object.freeze({ ranksByText: true, ranksByVector: true, isDurable: false }),
    jobs,

    async write(scope, write) {
      const [key] = open(scope)
      return apply(key, parseWrite(write))
    },

    async get(scope, ids) {
      const [, partition] = open(scope)
      return parseIds('ids', ids).flatMap((id) => copyOut(partition?.entries.get(id)))
    },

    async list(scope, options) {
      const [, partition] = open(scope)
      const { filter, order, limit, after } = parseListOptions(options)
      const isBackward = order === 'newest'
      const compare = (one: ListPosition, other: ListPosition): number =>
        isBackward ? comparePositions(other, one) : comparePositions(one, other)
      const places = function* () {
        for (const entry of candidatesFor(filter, partition)) {
          if (!matchesFilter(entry, filter)) continue
          if (order === 'due' && entry.dueAt === undefined) continue
          const position = listPosition(entry, order)
          if (after === undefined || compare(position, after) > 0) yield { entry, position }
        }
      }
      const found = firstOf(places(), {
        // One more says whether there is a next page.
        count: limit + 1,
        compare: (one, other) => compare(one.position, other.position),
      })
      const last = found[limit - 1]
      return {
        entries: found.slice(0, limit).flatMap(({ entry }) => copyOut(entry)),
        ...(found.length > limit &&
          last !== undefined && { next: writeCursor(order, last.position) }),
      }
    },

    async search(scope, text, options) {
      const [, partition] = open(scope)
      const { limit, filter } = parseSearchOptions(options)
      if (partition === undefined) return []
      return partition.index.search(String(text), limit, (id) => {
        const entry = partition.entries.get(id)
        return entry !== undefined && matchesFilter(entry, filter)
      })
    },

    async searchVector(scope, embedding, options) {
      const [, partition] = open(scope)
      const { limit, filter } = parseSearchOptions(options)
      const asked = parseVector('embedding', embedding)
      const top = createTopList(limit)
      for (const entry of partition?.entries.values() ?? []) {
        if (entry.embedding === undefined || !matchesFilter(entry, filter)) continue
        const score = cosine(asked, entry.embedding)
        if (score !== undefined) top.offer(entry.id, score)
      }
      return top.ranked()
    },

    async neighbours(scope, places, options) {
      const [, partition] = open(scope)
      const reach = parseRadius(options?.radius)
      const found = new Map<string, StoredEntry>()
      for (const { sessionId, index } of parsePlaces(places)) {
        const session = partition?.sessions.get(sessionId)
        for (let at = Math.max(0, index - reach); at <= index + reach; at += 1) {
          for (const id of session?.get(at) ?? []) {
            const entry = partition?.entries.get(id)
            if (entry !== undefined && entry.supersededBy === undefined) found.set(id, entry)
          }
        }
      }
      return [...found.values()].sort(byPlace).flatMap(copyOut)
    },

    async linked(scope, ids, options) {
      const [, partition] = open(scope)
      const most = parseLimit(options?.limit)
      const asked = new Set(parseIds('ids', ids))
      if (partition === undefined) return []
      const isCurrent = (id: string): boolean => {
        const entry = partition.entries.get(id)
        return entry !== undefined && entry.supersededBy === undefined
      }
      const links = new Map<string, StoredLink>()
      for (const id of asked) {
        for (const from of [id, ...(partition.linkedFrom.get(id) ?? [])]) {
          if (!isCurrent(from)) continue
          for (const { to, relation, weight } of partition.entries.get(from)?.links ?? []) {
            if (!isCurrent(to) || !(asked.has(from) || asked.has(to))) continue
            links.set(JSON.stringify([from, to, relation]), { from, to, relation, weight })
          }
        }
      }
      return [...links.values()].sort(byLink).slice(0, most)
    },

    async touch(scope, ids, options) {
      const [, partition] = open(scope)
      const { at, gain } = parseTouch(options)
      let touched = 0
      for (const id of parseIds('ids', ids)) {
        const entry = partition?.entries.get(id)
        if (partition === undefined || entry === undefined) continue
        touched += 1
        partition.entries.set(
          id,
          Object.freeze({
            ...entry,
            recallCount: entry.recallCount + 1,
            lastRecalledAt: Math.max(at, entry.lastRecalledAt ?? at),
            strength: Math.max(0, Math.min(1, entry.strength + gain)),
            version: entry.version + 1,
          }),
        )
      }
      return touched
    },

    async remove(scope, selector) {
      const [key, partition] = open(scope)
      const parsed = parseSelector(selector)
      if ('everything' in parsed) jobs.removeAll(key)
      if (partition === undefined) return 0
      if ('everything' in parsed) {
        // As a whole: entry by entry, the index alone would take a second for tens of thousands.
        partitions.delete(key)
        size -= partition.entries.size
        return partition.entries.size
      }
      const meant = [...partition.entries.values()].filter((entry) =>
        matchesSelector(entry, parsed),
      )
      for (const entry of meant) drop(partition, entry)
      forgetIfEmpty(key)
      return meant.length
    },

    async describe(scope) {
      const [, partition] = open(scope)
      const blocks = new Map<string, StoredBlock>()
      for (const entry of partition?.entries.values() ?? []) {
        if (entry.supersededBy !== undefined) continue
        const { layer, label, updatedAt, importance } = entry
        const key = JSON.stringify([layer, label ?? null])
        const block = blocks.get(key)
        blocks.set(key, {
          layer,
          ...(label !== undefined && { label }),
          count: (block?.count ?? 0) + 1,
          lastUpdatedAt: Math.max(updatedAt, block?.lastUpdatedAt ?? updatedAt),
          maxImportance: Math.max(importance, block?.maxImportance ?? importance),
        })
      }
      return [...blocks.values()].sort(byBlock).slice(0, 1_000)
    },

    async *export(scope) {
      const [, partition] = open(scope)
      const ids = [...(partition?.entries.keys() ?? [])].sort(compareText)
      for (const id of ids) {
        assertOpen()
        yield* copyOut(partition?.entries.get(id))
      }
    },

    async close() {
      isClosed = true
      partitions.clear()
    },
  }
}

function createPartition(): Partition {
  return {
    entries: new Map(),
    layers: new Map(),
    index: createTextIndex(),
    sessions: new Map(),
    linkedFrom: new Map(),
  }
}

/** The entries a filter may let through: few of many, where it names a session or layers. */
function* candidatesFor(
  { sessionId, layers = memoryLayers }: ParsedFilter,
  partition: Partition | undefined,
): Generator<StoredEntry> {
  if (partition === undefined) return
  const ids =
    sessionId === undefined
      ? layers.map((layer) => partition.layers.get(layer) ?? [])
      : (partition.sessions.get(sessionId)?.values() ?? [])
  for (const some of ids) {
    for (const id of some) {
      const entry = partition.entries.get(id)
      if (entry !== undefined) yield entry
    }
  }
}

function place(
  { layers, sessions, linkedFrom }: Partition,
  { id, layer, sequence, links }: MemoryEntry,
): void {
  layers.set(layer, (layers.get(layer) ?? new Set<string>()).add(id))
  if (sequence !== undefined) {
    const session = sessions.get(sequence.sessionId) ?? new Map<number, Set<string>>()
    sessions.set(sequence.sessionId, session)
    session.set(sequence.index, (session.get(sequence.index) ?? new Set<string>()).add(id))
  }
  for (const { to } of links) {
    linkedFrom.set(to, (linkedFrom.get(to) ?? new Set<string>()).add(id))
  }
}

function unplace(
  { layers, sessions, linkedFrom }: Partition,
  { id, layer, sequence, links }: MemoryEntry,
): void {
  layers.get(layer)?.delete(id)
  if (sequence !== undefined) {
    const session = sessions.get(sequence.sessionId)
    const there = session?.get(sequence.index)
    there?.delete(id)
    if (there?.size === 0) session?.delete(sequence.index)
    if (session?.size === 0) sessions.delete(sequence.sessionId)
  }
  for (const { to } of links) {
    const there = linkedFrom.get(to)
    there?.delete(id)
    if (there?.size === 0) linkedFrom.delete(to)
  }
}

/** A typed array cannot be frozen, so each answer gets a copy of it. */
function copyOut(entry: StoredEntry | undefined): StoredEntry[] {
  if (entry === undefined) return []
  if (entry.embedding === undefined) return [entry]
  return [Object.freeze({ ...entry, embedding: entry.embedding.slice() })]
}
