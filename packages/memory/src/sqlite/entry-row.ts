import type { SQLInputValue } from 'node:sqlite'
import type { MemoryEntry, StoredEntry } from '../entry.ts'
import { bytesOf, type Row, vectorOf } from './database.ts'

/** The columns of an entry, in the order of `entryValues`. */
export const entryColumns = [
  'id',
  'version',
  'layer',
  'content',
  'context',
  'label',
  'kind',
  'subject',
  'importance',
  'created_at',
  'updated_at',
  'occurred_at',
  'recalled_at',
  'recall_count',
  'strength',
  'source',
  'turn_id',
  'tool',
  'author',
  'source_tag',
  'supersedes',
  'superseded_by',
  'links',
  'metadata',
  'due_at',
  'due_predicate',
  'session_id',
  'sequence_index',
  'embedding',
] as const

/** An entry as the values of its columns. Empty links and metadata take no room. */
export function entryValues(entry: MemoryEntry, version: number): SQLInputValue[] {
  const { provenance, links, metadata, sequence, embedding } = entry
  return [
    entry.id,
    version,
    entry.layer,
    entry.content,
    entry.context ?? null,
    entry.label ?? null,
    entry.kind ?? null,
    entry.subject ?? null,
    entry.importance,
    entry.createdAt,
    entry.updatedAt,
    entry.occurredAt,
    entry.lastRecalledAt ?? null,
    entry.recallCount,
    entry.strength,
    provenance.source,
    provenance.turnId ?? null,
    provenance.tool ?? null,
    provenance.author ?? null,
    provenance.sourceTag ?? null,
    entry.supersedes === undefined ? null : JSON.stringify(entry.supersedes),
    entry.supersededBy ?? null,
    links.length === 0 ? null : JSON.stringify(links),
    Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata),
    entry.dueAt ?? null,
    entry.duePredicate === undefined ? null : JSON.stringify(entry.duePredicate),
    sequence?.sessionId ?? null,
    sequence?.index ?? null,
    embedding === undefined ? null : bytesOf(embedding),
  ]
}

/** The entry a row holds. Everything in it is a copy of its own. */
export function entryOf(row: Row): StoredEntry {
  const provenance = {
    source: row['source'],
    ...present('turnId', row['turn_id']),
    ...present('tool', row['tool']),
    ...present('author', row['author']),
    ...present('sourceTag', row['source_tag']),
  }
  const { embedding } = row
  const entry = {
    id: row['id'],
    layer: row['layer'],
    content: row['content'],
    ...present('context', row['context']),
    ...present('label', row['label']),
    ...present('kind', row['kind']),
    ...present('subject', row['subject']),
    importance: row['importance'],
    createdAt: row['created_at'],
    updatedAt: row['updated_at'],
    occurredAt: row['occurred_at'],
    ...present('lastRecalledAt', row['recalled_at']),
    recallCount: row['recall_count'],
    strength: row['strength'],
    provenance: Object.freeze(provenance),
    ...present('supersedes', parsed(row['supersedes'])),
    ...present('supersededBy', row['superseded_by']),
    links: parsed(row['links']) ?? [],
    metadata: parsed(row['metadata']) ?? {},
    ...present('dueAt', row['due_at']),
    ...present('duePredicate', parsed(row['due_predicate'])),
    ...(row['session_id'] !== null && {
      sequence: Object.freeze({ sessionId: row['session_id'], index: row['sequence_index'] }),
    }),
    ...(embedding instanceof Uint8Array && { embedding: vectorOf(embedding) }),
    version: row['version'],
  }
  // Only `entryValues` writes these columns, from an entry that was checked.
  return Object.freeze(entry) as StoredEntry
}

function present(key: string, value: unknown): Record<string, unknown> {
  return value === null || value === undefined ? {} : { [key]: value }
}

function parsed(text: unknown): unknown {
  return typeof text === 'string' ? JSON.parse(text) : undefined
}
