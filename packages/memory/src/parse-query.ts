import { conversationKey } from './conversation-key.ts'
import type { ConversationPlace, MemoryEntry } from './entry.ts'
import { provenanceSources } from './entry.ts'
import { MemoryError } from './errors.ts'
import type { ClaimOptions, JobClaim, NewJob } from './job-queue.ts'
import { isMemoryLayer, type MemoryLayer } from './layer.ts'
import { memoryLimits } from './limits.ts'
import { parseEntry, parseId, parsePlace } from './parse-entry.ts'
import { copyPlainJson, type PlainJson } from './plain-json.ts'
import { readSafely } from './read-object.ts'
import type {
  EntryFilter,
  EntryPut,
  ListOptions,
  RemoveSelector,
  SearchOptions,
  StoreWrite,
} from './store.ts'

/** A write with every entry checked and every default filled in. */
export interface ParsedWrite {
  readonly put: readonly (Required<Pick<EntryPut, 'entry' | 'ifExists'>> &
    Pick<EntryPut, 'expectedVersion'>)[]
  readonly remove: readonly string[]
  readonly completes?: JobClaim
}

/**
 * Checks what a store is to write. The first thing `write` of any store does, after the scope.
 *
 * @throws MemoryError - `MEMORY_ENTRY_INVALID`, `MEMORY_ENTRY_TOO_LARGE`, or `MEMORY_QUERY_INVALID` for more
 * than 1,000 changes, and for an id that is put twice, or put and removed.
 */
export function parseWrite(write: StoreWrite): ParsedWrite {
  const {
    put = [],
    remove = [],
    completes,
  } = fields('write', write, ['put', 'remove', 'completes']) as StoreWrite
  const puts = list('put', put).map(parsePut)
  const removed = parseIds('remove', remove)
  const ids = [...puts.map(({ entry }) => entry.id), ...removed]
  if (new Set(ids).size < ids.length) {
    throw refusedField('put', 'An id is put twice, or put and removed. Leave one of them out.')
  }
  return {
    put: puts,
    remove: removed,
    ...(completes !== undefined && { completes: parseClaim(completes) }),
  }
}

function parsePut(value: unknown): ParsedWrite['put'][number] {
  const given = fields('put', value, ['entry', 'expectedVersion', 'ifExists'])
  const { expectedVersion, ifExists = 'replace' } = given
  if (ifExists !== 'replace' && ifExists !== 'keep') {
    throw refusedField('ifExists', 'It is either "replace" or "keep".')
  }
  if (expectedVersion !== undefined && !isCount(expectedVersion)) {
    throw refusedField('expectedVersion', 'A version is a whole number from 0.')
  }
  return {
    entry: parseWhole(given['entry']),
    ifExists,
    ...(expectedVersion !== undefined && { expectedVersion }),
  }
}

/** An entry that `parseEntry` made: nothing in it may depend on a clock that a store would have to read. */
function parseWhole(value: unknown): MemoryEntry {
  const hasTimes = () =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, 'createdAt')
  if (!readSafely('put', hasTimes)) {
    throw new MemoryError(
      'MEMORY_ENTRY_INVALID',
      'A store was given a draft. Make an entry of it with parseEntry first.',
      { details: { field: 'createdAt' } },
    )
  }
  return parseEntry(value as MemoryEntry, { now: 0 })
}

/** Checks ids: a list of at most 1,000, each once in the answer. */
export function parseIds(field: string, ids: unknown): readonly string[] {
  return [...new Set(list(field, ids).map((id) => parseId(field, id)))]
}

/** Checks places in conversations: a list of at most 1,000. */
export function parsePlaces(places: unknown): readonly ConversationPlace[] {
  return list('places', places).map((place) => parsePlace('places', place))
}

/** A filter with the status filled in. */
export type ParsedFilter = EntryFilter & Required<Pick<EntryFilter, 'status'>>

const textKeys = ['label', 'kind', 'subject', 'sourceTag', 'turnId', 'sessionId'] as const
const timeKeys = ['occurredFrom', 'occurredBefore', 'dueUntil'] as const

/** Checks a filter. @throws MemoryError - `MEMORY_QUERY_INVALID`; an unknown key would silently let everything through. */
export function parseFilter(filter: unknown = {}): ParsedFilter {
  const given = fields('filter', filter, ['layers', 'source', 'status', ...textKeys, ...timeKeys])
  const parsed: { -readonly [Key in keyof ParsedFilter]: ParsedFilter[Key] } = { status: 'current' }
  const { layers, source, status } = given
  if (layers !== undefined) {
    const checked = list('layers', layers)
    if (!checked.every(isMemoryLayer)) throw refusedField('layers', 'It holds what is no layer.')
    parsed.layers = [...new Set<MemoryLayer>(checked)]
  }
  if (source !== undefined) {
    const found = provenanceSources.find((each) => each === source)
    if (found === undefined)
      throw refusedField('source', `A source is one of ${provenanceSources.join(', ')}.`)
    parsed.source = found
  }
  if (status !== undefined) {
    if (status !== 'current' && status !== 'superseded' && status !== 'all') {
      throw refusedField('status', 'It is "current", "superseded" or "all".')
    }
    parsed.status = status
  }
  for (const key of textKeys) {
    const value = given[key]
    if (value === undefined) continue
    if (typeof value !== 'string') throw refusedField(key, 'A text is expected.')
    parsed[key] = key === 'sessionId' ? conversationKey(value) : value
  }
  for (const key of timeKeys) {
    const value = given[key]
    if (value === undefined) continue
    parsed[key] = parseTime(key, value)
  }
  return parsed
}

/** List options with defaults, and the cursor read. */
export interface ParsedList {
  readonly filter: ParsedFilter
  readonly order: 'newest' | 'oldest' | 'due'
  readonly limit: number
  /** Where the page before ended. */
  readonly after?: ListPosition
}

/** The position of an entry in an order: entries compare by time, then index, then id. */
export interface ListPosition {
  readonly time: number
  /** Always 0 in the order `due`. */
  readonly index: number
  readonly id: string
}

/** Checks what `list` is asked. @throws MemoryError - `MEMORY_QUERY_INVALID`. */
export function parseListOptions(options: ListOptions = {}): ParsedList {
  const given = fields('options', options, ['filter', 'order', 'limit', 'cursor'])
  const { order = 'newest', limit = 100, cursor } = given
  if (order !== 'newest' && order !== 'oldest' && order !== 'due') {
    throw refusedField('order', 'It is "newest", "oldest" or "due".')
  }
  return {
    filter: parseFilter(given['filter']),
    order,
    limit: parseLimit(limit),
    ...(cursor !== undefined && { after: readCursor(cursor, order) }),
  }
}

/** The cursor that `list` answers after an entry, and reads in `parseListOptions`. */
export function writeCursor(order: string, { time, index, id }: ListPosition): string {
  return JSON.stringify([order, time, index, id])
}

function readCursor(cursor: unknown, order: string): ListPosition {
  try {
    const read: unknown = JSON.parse(String(cursor))
    if (Array.isArray(read) && read.length === 4 && read[0] === order) {
      const [, time, index, id] = read as readonly unknown[]
      if (typeof time === 'number' && isCount(index) && typeof id === 'string') {
        return { time, index, id }
      }
    }
  } catch {
    // It is refused below.
  }
  throw refusedField(
    'cursor',
    'It is not one that this order answered. Pass `next` of the page before.',
  )
}

/** The time by which an entry stands in an order. */
export function listPosition(entry: MemoryEntry, order: 'newest' | 'oldest' | 'due'): ListPosition {
  return order === 'due'
    ? { time: entry.dueAt ?? 0, index: 0, id: entry.id }
    : { time: entry.occurredAt, index: entry.sequence?.index ?? 0, id: entry.id }
}

/** Checks what a search is asked. @throws MemoryError - `MEMORY_QUERY_INVALID`. */
export function parseSearchOptions(options: SearchOptions): {
  readonly limit: number
  readonly filter: ParsedFilter
} {
  const given = fields('options', options, ['limit', 'filter'])
  return { limit: parseLimit(given['limit']), filter: parseFilter(given['filter']) }
}

/** Checks the radius of `neighbours`: 0 to 10. */
export function parseRadius(radius: unknown): number {
  if (isCount(radius) && radius <= memoryLimits.neighbourRadius) return radius
  throw refusedField(
    'radius',
    `A whole number from 0 to ${memoryLimits.neighbourRadius} is expected.`,
  )
}

/** Checks a number of results: 1 to 1,000. */
export function parseLimit(limit: unknown, most: number = memoryLimits.page): number {
  if (isCount(limit) && limit > 0 && limit <= most) return limit
  throw refusedField('limit', `A whole number from 1 to ${most} is expected.`)
}

/** Checks what `touch` is told; no gain by default. */
export function parseTouch(options: { at: number; gain?: number }): { at: number; gain: number } {
  const { at, gain = 0 } = fields('options', options, ['at', 'gain'])
  if (typeof gain !== 'number' || !(gain >= -1 && gain <= 1)) {
    throw refusedField('gain', 'A number from -1 to 1 is expected.')
  }
  return { at: parseTime('at', at), gain }
}

const sourceKeys = ['source', 'turnId', 'tool', 'author', 'sourceTag', 'sessionId'] as const

/**
 * Checks what to remove. Exactly one way of choosing, and never an empty one: a selector that says
 * nothing must not mean everything.
 *
 * @throws MemoryError - `MEMORY_QUERY_INVALID`.
 */
export function parseSelector(selector: RemoveSelector): RemoveSelector {
  const given = fields('selector', selector, ['ids', 'source', 'subject', 'everything'])
  const ways = Object.keys(given).filter((key) => given[key] !== undefined)
  const { ids, source, subject, everything } = given
  if (ways.length === 1) {
    if (ids !== undefined) return { ids: parseIds('ids', ids) }
    if (typeof subject === 'string' && subject !== '') return { subject }
    if (everything === true) return { everything }
    if (source !== undefined) return { source: parseSourceSelector(source) }
  }
  throw refusedField(
    'selector',
    'Give exactly one of { ids }, { source }, { subject }, { everything: true }.',
  )
}

function parseSourceSelector(value: unknown) {
  const given = fields('source', value, sourceKeys)
  const texts: { [Key in (typeof sourceKeys)[number]]?: string } = {}
  for (const key of sourceKeys) {
    const each = given[key]
    if (each === undefined) continue
    if (typeof each !== 'string' || each === '') throw refusedField(key, 'A text is expected.')
    texts[key] = key === 'sessionId' ? conversationKey(each) : each
  }
  if (Object.keys(texts).length === 0) throw refusedField('source', 'Give at least one key.')
  const { source, ...others } = texts
  if (source === undefined) return others
  return { ...others, source: parseFilter({ source }).source ?? 'system' }
}

/** Checks a job to be added, with its defaults. @throws MemoryError - `MEMORY_QUERY_INVALID`. */
export function parseJob(job: NewJob): Required<NewJob> {
  const { kind, key = '', payload, runAt } = fields('job', job, ['kind', 'key', 'payload', 'runAt'])
  const bounds = memoryLimits.nameChars
  if (typeof kind !== 'string' || kind === '' || kind.length > bounds || !isStorable(kind)) {
    throw refusedField('kind', `A text of 1 to ${bounds} characters is expected.`)
  }
  if (typeof key !== 'string' || key.length > memoryLimits.idChars || !isStorable(key)) {
    throw refusedField('key', `A text of up to ${memoryLimits.idChars} characters is expected.`)
  }
  const copied = copyPlainJson(payload ?? null, {
    depth: memoryLimits.jsonDepth,
    values: memoryLimits.jsonValues,
    chars: memoryLimits.jsonChars,
  })
  if (!copied.ok) throw refusedField('payload', `It is no small plain JSON: it ${copied.reason}.`)
  const kept: PlainJson = copied.value
  return { kind, key, payload: kept, runAt: parseTime('runAt', runAt) }
}

/** Checks what a worker asks for, with its defaults. @throws MemoryError - `MEMORY_QUERY_INVALID`. */
export function parseClaimOptions(
  options: ClaimOptions,
): Required<Pick<ClaimOptions, 'now' | 'leaseMs' | 'limit'>> & Pick<ClaimOptions, 'kinds'> {
  const given = fields('options', options, ['now', 'leaseMs', 'limit', 'kinds', 'scope'])
  const { leaseMs, kinds } = given
  if (!isCount(leaseMs) || leaseMs === 0) {
    throw refusedField('leaseMs', 'A whole number of milliseconds above 0 is expected.')
  }
  return {
    now: parseTime('now', given['now']),
    leaseMs,
    limit: parseLimit(given['limit'] ?? 1, 100),
    ...(kinds !== undefined && {
      kinds: readSafely('kinds', () => list('kinds', kinds).map(String)),
    }),
  }
}

/** Checks a claim. @throws MemoryError - `MEMORY_QUERY_INVALID`. */
export function parseClaim(claim: JobClaim): JobClaim {
  // A claimed job is a claim, so the keys beside the two are let by.
  const { jobId, token }: Partial<JobClaim> = readSafely('claim', () => ({ ...claim }))
  if (typeof jobId === 'string' && typeof token === 'string') return { jobId, token }
  throw refusedField('claim', 'A claim has a jobId and a token. Pass what `claim` answered.')
}

/** Checks a time: epoch milliseconds. @throws MemoryError - `MEMORY_QUERY_INVALID`. */
export function parseTime(field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 8.64e15) {
    return value
  }
  throw refusedField(field, 'A whole number of epoch milliseconds is expected.')
}

function fields(
  field: string,
  value: unknown,
  keys: readonly string[],
): { readonly [key: string]: unknown } {
  return readSafely(field, () => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw refusedField(field, 'An object is expected.')
    }
    const found: { [key: string]: unknown } = Object.create(null)
    for (const key of Object.keys(value)) {
      if (!keys.includes(key)) throw refusedField(field, `It has no key "${key.slice(0, 60)}".`)
      found[key] = Reflect.get(value, key)
    }
    return found
  })
}

function list(field: string, value: unknown): readonly unknown[] {
  const read = () =>
    Array.isArray(value) && value.length <= memoryLimits.batch && Array.from<unknown>(value)
  const items = readSafely(field, read)
  if (items) return items
  throw refusedField(field, `A list of at most ${memoryLimits.batch} is expected.`)
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}

/** The refusal of a field of what was asked. */
export function refusedField(field: string, what: string): MemoryError {
  return new MemoryError('MEMORY_QUERY_INVALID', `"${field}" was refused. ${what}`, {
    details: { field },
  })
}
