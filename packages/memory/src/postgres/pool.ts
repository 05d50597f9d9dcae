import { MemoryError } from '../errors.ts'

/** What is needed of `pg`: its `Pool` fits, and so does anything that behaves like it. */
export interface PostgresPool extends PostgresQueries {
  /** A connection of one's own, until `release`. */
  connect(): Promise<PostgresConnection>
}

/** Runs one statement, with `$1`, `$2`, … for the values. */
export interface PostgresQueries {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: PostgresRow[] }>
}

/** A connection taken from a pool. */
export interface PostgresConnection extends PostgresQueries {
  /** Gives it back; with an error, it is not to be used again. */
  release(error?: Error | boolean): void
}

/** One row, by column. Whether a bigint arrives as text or as a number is the driver's choice. */
// biome-ignore lint/suspicious/noExplicitAny: pg types its rows so, and a narrower type would refuse its Pool.
export type PostgresRow = Record<string, any>

/** How often a transaction is tried that lost a race inside the database. */
const attempts = 5

/** Deadlock, failure to serialize, a key that came to be meanwhile: all is undone and may be tried again. */
const lostRaces: readonly unknown[] = ['40P01', '40001', '23505']

/**
 * Runs `work` in one transaction: committed when it resolves with `keep`, else rolled back. Tried again,
 * whole, where the database undid it for what somebody else did.
 */
export async function inTransaction<Result>(
  pool: PostgresPool,
  work: (queries: PostgresQueries) => Promise<{ keep: boolean; result: Result }>,
): Promise<Result> {
  return retryLostRaces(async () => {
    const connection = await pool.connect()
    let broken: Error | undefined
    try {
      await connection.query('BEGIN')
      const { keep, result } = await work(connection)
      await connection.query(keep ? 'COMMIT' : 'ROLLBACK')
      return result
    } catch (thrown) {
      await connection.query('ROLLBACK').catch((cause: unknown) => {
        broken = cause instanceof Error ? cause : new Error(String(cause))
      })
      throw thrown
    } finally {
      connection.release(broken)
    }
  })
}

/** Runs `work` again while the database says that it was undone for what somebody else did. */
export async function retryLostRaces<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (thrown) {
      if (attempt >= attempts || !lostRaces.includes(codeOf(thrown))) throw thrown
    }
  }
}

/** Runs `work` and turns what the driver throws into a `MEMORY_STORE_FAILED`. */
export async function asStoreFailure<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof MemoryError) throw cause
    const what = cause instanceof Error ? cause.message : 'the driver threw no error'
    throw new MemoryError(
      'MEMORY_STORE_FAILED',
      `PostgreSQL could not do it: ${what}. See cause; nothing was changed unless the connection was lost at the end of a write.`,
      { cause },
    )
  }
}

function codeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'code') : undefined
}
