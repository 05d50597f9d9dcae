import { isRecord } from './record.ts'

/**
 * Strict, deep JSON equality between a value found in the state and the value of a predicate.
 *
 * Nothing is coerced: `1`, `'1'` and `true` all differ. Lists are equal member by member in order,
 * records key by key in any order. `NaN` equals nothing, `-0` equals `0`, `null` equals only `null`.
 * A key that holds `undefined` counts as absent. A `Date`, a `Map` or a class instance equals
 * nothing. The walk follows `expected`, which is a bounded tree, so a state that is cyclic, deeper
 * or larger simply differs.
 *
 * Works in place. The one thing it may cause to be allocated is the engine's own list of the keys
 * of a record, which V8 caches per shape.
 *
 * @param expected - Frozen JSON, as `parsePrecondition` made it.
 * @see OPEN-PRED-1, OPEN-PRED-10, DESIGN decision 4
 */
export function equalsJson(seen: unknown, expected: unknown): boolean {
  if (seen === expected) return true
  if (typeof expected !== 'object' || expected === null) return false
  if (Array.isArray(expected)) return equalsList(seen, expected)
  return equalsRecord(seen, expected as Readonly<Record<string, unknown>>)
}

function equalsList(seen: unknown, expected: readonly unknown[]): boolean {
  if (!Array.isArray(seen) || seen.length !== expected.length) return false
  for (let index = 0; index < expected.length; index += 1) {
    if (!equalsJson(seen[index], expected[index])) return false
  }
  return true
}

function equalsRecord(seen: unknown, expected: Readonly<Record<string, unknown>>): boolean {
  if (!isRecord(seen)) return false
  // Every expected key must match, and no key may be left over on either side.
  let matched = 0
  for (const key in seen) {
    if (!Object.hasOwn(seen, key)) continue
    const member = seen[key]
    if (member === undefined) continue
    if (!Object.hasOwn(expected, key) || !equalsJson(member, expected[key])) return false
    matched += 1
  }
  let wanted = 0
  for (const key in expected) if (Object.hasOwn(expected, key)) wanted += 1
  return matched === wanted
}
