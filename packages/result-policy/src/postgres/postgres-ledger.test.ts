import { PGlite } from '@electric-sql/pglite'
import { createPgConfig } from '@electric-sql/pglite/node-postgres'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RecordedResult } from '../ledger.ts'
import { describeLedger } from '../testing/describe-ledger.ts'
import { createPostgresLedger } from './postgres-ledger.ts'

const serverUrl = process.env['SYMFONIC_TEST_POSTGRES_URL']
const place = { scopeKey: 'tenant-a', thread: 'thread-1' }
const result: RecordedResult = {
  id: 'r_1',
  toolCallId: 'c',
  toolName: 't',
  isError: false,
  text: 'whole',
}

const databases = [
  {
    name: 'of PGlite',
    isThere: true,
    async open() {
      const pglite = await PGlite.create()
      const pool = new Pool({ ...createPgConfig(pglite), max: 1 })
      return { pool, close: () => pool.end().then(() => pglite.close()) }
    },
  },
  {
    name: 'of a PostgreSQL server',
    isThere: serverUrl !== undefined,
    async open() {
      const pool = new Pool({ connectionString: serverUrl, max: 8 })
      return { pool, close: () => pool.end() }
    },
  },
]

for (const { name, isThere, open } of databases) {
  describe.skipIf(!isThere)(`a ledger ${name}`, () => {
    const schemas: string[] = []
    let database: Awaited<ReturnType<typeof open>>

    beforeAll(async () => {
      database = await open()
    }, 120_000)
    afterAll(async () => {
      for (const schema of schemas)
        await database.pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
      await database.close()
    })

    const newSchema = (): string => {
      const schema = `ledger_test_${process.pid}_${schemas.length}`
      schemas.push(schema)
      return schema
    }
    const create = (options: { schema?: string; maxResultsPerPlace?: number } = {}) =>
      createPostgresLedger({ schema: newSchema(), ...options, pool: database.pool })

    describeLedger(name, () => create(), { runner: { describe, it } })

    it('is shared by all that use the schema', async () => {
      const schema = newSchema()
      const [one, other] = await Promise.all([create({ schema }), create({ schema })])
      await one.record(place, [result])
      expect(await other.fetch(place, 'r_1')).toEqual(result)
      await other.release(place)
      expect(await one.count(place)).toBe(0)
    })

    it('counts right when many record at the same place at once, and keeps to the bound', async () => {
      const ledger = await create({ maxResultsPerPlace: 30 })
      const outcomes = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          ledger.record(place, [{ ...result, id: `r_${index % 40}` }]),
        ),
      )
      expect(await ledger.count(place)).toBe(30)
      expect(outcomes.flat().filter(({ stored }) => !stored).length).toBeGreaterThanOrEqual(10)
    })

    it('keeps places and texts that no text column would take', async () => {
      const ledger = await create()
      const odd = ['a\u0000b', '\ud800', '\udfff', 'x'.repeat(10_000)]
      for (const scopeKey of odd) {
        const text = `\ud83d of ${scopeKey}`
        await ledger.record({ scopeKey, thread: 't' }, [{ ...result, text }])
      }
      for (const scopeKey of odd) {
        const found = await ledger.fetch({ scopeKey, thread: 't' }, 'r_1')
        expect(found?.text).toBe(`\ud83d of ${scopeKey}`)
      }
    })

    it('leaves a schema alone that a newer version wrote', async () => {
      const schema = newSchema()
      await create({ schema })
      await database.pool.query(`INSERT INTO ${schema}.migrations (version) VALUES (99)`)
      await expect(create({ schema })).rejects.toMatchObject({ code: 'RESULT_OPTION_INVALID' })
    })

    it.each(['', 'a b', 'x"; DROP SCHEMA public; --', 'ä', 'x'.repeat(64)])(
      'refuses a schema called "%s"',
      async (schema) => {
        const refused = createPostgresLedger({ pool: database.pool, schema })
        await expect(refused).rejects.toMatchObject({ code: 'RESULT_OPTION_INVALID' })
      },
    )
  })
}

it('refuses what is no pool', async () => {
  // @ts-expect-error A pool has connections.
  const refused = createPostgresLedger({ pool: {} })
  await expect(refused).rejects.toMatchObject({ code: 'RESULT_OPTION_INVALID' })
})
