import { evaluatePredicate } from './evaluate.ts'
import { explainPredicate, type PredicateExplanation } from './explain.ts'
import type { Precondition, StatePredicate } from './precondition.ts'

/** An item that did not survive, and the first of its predicates that failed. @see OPEN-PRE-3 */
export interface Dropped<Item> {
  readonly item: Item
  readonly explanation: PredicateExplanation
}

/**
 * Keeps the items whose state predicates all hold, in the order given. Tools that a precondition
 * requires do not matter here (PRED-25).
 *
 * @param options.preconditionOf - The parsed precondition of an item.
 * @param options.onDrop - Told once about each dropped item, in order. What it throws goes to the caller.
 * @throws PredicateError - `PREDICATE_NOT_PARSED` for a predicate that `parsePrecondition` did not make.
 * @see PRED-06, PRED-26
 */
export function filterByState<Item>(
  items: readonly Item[],
  state: unknown,
  options: {
    preconditionOf: (item: Item) => Precondition
    onDrop?: (dropped: Dropped<Item>) => void
  },
): Item[] {
  const { preconditionOf, onDrop } = options
  const kept: Item[] = []
  for (const item of items) {
    const failed = firstFailing(preconditionOf(item), state)
    if (failed === undefined) kept.push(item)
    else onDrop?.({ item, explanation: explainPredicate(failed, state) })
  }
  return kept
}

function firstFailing(precondition: Precondition, state: unknown): StatePredicate | undefined {
  const { predicates } = precondition
  for (let index = 0; index < predicates.length; index += 1) {
    const predicate = predicates[index] as StatePredicate
    if (!evaluatePredicate(predicate, state)) return predicate
  }
  return undefined
}
