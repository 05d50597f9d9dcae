// The public surface of @symfonic/memory/postgres: memory in a PostgreSQL that many processes share.

export type {
  PostgresConnection,
  PostgresPool,
  PostgresQueries,
  PostgresRow,
} from './postgres/pool.ts'
export { createPostgresStore, type PostgresStoreOptions } from './postgres/postgres-store.ts'
