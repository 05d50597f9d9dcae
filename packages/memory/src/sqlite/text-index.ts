import { MemoryError } from '../errors.ts'
import { searchTerms, termsVersion } from '../text/search-terms.ts'
import type { Database, Row } from './database.ts'

/** What the text index takes of an entry. */
export interface IndexedEntry {
  readonly number: number
  readonly partition: number
  readonly content: string
  readonly context?: string | undefined
}

/** Rows that are read at a time while the index is made anew. */
const stepRows = 500

/** What is a letter, by this engine. */
const unicode = process.versions['unicode'] ?? ''

/**
 * Sees to it that the index was made by the present terms, and makes it anew where it was not, in steps that fit
 * into memory. Within a transaction.
 *
 * @param version - Of the present terms.
 * @throws MemoryError - `MEMORY_MIGRATION_FAILED` where the index has later terms than this package.
 */
export function updateTextIndex(database: Database, version: number): void {
  database.run(
    'CREATE TABLE IF NOT EXISTS memory_text_version (terms INTEGER NOT NULL, unicode TEXT NOT NULL)',
  )
  const there = database.get('SELECT terms, unicode FROM memory_text_version')
  if (there?.['terms'] === version && there['unicode'] === unicode) return
  if (Number(there?.['terms']) > version) {
    throw new MemoryError(
      'MEMORY_MIGRATION_FAILED',
      `The text index has terms of version ${there?.['terms']}, and this package knows ${version}. Use the version of the package that wrote it, or a newer one.`,
      { details: { version: there?.['terms'] } },
    )
  }
  database.run("INSERT INTO memory_text (memory_text) VALUES ('delete-all')")
  let last = 0
  while (true) {
    const rows = database.all(
      `SELECT number, partition, content, context FROM memory_entries
       WHERE number > ? ORDER BY number LIMIT ?`,
      last,
      stepRows,
    )
    for (const row of rows) indexText(database, indexedEntry(row))
    last = Number(rows.at(-1)?.['number'])
    if (rows.length < stepRows) break
  }
  database.run('DELETE FROM memory_text_version')
  database.run('INSERT INTO memory_text_version (terms, unicode) VALUES (?, ?)', version, unicode)
}

/**
 * Refuses to go on where another process has made the index anew, with later terms or letters of another Unicode: those
 * of this one would leave words behind. Within the transaction of a write.
 *
 * @throws MemoryError - `MEMORY_STORE_FAILED`.
 */
export function requireOwnTerms(database: Database): void {
  const there = database.get('SELECT terms, unicode FROM memory_text_version')
  if (there?.['terms'] === termsVersion && there['unicode'] === unicode) return
  throw new MemoryError(
    'MEMORY_STORE_FAILED',
    'Another version of the package or of its engine has made the text index anew, and nothing was written. Start this process again with that version.',
  )
}

/** Adds the terms of an entry. */
export function indexText(database: Database, entry: IndexedEntry): void {
  tell(database, 'INSERT INTO memory_text (rowid, content, context) VALUES (?, ?, ?)', entry)
}

/** Takes the terms of an entry out. The index keeps no text, so it is told again what it was told. */
export function unindexText(database: Database, entry: IndexedEntry): void {
  tell(
    database,
    "INSERT INTO memory_text (memory_text, rowid, content, context) VALUES ('delete', ?, ?, ?)",
    entry,
  )
}

function tell(
  database: Database,
  sql: string,
  { number, partition, content, context }: IndexedEntry,
): void {
  database.run(
    sql,
    number,
    indexedText(partition, content),
    context === undefined ? '' : indexedText(partition, context),
  )
}

/** What the index takes of a row with these columns. */
export function indexedEntry({ number, partition, content, context }: Row): IndexedEntry {
  return {
    number: Number(number),
    partition: Number(partition),
    content: String(content),
    ...(typeof context === 'string' && { context }),
  }
}

function indexedText(partition: number, text: string): string {
  const terms = searchTerms(text)
  const before = partitionTerm(partition, '')
  return terms.length === 0 ? '' : before + terms.join(` ${before}`)
}

/** A term as this partition spells it. The number ends at the first letter, so no two spellings meet. */
export function partitionTerm(partition: number, term: string): string {
  return `${partition}x${term}`
}
