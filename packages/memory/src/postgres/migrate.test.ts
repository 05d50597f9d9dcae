import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { memoryLimits } from '../limits.ts'
import { here, idsOf, put, sample } from '../testing/sample.ts'
import { describeOnPostgres } from '../testing-fixtures/describe-on-postgres.ts'
import { termsVersion } from '../text/search-terms.ts'
import { migrate } from './migrate.ts'
import { migrateTerms } from './migrate-terms.ts'
import { migrations } from './migrations.ts'
import type { PostgresPool } from './pool.ts'
import { createPostgresStore } from './postgres-store.ts'

/** What was published, version by version. A change of one of these lines breaks databases that exist. */
const published = [
  '19baf35c4d9c5cd46c040794c9f2bd794d6e939c08e44cf9981999b661595bae',
  '59c1054253f4a28222762b428d6dd4c044f15506ad91df4973e25aa7a01e89c0',
]

const hashOf = (statements: string) => createHash('sha256').update(statements).digest('hex')

it('never edits a version that was published', () => {
  expect(migrations.map(hashOf)).toEqual(published)
})

describeOnPostgres('migrations', (database) => {
  const versionsOf = async (schema: string) => {
    const { rows } = await database.pool.query(
      `SELECT version FROM ${schema}.migrations ORDER BY version`,
    )
    return rows.map(({ version }) => Number(version))
  }

  it('lead from the first version to the newest, with everything that was written', async () => {
    const schema = database.newSchema()
    const { pool } = database
    await migrate(pool, { schema, migrations: migrations.slice(0, 1) })
    const insert = `INSERT INTO ${schema}.entries (partition, id, version, layer, content, importance,
        created_at, updated_at, occurred_at, recall_count, strength, source, place_index, terms, terms_length)
        VALUES ('t:acme/u:ann', 'old', 3, 'semantic', 'the first', 5, 1, 2, 3, 0, 0.5, 'author', 0, '', 1)`
    await pool.query(insert)
    const store = await createPostgresStore({ pool, schema })
    const kept = { id: 'old', version: 3, content: 'the first', createdAt: 1, occurredAt: 3 }
    expect(await store.get(here, ['old'])).toMatchObject([kept])
    expect(idsOf(await store.search(here, 'first', { limit: 5 }))).toEqual(['old'])
    await put(store, here, [sample('old'), sample('new')])
    expect(await store.get(here, ['old'])).toMatchObject([{ version: 4, createdAt: 1 }])
    expect(await versionsOf(schema)).toEqual(migrations.map((_, index) => index + 1))
  })

  it('add what is missing and leave the rest alone', async () => {
    const schema = database.newSchema()
    const { pool } = database
    const longer = [...migrations, 'ALTER TABLE entries ADD COLUMN mood text']
    await migrate(pool, { schema, migrations })
    await migrate(pool, { schema, migrations: longer })
    await migrate(pool, { schema, migrations: longer })
    await pool.query(`SELECT mood FROM ${schema}.entries`)
    expect(await versionsOf(schema)).toEqual(longer.map((_, index) => index + 1))
  })

  it('change nothing when one of them fails', async () => {
    const schema = database.newSchema()
    const { pool } = database
    const failing = [...migrations, 'CREATE TABLE more (id text)', 'ALTER TABLE nowhere ADD a text']
    await migrate(pool, { schema, migrations })
    await expect(migrate(pool, { schema, migrations: failing })).rejects.toMatchObject({
      code: 'MEMORY_MIGRATION_FAILED',
      details: { version: migrations.length + 2 },
    })
    expect(await versionsOf(schema)).toEqual(migrations.map((_, index) => index + 1))
    await expect(pool.query(`SELECT FROM ${schema}.more`)).rejects.toThrow('does not exist')
  })

  it('refuse a schema that is newer than they are', async () => {
    const schema = database.newSchema()
    const { pool } = database
    await migrate(pool, { schema, migrations })
    await pool.query(`INSERT INTO ${schema}.migrations (version) VALUES (99)`)
    await expect(createPostgresStore({ pool, schema })).rejects.toMatchObject({
      code: 'MEMORY_MIGRATION_FAILED',
      details: { version: 99 },
    })
  })

  /** Gives all entries a term that an earlier package may have written. */
  const spellOld = async (schema: string, version: number) => {
    await database.pool.query(`UPDATE ${schema}.entries SET terms = 'old', terms_length = 9`)
    await database.pool.query(
      `UPDATE ${schema}.terms_version SET version = $1, partition = NULL, id = NULL`,
      [version],
    )
  }

  it('index all entries anew when the terms are later ones, by many processes at once', async () => {
    const schema = database.newSchema()
    const { pool } = database
    const first = await createPostgresStore({ pool, schema })
    const many = Array.from({ length: 1_203 }, (_, at) =>
      sample(`e${at}`, { content: `word${at} sings`, context: 'quietly' }),
    )
    await put(first, here, many.slice(0, 1_000))
    await put(first, here, many.slice(1_000))
    const there = { tenantId: 'other' }
    await put(first, there, [sample('theirs', { content: 'a walnut' })])
    const terms = `SELECT partition, id, version, terms::text AS terms, terms_length
        FROM ${schema}.entries ORDER BY partition, id`
    const { rows: before } = await pool.query(terms)
    await spellOld(schema, termsVersion - 1)
    await Promise.all(Array.from({ length: 3 }, () => createPostgresStore({ pool, schema })))
    expect((await pool.query(terms)).rows).toEqual(before)
    const store = await createPostgresStore({ pool, schema })
    expect(idsOf(await store.search(here, 'word777', { limit: 5 }))).toEqual(['e777'])
    expect(idsOf(await store.search(there, 'walnuts', { limit: 5 }))).toEqual(['theirs'])
  })

  it('index long entries anew in pages that fit into memory', async () => {
    const schema = database.newSchema()
    const { pool } = database
    const store = await createPostgresStore({ pool, schema })
    const long = 'o'.repeat(memoryLimits.contentChars - 8)
    const many = Array.from({ length: 100 }, (_, at) =>
      sample(`e${at}`, { content: `word${at} ${long}` }),
    )
    await put(store, here, many)
    await spellOld(schema, termsVersion - 1)
    const pages: number[] = []
    const watched: PostgresPool = {
      query: (...given) => pool.query(...given),
      async connect() {
        const connection = await pool.connect()
        return {
          release: (error) => connection.release(error),
          async query(...given) {
            const answer = await connection.query(...given)
            if ('content' in (answer.rows[0] ?? {})) pages.push(answer.rows.length)
            return answer
          },
        }
      },
    }
    await migrateTerms(watched, { schema, version: termsVersion })
    expect(Math.max(...pages)).toBeLessThan(40)
    expect(pages.reduce((sum, each) => sum + each, 0)).toBe(100)
    for (const at of [0, 30, 31, 99]) {
      expect(idsOf(await store.search(here, `word${at}`, { limit: 5 }))).toEqual([`e${at}`])
    }
  })

  it('go on where an earlier process was cut short, and leave alone what is indexed', async () => {
    const schema = database.newSchema()
    const { pool } = database
    const store = await createPostgresStore({ pool, schema })
    await put(store, here, [sample('a'), sample('b'), sample('c')])
    await spellOld(schema, termsVersion)
    await pool.query(`UPDATE ${schema}.terms_version SET partition = 't:acme/u:ann', id = 'b'`)
    for (let round = 0; round < 2; round += 1) {
      await createPostgresStore({ pool, schema })
      expect(idsOf(await store.search(here, 'says', { limit: 5 }))).toEqual(['c'])
    }
  })

  it('refuse terms that are later than they are', async () => {
    const schema = database.newSchema()
    const { pool } = database
    await createPostgresStore({ pool, schema })
    await spellOld(schema, termsVersion + 1)
    await expect(createPostgresStore({ pool, schema })).rejects.toMatchObject({
      code: 'MEMORY_MIGRATION_FAILED',
      details: { version: termsVersion + 1 },
    })
  })

  it('run once when many processes start together', async () => {
    const schema = database.newSchema()
    const { pool } = database
    await Promise.all(Array.from({ length: 6 }, () => createPostgresStore({ pool, schema })))
    expect(await versionsOf(schema)).toEqual(migrations.map((_, index) => index + 1))
  })
})
