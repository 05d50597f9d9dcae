import { type PreconditionSource, parsePrecondition } from '@symfonic/predicates'
import { deriveId } from './derive-id.ts'
import {
  type ConversationPlace,
  type EntryDraft,
  type EntryLink,
  type MemoryEntry,
  type Provenance,
  provenanceSources,
} from './entry.ts'
import { MemoryError } from './errors.ts'
import { isMemoryLayer, memoryLayers } from './layer.ts'
import { memoryLimits } from './limits.ts'
import { copyPlainJson, type PlainJson, storableText } from './plain-json.ts'
import { readSafely } from './read-object.ts'

/** What `parseEntry` needs beside the draft. */
export interface ParseEntryOptions {
  /** Epoch milliseconds, for the times that the draft does not give. */
  readonly now: number
}

const known: readonly string[] = [
  'id',
  'layer',
  'content',
  'context',
  'label',
  'kind',
  'subject',
  'importance',
  'createdAt',
  'updatedAt',
  'occurredAt',
  'lastRecalledAt',
  'recallCount',
  'strength',
  'provenance',
  'supersedes',
  'supersededBy',
  'links',
  'metadata',
  'dueAt',
  'duePredicate',
  'sequence',
  'embedding',
  // A stored entry may be written again: its version is the store's business.
  'version',
]

/**
 * Checks a draft and makes the entry of it: a frozen copy with every default filled in. An entry
 * that was parsed before comes out equal. Text is cleaned of what some database would change (NUL and
 * halves of surrogate pairs become U+FFFD), so that all stores give back the same.
 *
 * Without an `id`, one is derived from what is said and where it comes from, not from the time: the
 * same draft written twice is one entry.
 *
 * @throws MemoryError - `MEMORY_ENTRY_INVALID` or `MEMORY_ENTRY_TOO_LARGE`, naming the field.
 */
export function parseEntry(draft: EntryDraft, { now }: ParseEntryOptions): MemoryEntry {
  if (isParsed(draft)) return draft
  return readSafely('entry', () => makeEntry(draft, now), 'MEMORY_ENTRY_INVALID')
}

function makeEntry(draft: EntryDraft, now: number): MemoryEntry {
  if (typeof draft !== 'object' || draft === null || Array.isArray(draft)) {
    throw wrong('entry', 'An entry is an object')
  }
  const source = ownFields(draft, 'entry', known)
  const { layer } = source
  if (!isMemoryLayer(layer)) throw wrong('layer', `A layer is one of ${memoryLayers.join(', ')}`)

  const isProspective = layer === 'prospective'
  const createdAt = time('createdAt', source['createdAt']) ?? time('now', now) ?? 0
  const label = text('label', source['label'], memoryLimits.nameChars)
  const kind = text('kind', source['kind'], memoryLimits.nameChars)
  const subject = text('subject', source['subject'], memoryLimits.nameChars)
  const context = text('context', source['context'], memoryLimits.contextChars)
  const lastRecalledAt = time('lastRecalledAt', source['lastRecalledAt'])
  const supersedes = idList('supersedes', source['supersedes'])
  const supersededBy = id('supersededBy', source['supersededBy'])
  const dueAt = time('dueAt', source['dueAt'])
  const duePredicate = predicate(source['duePredicate'])
  if (!isProspective && (dueAt !== undefined || duePredicate !== undefined)) {
    const field = dueAt === undefined ? 'duePredicate' : 'dueAt'
    throw wrong(field, `Only an entry of the prospective layer comes due, and this one is ${layer}`)
  }
  const sequence = place(source['sequence'])
  const embedding = vector(source['embedding'])
  const content = text('content', source['content'], memoryLimits.contentChars)
  if (content === undefined) throw wrong('content', 'Content is missing')
  const provenance = origin(source['provenance'])

  const entry: Omit<MemoryEntry, 'id'> = {
    layer,
    content,
    ...(context !== undefined && { context }),
    ...(label !== undefined && { label }),
    ...(kind !== undefined && { kind }),
    ...(subject !== undefined && { subject }),
    importance: within('importance', source['importance'], 0, 10) ?? 5,
    createdAt,
    updatedAt: time('updatedAt', source['updatedAt']) ?? createdAt,
    occurredAt: time('occurredAt', source['occurredAt']) ?? createdAt,
    ...(lastRecalledAt !== undefined && { lastRecalledAt }),
    recallCount: count('recallCount', source['recallCount']) ?? 0,
    strength: within('strength', source['strength'], 0, 1) ?? 0.5,
    provenance,
    ...(supersedes !== undefined && { supersedes }),
    ...(supersededBy !== undefined && { supersededBy }),
    links: linkList(source['links']),
    metadata: record(source['metadata']),
    ...(dueAt !== undefined && { dueAt }),
    ...(duePredicate !== undefined && { duePredicate }),
    ...(sequence !== undefined && { sequence }),
    ...(embedding !== undefined && { embedding }),
  }
  const made = Object.freeze({ id: id('id', source['id']) ?? deriveId(entry), ...entry })
  parsed.add(made)
  return made
}

/** What this file made. It is frozen, so a store that checks it again need not look. */
const parsed = new WeakSet<object>()

function isParsed(draft: unknown): draft is MemoryEntry {
  // The numbers of a vector cannot be frozen.
  return typeof draft === 'object' && draft !== null && parsed.has(draft) && !('embedding' in draft)
}

/** Checks an id from outside. Exact: an id is never cleaned, or two could become one. */
export function parseId(field: string, value: unknown): string {
  const found = id(field, value)
  if (found === undefined) throw wrong(field, 'An id is missing')
  return found
}

function ownFields(
  value: object,
  field: string,
  keys: readonly string[],
): { readonly [key: string]: unknown } {
  const found: { [key: string]: unknown } = Object.create(null)
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) {
      throw wrong(field, `There is no key "${key.slice(0, 60)}" in ${field}`)
    }
    found[key] = Reflect.get(value, key)
  }
  return found
}

function text(field: string, value: unknown, limit: number): string | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw wrong(field, `A text is expected, got ${kindOf(value)}`)
  if (value.length > limit) throw tooLarge(field, limit, 'characters')
  const kept = storableText(value)
  if (kept.trim() === '') throw wrong(field, 'It is blank')
  return kept
}

function id(field: string, value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw wrong(field, `An id is text, got ${kindOf(value)}`)
  if (value.length > memoryLimits.idChars) throw tooLarge(field, memoryLimits.idChars, 'characters')
  if (value === '' || storableText(value) !== value) {
    throw wrong(field, 'An id is not empty and holds no NUL and no half of a surrogate pair')
  }
  return value
}

function idList(field: string, value: unknown): readonly string[] | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw wrong(field, 'A list of ids is expected')
  if (value.length > memoryLimits.supersedes) throw tooLarge(field, memoryLimits.supersedes, 'ids')
  return Object.freeze([...new Set(value.map((each: unknown) => parseId(field, each)))])
}

function time(field: string, value: unknown): number | undefined {
  if (value === undefined) return undefined
  // The range of a Date; beyond it nothing can be shown as a day.
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > 8.64e15) {
    throw wrong(field, 'A time is a whole number of epoch milliseconds')
  }
  return value === 0 ? 0 : value
}

function count(field: string, value: unknown): number | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw wrong(field, 'A whole number from 0 is expected')
  }
  return value
}

function within(field: string, value: unknown, least: number, most: number): number | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !(value >= least && value <= most)) {
    throw wrong(field, `A number from ${least} to ${most} is expected`)
  }
  return value === 0 ? 0 : value
}

function origin(value: unknown): Provenance {
  if (typeof value !== 'object' || value === null) {
    throw wrong('provenance', 'It says where the entry comes from')
  }
  const keys = ['source', 'turnId', 'tool', 'author', 'sourceTag']
  const fields = ownFields(value, 'provenance', keys)
  const source = provenanceSources.find((each) => each === fields['source'])
  if (source === undefined) {
    throw wrong('provenance.source', `A source is one of ${provenanceSources.join(', ')}`)
  }
  const turnId = id('provenance.turnId', fields['turnId'])
  const tool = text('provenance.tool', fields['tool'], memoryLimits.nameChars)
  const author = text('provenance.author', fields['author'], memoryLimits.nameChars)
  const sourceTag = text('provenance.sourceTag', fields['sourceTag'], memoryLimits.nameChars)
  return Object.freeze({
    source,
    ...(turnId !== undefined && { turnId }),
    ...(tool !== undefined && { tool }),
    ...(author !== undefined && { author }),
    ...(sourceTag !== undefined && { sourceTag }),
  })
}

function linkList(value: unknown): readonly EntryLink[] {
  if (value === undefined) return Object.freeze([])
  if (!Array.isArray(value)) throw wrong('links', 'A list of links is expected')
  if (value.length > memoryLimits.links) throw tooLarge('links', memoryLimits.links, 'links')
  const links = new Map<string, EntryLink>()
  for (const each of value as readonly unknown[]) {
    if (typeof each !== 'object' || each === null) throw wrong('links', 'A link is an object')
    const fields = ownFields(each, 'links', ['to', 'relation', 'weight'])
    const to = parseId('links.to', fields['to'])
    const relation = text('links.relation', fields['relation'], memoryLimits.nameChars)
    if (relation === undefined) throw wrong('links.relation', 'The relation is missing')
    const weight = within('links.weight', fields['weight'], 0, 1) ?? 1
    if (weight === 0) throw wrong('links.weight', 'A weight is above 0')
    // One link for each pair of end and relation: the later one stands.
    links.set(JSON.stringify([to, relation]), Object.freeze({ to, relation, weight }))
  }
  return Object.freeze([...links.values()])
}

const jsonBounds = {
  depth: memoryLimits.jsonDepth,
  values: memoryLimits.jsonValues,
  chars: memoryLimits.jsonChars,
}

function record(value: unknown): Readonly<Record<string, PlainJson>> {
  if (value === undefined) return Object.freeze({})
  const copied = plain('metadata', value)
  if (typeof copied !== 'object' || copied === null || isList(copied)) {
    throw wrong('metadata', 'A record is expected')
  }
  return copied
}

function predicate(value: unknown): PreconditionSource {
  if (value === undefined || value === null) return undefined
  const copied = plain('duePredicate', value)
  try {
    const { tools, predicates } = parsePrecondition(copied as PreconditionSource)
    if (tools.length === 0 && predicates.length > 0) return copied as PreconditionSource
  } catch (cause) {
    throw wrong('duePredicate', `It is no list of state predicates: ${messageOf(cause)}`, cause)
  }
  throw wrong('duePredicate', 'It asks of the state only, and of something: no tools, not empty')
}

function plain(field: string, value: unknown): PlainJson {
  const copied = copyPlainJson(value, jsonBounds)
  if (copied.ok) return copied.value
  if (copied.fault === 'size') throw tooLarge(field, jsonBounds.values, 'values', copied.reason)
  throw wrong(field, `It is no plain JSON: it ${copied.reason}`)
}

function place(value: unknown): ConversationPlace | undefined {
  return value === undefined ? undefined : parsePlace('sequence', value)
}

/** Checks a place in a conversation from outside. */
export function parsePlace(field: string, value: unknown): ConversationPlace {
  if (typeof value !== 'object' || value === null) throw wrong(field, 'A place is an object')
  const fields = ownFields(value, field, ['sessionId', 'index'])
  const sessionId = parseId(`${field}.sessionId`, fields['sessionId'])
  const index = count(`${field}.index`, fields['index'])
  if (index === undefined) throw wrong(`${field}.index`, 'The index is missing')
  return Object.freeze({ sessionId, index })
}

function vector(value: unknown): Float32Array | undefined {
  return value === undefined ? undefined : parseVector('embedding', value)
}

/** Checks an embedding from outside and copies it. */
export function parseVector(field: string, value: unknown): Float32Array {
  if (!(value instanceof Float32Array || Array.isArray(value))) {
    throw wrong(field, 'A list of numbers is expected')
  }
  if (value.length > memoryLimits.embeddingDimensions) {
    throw tooLarge(field, memoryLimits.embeddingDimensions, 'dimensions')
  }
  const copied = new Float32Array(value.length)
  let square = 0
  for (let index = 0; index < value.length; index += 1) {
    const each: unknown = value[index]
    if (typeof each !== 'number') throw wrong(field, 'It holds something that is no number')
    copied[index] = each
    square += (copied[index] ?? 0) ** 2
  }
  // A vector without a direction is similar to nothing, and one that is not finite to everything.
  if (!(square > 0 && Number.isFinite(square))) {
    throw wrong(field, 'It holds numbers that are not finite, or only zeros')
  }
  return copied
}

function isList(value: PlainJson): value is readonly PlainJson[] {
  return Array.isArray(value)
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : typeof value
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : 'it could not be read.'
}

function wrong(field: string, what: string, cause?: unknown): MemoryError {
  return new MemoryError(
    'MEMORY_ENTRY_INVALID',
    `${what}${what.endsWith('.') ? '' : '.'} Mend "${field}" of the entry.`,
    { details: { field }, ...(cause !== undefined && { cause }) },
  )
}

function tooLarge(field: string, limit: number, unit: string, reason?: string): MemoryError {
  return new MemoryError(
    'MEMORY_ENTRY_TOO_LARGE',
    `"${field}" ${reason ?? `has more than ${limit} ${unit}`}. Split the entry, or keep the bulk elsewhere and remember where.`,
    { details: { field, limit } },
  )
}
