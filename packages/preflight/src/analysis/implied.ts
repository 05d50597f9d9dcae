import type { StatePredicate } from '@symfonic/predicates'
import { canonicalJson } from './canonical-json.ts'
import type { PathKeys } from './path-keys.ts'
import { holdsAt, type Place, placeWithin, predicatesWithin } from './places.ts'

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
  if (place.allowed !== undefined) return holdsForAll(predicate, place, place.allowed)
  return predicate.op === 'neq' && isRuledOut(predicate.value, place)
}

function holdsForAll(
  predicate: StatePredicate,
  { keys }: Place,
  allowed: ReadonlyMap<string, unknown>,
): boolean {
  for (const value of allowed.values()) if (!holdsAt(keys, value)(predicate)) return false
  return true
}

/** A value that another `neq` excludes, or that has no room for what is demanded further in. */
function isRuledOut(value: unknown, { excluded, keys, within }: Place): boolean {
  if (excluded.has(canonicalJson(value))) return true
  return within.size > 0 && !predicatesWithin(within).every(holdsAt(keys, value))
}
