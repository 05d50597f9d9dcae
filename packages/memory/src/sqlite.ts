// Memory in one SQLite file, through the database that Node brings along.

export { createSqliteStore, type SqliteStoreOptions } from './sqlite/store.ts'
