/** What is needed of `pg`: its `Pool` fits, and so does anything that behaves like it. */
export interface PostgresPool extends PostgresQueries {
  /** A connection of one's own, until `release`. */
  connect(): Promise<PostgresConnection>
}

/** Runs one statement, with `$1`, `$2`, … for the values. */
export interface PostgresQueries {
  // biome-ignore lint/suspicious/noExplicitAny: pg types its rows so, and a narrower type would refuse its Pool.
  query(text: string, values?: unknown[]): Promise<{ readonly rows: Record<string, any>[] }>
}

/** A connection taken from a pool. */
export interface PostgresConnection extends PostgresQueries {
  /** Gives it back; with an error, it is not to be used again. */
  release(error?: Error | boolean): void
}

/** Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. */
export async function inTransaction<Result>(
  pool: PostgresPool,
  work: (queries: PostgresQueries) => Promise<Result>,
): Promise<Result> {
  const connection = await pool.connect()
  let isBroken = false
  try {
    await connection.query('BEGIN')
    const result = await work(connection)
    await connection.query('COMMIT')
    return result
  } catch (thrown) {
    await connection.query('ROLLBACK').catch(() => {
      isBroken = true
    })
    throw thrown
  } finally {
    connection.release(isBroken)
  }
}
