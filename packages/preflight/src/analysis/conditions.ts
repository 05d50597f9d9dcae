import type { StatePredicate } from '@symfonic/predicates'
import { canonicalJson } from './canonical-json.ts'
import type { PathKeys } from './path-keys.ts'
import { isPossible, type Place, placesOf } from './places.ts'

/**
 * The states in which a skill takes part. `always` is the condition of a skill without state
 * predicates; two skills that say the same have one condition.
 */
export type Condition = number

/** The condition that holds in every state. */
export const always: Condition = 0

/** The conditions of a set of skills, and which of them can hold together. */
export interface Conditions {
  /** The condition of a skill with these state predicates. */
  of(predicates: readonly StatePredicate[]): Condition
  /** Predicates that say what a condition does. */
  predicatesOf(condition: Condition): readonly StatePredicate[]
  /** What a condition demands of the state. */
  placeOf(condition: Condition): Place
  /** Whether some state satisfies all of these. */
  canHoldTogether(conditions: Iterable<Condition>): boolean
  /** What these demand of the state together. */
  placeOfAll(conditions: Iterable<Condition>): Place
}

/** An empty collection; `of` adds to it. Answers are remembered, since questions repeat. */
export function createConditions(pathKeys: PathKeys): Conditions {
  const ids = new Map<string, Condition>([['', always]])
  const known: (readonly StatePredicate[])[] = [[]]
  const places = new Map<string, Place>()

  const predicatesOf = (condition: Condition) => known[condition] ?? []
  const placeOfAll = (conditions: Iterable<Condition>): Place => {
    const distinct = [...new Set(conditions)].filter((condition) => condition !== always).sort()
    const key = distinct.join()
    const place = places.get(key) ?? placesOf(distinct.flatMap(predicatesOf), pathKeys)
    places.set(key, place)
    return place
  }
  const canHoldTogether = (conditions: Iterable<Condition>) => isPossible(placeOfAll(conditions))

  return {
    of(predicates) {
      const key = [...new Set(predicates.map((predicate) => textOf(predicate, pathKeys)))]
        .sort()
        .join('\n')
      const condition = ids.get(key) ?? known.push(predicates) - 1
      ids.set(key, condition)
      return condition
    },
    predicatesOf,
    placeOf: (condition) => placeOfAll([condition]),
    canHoldTogether,
    placeOfAll,
  }
}

/** The same for two predicates only when they hold in the same states. */
function textOf({ path, op, value }: StatePredicate, pathKeys: PathKeys): string {
  const keys = pathKeys(path).map(({ family, written }) => [family, written])
  const values = op === 'in' ? new Set((value as readonly unknown[]).map(canonicalJson)) : [value]
  const text = op === 'exists' ? [] : [...values].map(canonicalJson).sort()
  return JSON.stringify([keys, op, text])
}
