import { MemoryError } from '../errors.ts'
import { inTransaction, type PostgresPool } from './pool.ts'

/** Takes the lock under which one process migrates and others wait, until the transaction ends. Any number does. */
export const migrationLock = 'SELECT pg_advisory_xact_lock(727066001)'

/**
 * Brings a schema of the database up to date, in one transaction: all of the missing versions, or none.
 * Processes that start together wait for each other.
 *
 * @param schema - Quoted already.
 * @throws MemoryError - `MEMORY_MIGRATION_FAILED` when the schema is newer than `migrations`, and when
 * one of them fails.
 */
export async function migrate(
  pool: PostgresPool,
  { schema, migrations }: { schema: string; migrations: readonly string[] },
): Promise<void> {
  await inTransaction(pool, async (queries) => {
    await queries.query(migrationLock)
    await queries.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
    await queries.query(
      `CREATE TABLE IF NOT EXISTS ${schema}.migrations (
        version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now()
      )`,
    )
    const { rows } = await queries.query(
      `SELECT coalesce(max(version), 0) AS version FROM ${schema}.migrations`,
    )
    const found = Number(rows[0]?.['version'] ?? 0)
    if (found > migrations.length) throw newerSchema(found, migrations.length)
    if (found === migrations.length) return { keep: true, result: undefined }
    await queries.query(`SET LOCAL search_path TO ${schema}`)
    for (const [index, statements] of migrations.entries()) {
      const version = index + 1
      if (version <= found) continue
      try {
        await queries.query(statements)
      } catch (cause) {
        throw new MemoryError(
          'MEMORY_MIGRATION_FAILED',
          `Version ${version} of the schema ${schema} could not be made, and nothing was changed. See cause, mend it and start again.`,
          { details: { version }, cause },
        )
      }
      await queries.query(`INSERT INTO ${schema}.migrations (version) VALUES (${version})`)
    }
    return { keep: true, result: undefined }
  })
}

function newerSchema(version: number, known: number): MemoryError {
  return new MemoryError(
    'MEMORY_MIGRATION_FAILED',
    `The schema has version ${version} and this package knows ${known}. Install the package that wrote it, or a newer one.`,
    { details: { version } },
  )
}
