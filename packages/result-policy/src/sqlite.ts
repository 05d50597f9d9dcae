// The public surface of @symfonic/result-policy/sqlite: whole results in a file.

export type { PlaceBounds } from './sql-ledger/stored-form.ts'
export {
  createSqliteLedger,
  type SqliteLedger,
  type SqliteLedgerOptions,
} from './sqlite/sqlite-ledger.ts'
