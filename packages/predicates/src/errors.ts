/**
 * Why a precondition, a path or a predicate was refused. Every code that can point at a place in
 * the source carries `details.index` (position of the entry in the list, absent for a bare string)
 * and `details.keyPath` (keys from the entry to the offending value, such as `['state', 'op']`).
 * Where a value is at fault, `details.value` holds a short, safe description of it, never the value.
 *
 * @see OPEN-PRED-11
 */
export type PredicateErrorCode =
  /** The precondition is neither absent, nor a string, nor a list. A single object is refused too. */
  | 'PREDICATE_SHAPE'
  /** A list entry is not a string, `{ tool }` or `{ state }`, or it is two of them at once. */
  | 'PREDICATE_ENTRY_SHAPE'
  /** An entry or its `state` has a key the grammar does not know. `details.key` names it. */
  | 'PREDICATE_UNKNOWN_KEY'
  /** A tool name is not a string, is blank, is padded with white space or holds control characters. */
  | 'PREDICATE_TOOL_NAME'
  /** A state predicate has no `path`. */
  | 'PREDICATE_PATH_REQUIRED'
  /** A path is not a string, is empty, or has an empty or padded segment. `details.segment` counts from 0. */
  | 'PREDICATE_PATH_INVALID'
  /** A state predicate has no `op`. */
  | 'PREDICATE_OPERATOR_REQUIRED'
  /** The operator is not one of the four. `details.operator` describes it. */
  | 'PREDICATE_UNKNOWN_OPERATOR'
  /** `eq`, `neq` or `in` came without a `value`. `details.operator` names it. */
  | 'PREDICATE_VALUE_REQUIRED'
  /** `in` was given something other than a list. `details.value` describes it. */
  | 'PREDICATE_LIST_REQUIRED'
  /** A `value` holds something JSON cannot say: a function, `NaN`, a cycle, a class instance. */
  | 'PREDICATE_NOT_JSON'
  /** A `value` or a path is nested deeper than allowed. `details.limit` holds the bound. */
  | 'PREDICATE_TOO_DEEP'
  /** A list, a path, a name or a `value` is larger than allowed. `details.limit` holds the bound. */
  | 'PREDICATE_TOO_LARGE'
  /** The source threw while it was being read: a getter or a proxy trap. `cause` holds what it threw. */
  | 'PREDICATE_UNREADABLE'
  /** An evaluating function was handed an object that `parsePrecondition` did not make. */
  | 'PREDICATE_NOT_PARSED'

const brand = Symbol.for('symfonic.error')

/**
 * The one error this package throws. It is about the writing of a rule, never about the state a
 * rule is asked of: a state that does not match is an answer, not an error.
 */
export class PredicateError extends Error {
  override readonly name = 'PredicateError'
  readonly code: PredicateErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: PredicateErrorCode,
    message: string,
    about: { details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, 'cause' in about ? { cause: about.cause } : undefined)
    this.code = code
    this.details = Object.freeze({ ...about.details })
    Object.defineProperty(this, brand, { value: true })
  }
}
