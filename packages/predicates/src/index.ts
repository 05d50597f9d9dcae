// The public surface of @symfonic/predicates. A name added here is a promise. The zod schema is
// kept out, at @symfonic/predicates/zod, so that this entry imports no other package.

// Writing preconditions
export {
  type Precondition,
  type PreconditionEntry,
  type PreconditionSource,
  parsePrecondition,
  type StatePredicate,
  type StatePredicateSource,
} from './precondition.ts'
export type { PredicateOperator } from './operators.ts'
export { predicateLimits } from './limits.ts'

// Asking them
export { evaluatePrecondition, evaluatePredicate } from './evaluate.ts'
export { type Dropped, filterByState } from './filter.ts'

// Finding out why
export { explainPrecondition, explainPredicate, type PredicateExplanation } from './explain.ts'
export { describeDrop } from './describe.ts'
export { pathKeys, type Resolution, resolvePath } from './path.ts'
export type { SegmentKeys } from './key-sites.ts'

// When one is malformed
export { PredicateError, type PredicateErrorCode } from './errors.ts'
