import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { cosine } from '../cosine.ts'
import { MemoryError } from '../errors.ts'
import { loadVectorExtension } from './vector-extension.ts'

/** A database that is open and speaks in typed errors. */
export interface Database {
  /** Whether similarities are computed by sqlite-vec. */
  readonly hasVectorExtension: boolean
  all(sql: string, ...values: readonly SQLInputValue[]): Row[]
  get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined
  /** Adds a row and gives its number; undefined when the statement let it be. */
  insert(sql: string, ...values: readonly SQLInputValue[]): number | undefined
  /** How many rows it changed. */
  run(sql: string, ...values: readonly SQLInputValue[]): number
  /** Runs work in one transaction, which a throw undoes. Readers go on, other writers wait. */
  transaction<Result>(work: () => Result): Result
  close(): void
}

/** A row by column name. */
export type Row = Record<string, unknown>

/** Statements that are kept prepared. Filters combine to more texts than are worth keeping. */
const preparedStatements = 200

/** How a database is connected to. */
export interface ConnectOptions {
  /** How long a writer waits for another one, in milliseconds. */
  readonly busyTimeoutMs: number
  /** Whether sqlite-vec is loaded where it is installed; it is not by default. */
  readonly loadsVectorExtension?: boolean
}

/**
 * Opens or creates a database file, or one in memory for `:memory:`, whatever its schema.
 *
 * @throws MemoryError - `MEMORY_STORE_FAILED` when it cannot be opened.
 */
export function connectDatabase(
  path: string,
  { busyTimeoutMs, loadsVectorExtension = false }: ConnectOptions,
): Database {
  const connection = guarded(() => {
    const opened = new DatabaseSync(path, {
      allowExtension: loadsVectorExtension,
      timeout: busyTimeoutMs,
    })
    // Removed text is overwritten. A crash of the process loses nothing; one of the machine, at most
    // the last writes, and never half of one.
    opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON')
    return opened
  })
  const hasVectorExtension = addCosine(connection, loadsVectorExtension)
  const prepared = new Map<string, StatementSync>()
  let isClosed = false

  const prepare = (sql: string): StatementSync => {
    if (isClosed) {
      throw new MemoryError('MEMORY_STORE_CLOSED', 'The store was closed. Create another one.')
    }
    const known = prepared.get(sql)
    if (known !== undefined) return known
    if (prepared.size >= preparedStatements) prepared.clear()
    const made = connection.prepare(sql)
    prepared.set(sql, made)
    return made
  }

  const database: Database = {
    hasVectorExtension,
    all: (sql, ...values) => guarded(() => prepare(sql).all(...values)),
    get: (sql, ...values) => guarded(() => prepare(sql).get(...values)),
    insert: (sql, ...values) =>
      guarded(() => {
        const { changes, lastInsertRowid } = prepare(sql).run(...values)
        return Number(changes) === 0 ? undefined : Number(lastInsertRowid)
      }),
    run: (sql, ...values) => guarded(() => Number(prepare(sql).run(...values).changes)),
    transaction(work) {
      database.run('BEGIN IMMEDIATE')
      try {
        const result = work()
        database.run('COMMIT')
        return result
      } catch (thrown) {
        // Some failures, such as a full disk, have ended it already.
        if (connection.isTransaction) database.run('ROLLBACK')
        throw thrown
      }
    },
    close() {
      if (isClosed) return
      isClosed = true
      prepared.clear()
      guarded(() => connection.close())
    },
  }

  return database
}

/** Makes similarities computable: by sqlite-vec where it can be loaded, else by `memory_cosine` of our own. */
function addCosine(connection: DatabaseSync, loadsExtension: boolean): boolean {
  if (loadsExtension && loadVectorExtension(connection)) return true
  connection.function('memory_cosine', { deterministic: true }, (one, other) => {
    if (!(one instanceof Uint8Array && other instanceof Uint8Array)) return null
    return cosine(vectorOf(one), vectorOf(other)) ?? null
  })
  return false
}

/** The numbers of a stored embedding, in a copy. */
export function vectorOf(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer)
}

/** An embedding as it is stored: the bytes of its numbers. */
export function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

function guarded<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof MemoryError) throw cause
    const what = cause instanceof Error ? cause.message : 'unknown'
    throw new MemoryError(
      'MEMORY_STORE_FAILED',
      `SQLite refused: ${what}. Check the path, the disk, and who else writes to the file.`,
      { cause },
    )
  }
}
