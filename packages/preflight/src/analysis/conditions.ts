import type { StatePredicate } from '@symfonic/predicates'
import { createCompatibility, type Demand, type Trail, trailOf } from './compatibility.ts'
import type { PathKeys } from './path-keys.ts'
import { type Place, placesOf } from './places.ts'
import { valueTexts } from './value-texts.ts'

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
  /** The same predicates, each once, with what they are about. */
  demandsOf(condition: Condition): readonly Demand[]
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
  const known: { readonly predicates: readonly StatePredicate[]; readonly demands: Demand[] }[] = [
    { predicates: [], demands: [] },
  ]
  const demandIn = createDemands(pathKeys)
  const arePossible = createCompatibility(pathKeys)
  const places = new Map<string, Place>()
  const answers = new Map<string, boolean>()

  const predicatesOf = (condition: Condition) => known[condition]?.predicates ?? []
  const demandsOf = (condition: Condition) => known[condition]?.demands ?? []
  const placeOfAll = (conditions: Iterable<Condition>): Place => {
    const distinct = distinctOf(conditions)
    const key = distinct.join()
    const place = places.get(key) ?? placesOf(distinct.flatMap(predicatesOf), pathKeys)
    places.set(key, place)
    return place
  }
  const canHoldTogether = (conditions: Iterable<Condition>): boolean => {
    const distinct = distinctOf(conditions)
    const key = distinct.join()
    let answer = answers.get(key)
    if (answer === undefined) {
      answer = arePossible(
        new Set(distinct.flatMap((condition) => known[condition]?.demands ?? [])),
      )
      answers.set(key, answer)
    }
    return answer
  }

  return {
    of(predicates) {
      const demands = [...new Set(predicates.map(demandIn))]
      const key = demands
        .map(({ id }) => id)
        .sort((one, other) => one - other)
        .join()
      const condition = ids.get(key) ?? known.push({ predicates, demands }) - 1
      ids.set(key, condition)
      return condition
    },
    predicatesOf,
    demandsOf,
    placeOf: (condition) => placeOfAll([condition]),
    canHoldTogether,
    placeOfAll,
  }
}

/** In one order, so that a set is one question however it came about. */
function distinctOf(conditions: Iterable<Condition>): readonly Condition[] {
  const distinct = new Set(conditions)
  distinct.delete(always)
  return [...distinct].sort((one, other) => one - other)
}

/** One demand for all predicates that say the same: in the same states, by the same keys. */
function createDemands(pathKeys: PathKeys): (predicate: StatePredicate) => Demand {
  const paths = new Map<string, Trail & { readonly text: string }>()
  const demands = new Map<string, Demand>()
  const readPath = (path: string) => {
    let read = paths.get(path)
    if (read === undefined) {
      const text = JSON.stringify(pathKeys(path).map(({ family, written }) => [family, written]))
      read = { ...trailOf(path, pathKeys), text }
      paths.set(path, read)
    }
    return read
  }
  return (predicate) => {
    const { text: path, trail, isLoose } = readPath(predicate.path)
    const values = [...valueTexts(predicate).keys()].sort()
    const text = `${path} ${predicate.op} ${values.join()}`
    let demand = demands.get(text)
    if (demand === undefined) {
      demand = { id: demands.size, predicate, trail, isLoose }
      demands.set(text, demand)
    }
    return demand
  }
}
