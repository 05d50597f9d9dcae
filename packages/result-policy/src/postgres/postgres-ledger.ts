import { ResultPolicyError } from '../errors.ts'
import type { Ledger, LedgerPlace, RecordedResult } from '../ledger.ts'
import { chooseNew } from '../sql-ledger/choose-new.ts'
import {
  checkBounds,
  type PlaceBounds,
  placeKey,
  placeName,
  readStored,
  storedId,
  storedText,
} from '../sql-ledger/stored-form.ts'
import { migrations } from './migrations.ts'
import { inTransaction, type PostgresPool } from './pool.ts'

/** How a ledger in PostgreSQL is opened. */
export interface PostgresLedgerOptions extends PlaceBounds {
  /** A `Pool` of `pg`, or anything like it. It stays the caller's. */
  readonly pool: PostgresPool
  /** The schema that holds the tables, made when it is missing. `symfonic_results` by default. */
  readonly schema?: string | undefined
}

/** Names the lock under which one process migrates and others wait. Any constant does. */
const lockId = 727_066_002

/**
 * A ledger in PostgreSQL 13 or newer, shared by any number of processes. It makes and migrates its own
 * schema. Removed rows are overwritten by the server's vacuum, not at once.
 *
 * @throws ResultPolicyError `RESULT_OPTION_INVALID` for a pool, a schema or a bound that is none, and for a
 * schema that a newer version of this package wrote. Rejects with the driver's error when the
 * server cannot be reached.
 * @see DESIGN decisions 11, 12
 */
export async function createPostgresLedger(options: PostgresLedgerOptions): Promise<Ledger> {
  const bounds = checkBounds(options)
  const { pool, schema: name = 'symfonic_results' } = options
  if (typeof pool?.query !== 'function' || typeof pool.connect !== 'function') {
    throw wrongOption('pool', 'There is no pool of connections. Pass a Pool of pg.')
  }
  if (typeof name !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]{0,62}$/u.test(name)) {
    const what = 'The schema is no plain name. Use up to 63 letters, digits and underscores.'
    throw wrongOption('schema', what)
  }
  const schema = `"${name}"`
  await migrate(pool, schema)

  return Object.freeze({
    async record(place: LedgerPlace, results: readonly RecordedResult[]) {
      if (results.length === 0) return []
      const key = await placeKey(place)
      return inTransaction(pool, async (queries) => {
        // Locks the place, so that what is counted stays true until the end.
        const locked = await queries.query(
          `INSERT INTO ${schema}.places AS place (place, name, results, chars) VALUES ($1, $2, 0, 0)
          ON CONFLICT (place) DO UPDATE SET results = place.results RETURNING results, chars`,
          [key, placeName(place)],
        )
        const [row] = locked.rows
        const totals = { results: Number(row?.['results']), chars: Number(row?.['chars']) }
        const known = await queries.query(
          `SELECT id FROM ${schema}.results WHERE place = $1 AND id = ANY($2::text[])`,
          [key, results.map(({ id }) => storedId(id))],
        )
        const there = known.rows.map(({ id }) => String(id))
        const choice = chooseNew(results, { totals, there, bounds })
        if (choice.added.length > 0) {
          await queries.query(
            `INSERT INTO ${schema}.results (place, id, stored)
            SELECT $1, * FROM unnest($2::text[], $3::text[])`,
            [key, choice.added.map(({ id }) => storedId(id)), choice.added.map(storedText)],
          )
          await queries.query(
            `UPDATE ${schema}.places SET results = $2, chars = $3 WHERE place = $1`,
            [key, choice.totals.results, choice.totals.chars],
          )
        }
        return choice.outcomes
      })
    },
    async fetch(place: LedgerPlace, id: string) {
      const { rows } = await pool.query(
        `SELECT stored FROM ${schema}.results WHERE place = $1 AND id = $2`,
        [await placeKey(place), storedId(id)],
      )
      return rows[0] === undefined ? undefined : readStored(id, rows[0]['stored'])
    },
    async count(place: LedgerPlace) {
      const { rows } = await pool.query(`SELECT results FROM ${schema}.places WHERE place = $1`, [
        await placeKey(place),
      ])
      return Number(rows[0]?.['results'] ?? 0)
    },
    async release(place: LedgerPlace) {
      await pool.query(`DELETE FROM ${schema}.places WHERE place = $1`, [await placeKey(place)])
    },
  })
}

/** Brings the schema up to date, in one transaction. Processes that start together wait for each other. */
async function migrate(pool: PostgresPool, schema: string): Promise<void> {
  await inTransaction(pool, async (queries) => {
    await queries.query(`SELECT pg_advisory_xact_lock(${lockId})`)
    await queries.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
    await queries.query(
      `CREATE TABLE IF NOT EXISTS ${schema}.migrations (
        version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now()
      )`,
    )
    const { rows } = await queries.query(
      `SELECT coalesce(max(version), 0) AS version FROM ${schema}.migrations`,
    )
    const found = Number(rows[0]?.['version'])
    if (found > migrations.length) {
      throw wrongOption(
        'schema',
        `The schema has version ${found} and this package knows ${migrations.length}. Install the package that wrote it, or a newer one.`,
      )
    }
    await queries.query(`SET LOCAL search_path TO ${schema}`)
    for (const [index, statements] of migrations.entries()) {
      if (index < found) continue
      await queries.query(statements)
      await queries.query(`INSERT INTO ${schema}.migrations (version) VALUES (${index + 1})`)
    }
  })
}

function wrongOption(option: string, message: string): ResultPolicyError {
  return new ResultPolicyError('RESULT_OPTION_INVALID', message, { details: { option } })
}
