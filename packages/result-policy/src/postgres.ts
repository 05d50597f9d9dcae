// The public surface of @symfonic/result-policy/postgres: whole results in a database that many processes share.

export type { PostgresConnection, PostgresPool, PostgresQueries } from './postgres/pool.ts'
export { createPostgresLedger, type PostgresLedgerOptions } from './postgres/postgres-ledger.ts'
export type { PlaceBounds } from './sql-ledger/stored-form.ts'
