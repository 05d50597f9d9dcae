import { canonicalJson } from './canonical-json.ts'
import type { Place } from './places.ts'

/**
 * A small state in which all predicates of a place hold: plain data, frozen.
 *
 * @param place - The place of the state itself, one for which `isPossible` is true.
 */
export function exampleState(place: Place): unknown {
  if (place.allowed !== undefined) {
    for (const value of place.allowed.values()) return value
  }
  return place.within.size === 0 && place.keys.length > 0 ? scalarAt(place) : recordAt(place)
}

function scalarAt({ excluded }: Place): unknown {
  const isFree = (value: unknown) => !excluded.has(canonicalJson(value))
  const isSwitch = excluded.size === 0 || !isFree(true) || !isFree(false)
  for (const simple of isSwitch ? [true, false, 'other'] : ['other']) {
    if (isFree(simple)) return simple
  }
  return firstFree((count) => `other ${count}`, isFree)
}

function recordAt(place: Place): unknown {
  const entries = [...place.within.values()].map((further): [string, unknown] => [
    further.keys.at(-1) ?? '',
    exampleState(further),
  ])
  // Unlike assignment, this makes an own key of `__proto__`.
  const record = Object.freeze(Object.fromEntries(entries))
  if (!place.excluded.has(canonicalJson(record))) return record
  // One more key makes it differ; a blank at its edge keeps the key out of the reach of any path.
  const other = (key: string) => Object.freeze(Object.fromEntries([...entries, [key, true]]))
  const key = firstFree(
    (count) => `other ${count} `,
    (candidate) => !place.excluded.has(canonicalJson(other(candidate))),
  )
  return other(key)
}

function firstFree(make: (count: number) => string, isFree: (made: string) => boolean): string {
  let count = 2
  while (!isFree(make(count))) count += 1
  return make(count)
}
