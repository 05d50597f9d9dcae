import type { EntryLink, MemoryEntry, StoredEntry } from '../entry.ts'
import { isMemoryLayer } from '../layer.ts'
import type { PlainJson } from '../plain-json.ts'
import { partitionTag } from './partition-tag.ts'
import type { PostgresRow } from './pool.ts'
import { termVector } from './term-vector.ts'

/** The columns that `readEntry` reads. */
export const entryColumns = `id, version, layer, content, context, label, kind, subject, importance,
  created_at, updated_at, occurred_at, last_recalled_at, recall_count, strength, source, turn_id, tool,
  author, source_tag, superseded_by, session_id, place_index, due_at, links::text AS links,
  rest::text AS rest, array_send(embedding) AS embedding`

/** The columns a write fills, with their types: `version` is the database's business. */
const written: readonly (readonly [column: string, type: string])[] = [
  ['id', 'text'],
  ['layer', 'text'],
  ['content', 'text'],
  ['context', 'text'],
  ['label', 'text'],
  ['kind', 'text'],
  ['subject', 'text'],
  ['importance', 'double precision'],
  ['created_at', 'bigint'],
  ['updated_at', 'bigint'],
  ['occurred_at', 'bigint'],
  ['last_recalled_at', 'bigint'],
  ['recall_count', 'bigint'],
  ['strength', 'double precision'],
  ['source', 'text'],
  ['turn_id', 'text'],
  ['tool', 'text'],
  ['author', 'text'],
  ['source_tag', 'text'],
  ['superseded_by', 'text'],
  ['session_id', 'text'],
  ['place_index', 'bigint'],
  ['due_at', 'bigint'],
  ['linked_to', 'text[]'],
  ['links', 'json'],
  ['rest', 'json'],
  ['embedding', 'real[]'],
  ['terms', 'tsvector'],
  ['terms_length', 'real'],
]

const names = written.map(([name]) => name)

/**
 * The statement that puts many entries at once: `$1` the partition, `$2` what `writeRows` made. Rows go
 * in by id, so that two writers of the same ids wait for each other and never cross.
 *
 * @param entries - The table, quoted.
 * @param ifExists - `replace` answers each id with its new version; `keep` only what was not there.
 */
export function putStatement(entries: string, ifExists: 'replace' | 'keep'): string {
  const replaced = names.filter((name) => name !== 'id' && name !== 'created_at')
  const onConflict =
    ifExists === 'keep'
      ? 'NOTHING'
      : `UPDATE SET version = there.version + 1,
          ${replaced.map((name) => `${name} = excluded.${name}`).join(', ')}`
  return `INSERT INTO ${entries} AS there (partition, version, ${names.join(', ')})
    SELECT $1, 1, ${names.join(', ')}
    FROM json_to_recordset($2::json) AS given (${written.map((column) => column.join(' ')).join(', ')})
    ORDER BY id COLLATE "C"
    ON CONFLICT (partition, id) DO ${onConflict}
    RETURNING id, version`
}

/** Entries as the one JSON text that `putStatement` takes. */
export function writeRows(partition: string, entries: readonly MemoryEntry[]): string {
  const tag = partitionTag(partition)
  return JSON.stringify(entries.map((entry) => writeRow(entry, tag)))
}

function writeRow(entry: MemoryEntry, tag: string): Record<string, unknown> {
  const { provenance, sequence, links, metadata, supersedes, duePredicate, embedding } = entry
  const { terms, length } = termVector(entry, tag)
  const hasRest =
    supersedes !== undefined || duePredicate !== undefined || Object.keys(metadata).length > 0
  // A key that is left out is NULL.
  return {
    id: entry.id,
    layer: entry.layer,
    content: entry.content,
    context: entry.context,
    label: entry.label,
    kind: entry.kind,
    subject: entry.subject,
    importance: entry.importance,
    created_at: entry.createdAt,
    updated_at: entry.updatedAt,
    occurred_at: entry.occurredAt,
    last_recalled_at: entry.lastRecalledAt,
    recall_count: entry.recallCount,
    strength: entry.strength,
    source: provenance.source,
    turn_id: provenance.turnId,
    tool: provenance.tool,
    author: provenance.author,
    source_tag: provenance.sourceTag,
    superseded_by: entry.supersededBy,
    session_id: sequence?.sessionId,
    place_index: sequence?.index ?? 0,
    due_at: entry.dueAt,
    ...(links.length > 0 && { linked_to: links.map(({ to }) => tag + to), links }),
    ...(hasRest && { rest: { metadata, supersedes, duePredicate } }),
    ...(embedding !== undefined && { embedding: `{${embedding.join(',')}}` }),
    terms,
    terms_length: length,
  }
}

/** The entry of a row of `entryColumns`, frozen. */
export function readEntry(row: PostgresRow): StoredEntry {
  const { layer } = row
  if (!isMemoryLayer(layer)) throw new Error(`The row of ${row['id']} has no layer.`)
  const rest = row['rest'] === null ? undefined : JSON.parse(row['rest'])
  const entry: StoredEntry = {
    id: row['id'],
    layer,
    content: row['content'],
    ...given('context', row['context']),
    ...given('label', row['label']),
    ...given('kind', row['kind']),
    ...given('subject', row['subject']),
    importance: row['importance'],
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    occurredAt: Number(row['occurred_at']),
    ...given('lastRecalledAt', row['last_recalled_at'], Number),
    recallCount: Number(row['recall_count']),
    strength: row['strength'],
    provenance: Object.freeze({
      source: row['source'],
      ...given('turnId', row['turn_id']),
      ...given('tool', row['tool']),
      ...given('author', row['author']),
      ...given('sourceTag', row['source_tag']),
    }),
    ...given('supersedes', rest?.supersedes, freezeDeep),
    ...given('supersededBy', row['superseded_by']),
    links: row['links'] === null ? noLinks : freezeDeep(JSON.parse(row['links'])),
    metadata: rest === undefined ? noMetadata : freezeDeep(rest.metadata),
    ...given('dueAt', row['due_at'], Number),
    ...given('duePredicate', rest?.duePredicate, freezeDeep),
    ...(row['session_id'] !== null && {
      sequence: Object.freeze({ sessionId: row['session_id'], index: Number(row['place_index']) }),
    }),
    ...given('embedding', row['embedding'], readVector),
    version: Number(row['version']),
  }
  return Object.freeze(entry)
}

const noLinks: readonly EntryLink[] = Object.freeze([])
const noMetadata: Readonly<Record<string, PlainJson>> = Object.freeze({})

/** The key with its value, or nothing where the column is NULL. */
function given<Key extends string, Value>(
  key: Key,
  value: Value | null | undefined,
  read: (value: Value) => unknown = (found) => found,
): object {
  return value === null || value === undefined ? {} : { [key]: read(value) }
}

function freezeDeep<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) freezeDeep(inner)
  }
  return value
}

/** The binary form of a `real[]` of one dimension: a head of 20 bytes, then length and value of each. */
function readVector(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const vector = new Float32Array((bytes.byteLength - 20) / 8)
  for (let at = 0; at < vector.length; at += 1) vector[at] = view.getFloat32(20 + at * 8 + 4)
  return vector
}
