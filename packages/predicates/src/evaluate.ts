import { PredicateError } from './errors.ts'
import { MISSING } from './key-sites.ts'
import {
  type CompiledPredicate,
  compiled,
  type Precondition,
  type StatePredicate,
} from './precondition.ts'
import { readPath } from './read-path.ts'

/**
 * Asks one predicate of a state.
 *
 * A path that does not resolve fails every operator, `neq` included (PRED-21). So does a state
 * that throws while it is read: what cannot be read does not hold. Allocates nothing.
 *
 * @param state - Any value; a state that is not a plain record resolves no path.
 * @throws PredicateError - `PREDICATE_NOT_PARSED` when the predicate was not made by `parsePrecondition`.
 * @see PRED-09 to PRED-13, PRED-20, PRED-21
 */
export function evaluatePredicate(predicate: StatePredicate, state: unknown): boolean {
  const { path, test, passing } = compiledForm(predicate)
  try {
    const seen = readPath(path, state)
    return seen !== MISSING && (seen === passing || test(seen))
  } catch {
    return false
  }
}

/**
 * Asks every state predicate of a precondition; true when all hold, and when there are none.
 * Required tools are not looked at: they are another channel (PRED-25). Allocates nothing.
 *
 * @throws PredicateError - As `evaluatePredicate`.
 * @see PRED-06
 */
export function evaluatePrecondition(precondition: Precondition, state: unknown): boolean {
  const { predicates } = precondition
  for (let index = 0; index < predicates.length; index += 1) {
    if (!evaluatePredicate(predicates[index] as StatePredicate, state)) return false
  }
  return true
}

/** The prepared form of a predicate, or the error that says it has none. */
export function compiledForm(predicate: StatePredicate): CompiledPredicate {
  // A caller without types may hand over the source, or a copy that went through JSON.
  const form: CompiledPredicate | undefined = predicate?.[compiled]
  if (form !== undefined) return form
  throw new PredicateError(
    'PREDICATE_NOT_PARSED',
    'A predicate was evaluated that parsePrecondition did not make. Parse its source first; a copy of a parsed predicate is a source, too.',
  )
}
