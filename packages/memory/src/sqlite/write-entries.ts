import type { MemoryEntry } from '../entry.ts'
import type { ParsedWrite } from '../parse-query.ts'
import type { PutOutcome, WriteOutcome } from '../store.ts'
import type { Database, Row } from './database.ts'
import { entryColumns, entryValues } from './entry-row.ts'
import { endJob, holdsJob } from './job-queue.ts'
import { indexedEntry, indexText, unindexText } from './text-index.ts'

const columns = ['partition', ...entryColumns]
const insertEntry = `INSERT INTO memory_entries (${columns.join(', ')})
  VALUES (${columns.map(() => '?').join(', ')}) ON CONFLICT (partition, id) DO NOTHING`
const updateEntry = `UPDATE memory_entries
  SET ${entryColumns.map((column) => `${column} = ?`).join(', ')} WHERE number = ?`
const findEntry = `SELECT number, version, created_at, content, context, links IS NOT NULL AS has_links
  FROM memory_entries WHERE partition = ? AND id = ?`

/** Applies a checked write to one partition. Runs within a transaction, and changes nothing unless it commits. */
export function writeEntries(
  database: Database,
  partition: number,
  { put, remove, completes }: ParsedWrite,
): WriteOutcome {
  if (completes !== undefined && !holdsJob(database, partition, completes)) {
    return { committed: false, reason: 'job-lost', conflicts: [] }
  }
  const found = new Map<string, Row | undefined>()
  const find = (id: string): Row | undefined => {
    if (!found.has(id)) found.set(id, database.get(findEntry, partition, id))
    return found.get(id)
  }
  const conflicts = put
    .filter(({ entry: { id }, expectedVersion }) => {
      return expectedVersion !== undefined && expectedVersion !== Number(find(id)?.['version'] ?? 0)
    })
    .map(({ entry }) => entry.id)
  if (conflicts.length > 0) return { committed: false, reason: 'version', conflicts }

  let removed = 0
  for (const id of remove) {
    const row = database.get(findEntry, partition, id)
    if (row === undefined) continue
    removeRow(database, partition, id, row)
    removed += 1
  }
  const entries = put.map(({ entry, ifExists }): PutOutcome => {
    // Most entries are new: that is tried before it is asked.
    const isNew = !found.get(entry.id) && insert(database, partition, entry)
    const there = isNew ? undefined : find(entry.id)
    if (there === undefined) return { id: entry.id, status: 'created', version: 1 }
    const version = Number(there['version'])
    if (ifExists === 'keep') return { id: entry.id, status: 'kept', version }
    replace(database, partition, entry, there)
    return { id: entry.id, status: 'replaced', version: version + 1 }
  })
  if (completes !== undefined) endJob(database, partition, completes)
  return { committed: true, entries, removed }
}

/** Takes an entry out of the table, the text index and the links. */
export function removeRow(database: Database, partition: number, id: string, row: Row): void {
  unindexText(database, indexedEntry({ ...row, partition }))
  database.run('DELETE FROM memory_links WHERE partition = ? AND from_id = ?', partition, id)
  database.run('DELETE FROM memory_entries WHERE number = ?', Number(row['number']))
}

/** Adds an entry. False when there is one of its id already. */
function insert(database: Database, partition: number, entry: MemoryEntry): boolean {
  const number = database.insert(insertEntry, partition, ...entryValues(entry, 1))
  if (number === undefined) return false
  indexText(database, { number, partition, content: entry.content, context: entry.context })
  insertLinks(database, partition, entry)
  return true
}

function replace(database: Database, partition: number, entry: MemoryEntry, there: Row): void {
  const number = Number(there['number'])
  const kept = { ...entry, createdAt: Number(there['created_at']) }
  const version = Number(there['version']) + 1
  const isSameText =
    there['content'] === entry.content && there['context'] === (entry.context ?? null)
  if (!isSameText) unindexText(database, indexedEntry({ ...there, partition }))
  database.run(updateEntry, ...entryValues(kept, version), number)
  if (!isSameText) {
    indexText(database, { number, partition, content: entry.content, context: entry.context })
  }
  if (there['has_links']) {
    database.run(
      'DELETE FROM memory_links WHERE partition = ? AND from_id = ?',
      partition,
      entry.id,
    )
  }
  insertLinks(database, partition, entry)
}

function insertLinks(database: Database, partition: number, { id, links }: MemoryEntry): void {
  for (const { to, relation, weight } of links) {
    database.run(
      'INSERT INTO memory_links (partition, from_id, to_id, relation, weight) VALUES (?, ?, ?, ?, ?)',
      partition,
      id,
      to,
      relation,
      weight,
    )
  }
}
