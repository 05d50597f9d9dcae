import { DatabaseSync } from 'node:sqlite'
import { ResultPolicyError } from '../errors.ts'
import type { Ledger, LedgerPlace, RecordedResult, RecordOutcome } from '../ledger.ts'
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

/** How a ledger in SQLite is opened. */
export interface SqliteLedgerOptions extends PlaceBounds {
  /** The file, made when it is missing, or `:memory:`. */
  readonly path: string
  /** How long to wait for another process that writes, in milliseconds. Default 5,000. */
  readonly busyTimeoutMs?: number | undefined
}

/** A ledger that holds a file open. */
export interface SqliteLedger extends Ledger {
  /** Closes the file. Every other method rejects from then on; calling it again does nothing. */
  close(): void
}

/**
 * A ledger in a SQLite file (`node:sqlite`), which several processes may share: what is recorded can be
 * read again after a restart. What a method answers is on the disk.
 *
 * @throws ResultPolicyError `RESULT_OPTION_INVALID` for a bound or a path that is none, and for a file
 * that a newer version of this package wrote.
 * @see DESIGN decision 11
 */
export function createSqliteLedger(options: SqliteLedgerOptions): SqliteLedger {
  const bounds = checkBounds(options)
  const { path, busyTimeoutMs = 5_000 } = options
  if (typeof path !== 'string' || path === '') {
    throw wrongOption('path', 'There is no path. Give the path of a file, or ":memory:".')
  }
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs })
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON')
    migrate(database)
  } catch (thrown) {
    database.close()
    throw thrown
  }
  const totalsOf = database.prepare('SELECT results, chars FROM places WHERE place = ?')
  const setTotals = database.prepare(
    `INSERT INTO places (place, name, results, chars) VALUES (?, ?, ?, ?)
    ON CONFLICT (place) DO UPDATE SET results = excluded.results, chars = excluded.chars`,
  )
  const textOf = database.prepare('SELECT stored FROM results WHERE place = ? AND id = ?')
  const add = database.prepare('INSERT INTO results (place, id, stored) VALUES (?, ?, ?)')
  const removeResults = database.prepare('DELETE FROM results WHERE place = ?')
  const removePlace = database.prepare('DELETE FROM places WHERE place = ?')

  const record = (key: string, name: string, results: readonly RecordedResult[]) =>
    inTransaction(database, (): readonly RecordOutcome[] => {
      const row = totalsOf.get(key)
      const totals = { results: Number(row?.['results'] ?? 0), chars: Number(row?.['chars'] ?? 0) }
      const ids = results.map(({ id }) => storedId(id))
      const there = ids.filter((id) => textOf.get(key, id) !== undefined)
      const choice = chooseNew(results, { totals, there, bounds })
      if (choice.added.length > 0) {
        for (const result of choice.added) add.run(key, storedId(result.id), storedText(result))
        setTotals.run(key, name, choice.totals.results, choice.totals.chars)
      }
      return choice.outcomes
    })

  return Object.freeze({
    async record(place: LedgerPlace, results: readonly RecordedResult[]) {
      return record(await placeKey(place), placeName(place), results)
    },
    async fetch(place: LedgerPlace, id: string) {
      const stored = textOf.get(await placeKey(place), storedId(id))?.['stored']
      return typeof stored === 'string' ? readStored(id, stored) : undefined
    },
    async count(place: LedgerPlace) {
      return Number(totalsOf.get(await placeKey(place))?.['results'] ?? 0)
    },
    async release(place: LedgerPlace) {
      const key = await placeKey(place)
      inTransaction(database, () => {
        removeResults.run(key)
        removePlace.run(key)
      })
    },
    close() {
      if (database.isOpen) database.close()
    },
  })
}

function migrate(database: DatabaseSync): void {
  inTransaction(database, () => {
    const found = Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
    if (found > migrations.length) {
      throw wrongOption(
        'path',
        `The file has version ${found} and this package knows ${migrations.length}. Install the package that wrote it, or a newer one.`,
      )
    }
    for (const statements of migrations.slice(found)) database.exec(statements)
    database.exec(`PRAGMA user_version = ${migrations.length}`)
  })
}

/** Takes the right to write first, so that what is read within stays true until the end. */
function inTransaction<Result>(database: DatabaseSync, work: () => Result): Result {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw thrown
  }
}

function wrongOption(option: string, message: string): ResultPolicyError {
  return new ResultPolicyError('RESULT_OPTION_INVALID', message, { details: { option } })
}
