import { PGlite } from '@electric-sql/pglite'
import { createPgConfig } from '@electric-sql/pglite/node-postgres'
import { vector } from '@electric-sql/pglite-pgvector'
import { Pool } from 'pg'

/** A database for the tests of one file. */
export interface TestDatabase {
  readonly pool: Pool
  /** The name of a schema that nothing has used yet; dropped by `close`. */
  newSchema(): string
  close(): Promise<void>
}

/** Where a real server is, if there is one; what needs it is skipped elsewhere. */
export const serverUrl = process.env['SYMFONIC_TEST_POSTGRES_URL']

/** PostgreSQL within this process, with pgvector in it. */
export async function openPGlite(): Promise<TestDatabase> {
  const pglite = await PGlite.create({ extensions: { vector } })
  await pglite.query('CREATE EXTENSION vector')
  const database = describePool(new Pool({ ...createPgConfig(pglite), max: 1 }))
  return {
    ...database,
    async close() {
      await database.close()
      await pglite.close()
    },
  }
}

/** The real server. */
export function openServer(): TestDatabase {
  return describePool(new Pool({ connectionString: serverUrl, max: 4 }))
}

let lastSchema = 0

function describePool(pool: Pool): TestDatabase {
  const schemas: string[] = []
  return {
    pool,
    newSchema() {
      lastSchema += 1
      const schema = `memory_test_${process.pid}_${lastSchema}`
      schemas.push(schema)
      return schema
    },
    async close() {
      for (const schema of schemas) await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
      await pool.end()
    },
  }
}
