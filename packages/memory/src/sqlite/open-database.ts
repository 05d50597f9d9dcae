import { MemoryError } from '../errors.ts'
import { termsVersion } from '../text/search-terms.ts'
import { type ConnectOptions, connectDatabase, type Database } from './database.ts'
import { type Migration, migrations } from './migrations.ts'
import { updateTextIndex } from './text-index.ts'

/** How a database is opened; tests of migrations give schemas and terms of their own. */
export interface OpenOptions extends ConnectOptions {
  /** The schema to bring the database to. */
  readonly steps?: readonly Migration[]
  /** The version of the terms in the text index. */
  readonly terms?: number
}

/**
 * Opens or creates a database file, or one in memory for `:memory:`, and brings it to the newest schema and terms.
 *
 * @throws MemoryError - `MEMORY_STORE_FAILED` when it cannot be opened; `MEMORY_MIGRATION_FAILED` when its
 * schema or terms are newer than this package, or a step fails. It is then as it was before.
 */
export function openDatabase(
  path: string,
  { steps = migrations, terms = termsVersion, ...options }: OpenOptions,
): Database {
  const database = connectDatabase(path, options)
  try {
    migrate(database, steps, terms)
  } catch (thrown) {
    database.close()
    throw thrown
  }
  return database
}

function migrate(database: Database, steps: readonly Migration[], terms: number): void {
  const newest = steps.at(-1)?.version ?? 0
  database.transaction(() => {
    database.run('CREATE TABLE IF NOT EXISTS memory_schema (version INTEGER NOT NULL)')
    const there = Number(
      database.get('SELECT max(version) AS version FROM memory_schema')?.['version'],
    )
    if (there > newest) {
      throw new MemoryError(
        'MEMORY_MIGRATION_FAILED',
        `The database has schema ${there}, and this package knows ${newest}. Use the version of the package that wrote it, or a newer one.`,
        { details: { version: there } },
      )
    }
    for (const { version, statements } of steps.filter((step) => step.version > there)) {
      try {
        for (const statement of statements) database.run(statement)
        database.run('INSERT INTO memory_schema (version) VALUES (?)', version)
      } catch (cause) {
        throw new MemoryError(
          'MEMORY_MIGRATION_FAILED',
          `Schema ${version} could not be made; the database is as it was. Look at the cause, and whether other tables have the same names.`,
          { details: { version }, cause },
        )
      }
    }
    updateTextIndex(database, terms)
  })
}
