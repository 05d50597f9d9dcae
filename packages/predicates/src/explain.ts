import { compiledForm } from './evaluate.ts'
import { MISSING } from './key-sites.ts'
import type { PredicateOperator } from './operators.ts'
import type { Precondition, StatePredicate } from './precondition.ts'
import { readPath } from './read-path.ts'

/** One predicate, what it expected, what it saw, and its verdict. @see PRED-26 */
export interface PredicateExplanation {
  readonly path: string
  readonly op: PredicateOperator
  /** The frozen expected value; `undefined` for `exists`. */
  readonly expected: unknown
  /** The live value in the state, not a copy; `undefined` when not found. */
  readonly seen: unknown
  /** False when the path did not resolve or threw while it was read. */
  readonly found: boolean
  readonly holds: boolean
}

/**
 * Asks one predicate of a state and shows the work. `holds` is what `evaluatePredicate` answers.
 *
 * @throws PredicateError - As `evaluatePredicate`.
 * @see PRED-26
 */
export function explainPredicate(predicate: StatePredicate, state: unknown): PredicateExplanation {
  const { path, test } = compiledForm(predicate)
  let seen: unknown = MISSING
  let holds = false
  try {
    seen = readPath(path, state)
    holds = seen !== MISSING && test(seen)
  } catch {
    // As in evaluatePredicate: what cannot be read does not hold.
  }
  const found = seen !== MISSING
  return {
    path: predicate.path,
    op: predicate.op,
    expected: predicate.value,
    seen: found ? seen : undefined,
    found,
    holds,
  }
}

/**
 * Explains every state predicate of a precondition, in the author's order, also those after the
 * first that fails.
 *
 * @throws PredicateError - As `evaluatePredicate`.
 */
export function explainPrecondition(
  precondition: Precondition,
  state: unknown,
): readonly PredicateExplanation[] {
  return precondition.predicates.map((predicate) => explainPredicate(predicate, state))
}
