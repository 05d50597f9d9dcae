// The public surface of @symfonic/result-policy/testing: what any ledger has to hold.

export {
  describeLedger,
  type LedgerBehaviour,
  ledgerBehaviours,
  type LedgerSkip,
  type TestRunner,
} from './describe-ledger.ts'
