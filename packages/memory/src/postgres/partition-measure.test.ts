import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  openPGlite,
  openServer,
  serverUrl,
  type TestDatabase,
} from '../testing-fixtures/postgres-databases.ts'
import { createPartitionMeasures } from './partition-measure.ts'
import { createPostgresStore } from './postgres-store.ts'

const databases = [
  { name: 'PGlite', isThere: true, open: openPGlite },
  { name: 'a PostgreSQL server', isThere: serverUrl !== undefined, open: openServer },
]

for (const { name, isThere, open } of databases) {
  describe.skipIf(!isThere)(`createPartitionMeasures on ${name}`, () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await open()
    }, 120_000)
    afterAll(() => database.close())

    /** An empty table, and how it is filled: each entry has `all`, every fourth `some`, every fiftieth `few`. */
    const openTable = async () => {
      const schema = database.newSchema()
      await createPostgresStore({ pool: database.pool, schema })
      const fill = (partition: string, from: number, to: number) =>
        database.pool.query(
          `INSERT INTO ${schema}.entries (partition, id, version, layer, content, importance,
            created_at, updated_at, occurred_at, recall_count, strength, source, place_index,
            terms, terms_length)
          SELECT $1, 'e' || index, 1, 'semantic', '', 5, 0, 0, 0, 0, 1, 'turn', 0, array_to_tsvector(
            CASE WHEN index % 50 = 0 THEN '{all,some,few}'::text[]
              WHEN index % 4 = 0 THEN '{all,some}' ELSE '{all}' END), 1 + index % 3
          FROM generate_series($2::integer, $3::integer) AS index`,
          [partition, from, to],
        )
      let statements = 0
      const queries = {
        query: (text: string, values?: unknown[]) => {
          statements += 1
          return database.pool.query(text, values)
        },
      }
      const measureOf = createPartitionMeasures(queries, `${schema}.entries`)
      return { fill, measureOf, statements: () => statements }
    }

    it('knows the common terms of a large partition, and nothing of its neighbour', async () => {
      const { fill, measureOf } = await openTable()
      await fill('large', 1, 12_000)
      await fill('small', 1, 9_000)
      const large = await measureOf('large')
      expect(large.entries).toBe(12_000)
      expect(large.averageLength).toBeCloseTo(2, 1)
      expect([...large.common.keys()]).toEqual(['all', 'some'])
      expect(large.common.get('all')).toBe(1)
      expect(large.common.get('some')).toBeCloseTo(0.26, 1)
      const small = await measureOf('small')
      expect(small).toEqual({ entries: 9_000, averageLength: 2, common: new Map() })
    })

    it('takes an empty partition for one whose entries are of length 1', async () => {
      const { measureOf } = await openTable()
      expect(await measureOf('none')).toEqual({ entries: 0, averageLength: 1, common: new Map() })
    })

    it('measures a partition again after a hundred searches', async () => {
      const { fill, measureOf, statements } = await openTable()
      await fill('growing', 1, 10)
      await measureOf('growing')
      const once = statements()
      await fill('growing', 11, 30)
      for (let search = 2; search <= 100; search += 1) {
        expect((await measureOf('growing')).entries).toBe(10)
      }
      expect(statements()).toBe(once)
      expect((await measureOf('growing')).entries).toBe(30)
    })
  })
}
