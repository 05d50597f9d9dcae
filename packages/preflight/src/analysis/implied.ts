import type { StatePredicate } from '@symfonic/predicates'
import type { PathKeys } from './path-keys.ts'
import { holdsAt, type Place, placeWithin, predicatesWithin } from './places.ts'
import { valueTexts } from './value-texts.ts'

/**
 * Whether a predicate holds in every state in which all predicates of a place hold.
 *
 * @param top - The place of the state itself, one for which `isPossible` is true.
 */
export function isImplied(predicate: StatePredicate, top: Place, pathKeys: PathKeys): boolean {
  let place: Place | undefined = top
  for (const segment of pathKeys(predicate.path)) {
    if (place.allowed !== undefined) return holdsForAll(predicate, place, place.allowed)
    place = placeWithin(place, segment)
    if (place === undefined) return false
  }
  if (predicate.op === 'exists') return true
  if (place.allowed !== undefined) return namesAll(predicate, place.allowed)
  return predicate.op === 'neq' && isRuledOut(predicate, place)
}

/** For a predicate further in than the values: each must have room for what it asks. */
function holdsForAll(
  predicate: StatePredicate,
  { keys }: Place,
  allowed: ReadonlyMap<string, unknown>,
): boolean {
  for (const value of allowed.values()) {
    if (typeof value !== 'object' || !holdsAt(keys, value)(predicate)) return false
  }
  return true
}

/** For a predicate on the very values: texts are equal exactly when the values are. */
function namesAll(predicate: StatePredicate, allowed: ReadonlyMap<string, unknown>): boolean {
  const texts = valueTexts(predicate)
  if (predicate.op === 'neq') {
    for (const text of texts.keys()) if (allowed.has(text)) return false
    return true
  }
  if (allowed.size > texts.size) return false
  for (const text of allowed.keys()) if (!texts.has(text)) return false
  return true
}

/** A value that another `neq` excludes, or that has no room for what is demanded further in. */
function isRuledOut(predicate: StatePredicate, { excluded, keys, within }: Place): boolean {
  for (const text of valueTexts(predicate).keys()) if (excluded.has(text)) return true
  return within.size > 0 && !predicatesWithin(within).every(holdsAt(keys, predicate.value))
}
