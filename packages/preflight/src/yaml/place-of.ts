import type { KeyPath } from '../key-path.ts'
import type { PlacedEntry, PlacedValue } from './resolve-tree.ts'

/** Where a path leads. */
export interface Place {
  readonly offset: number
  /** Where the alias stands, when the place is inside an aliased value. */
  readonly usedAt?: number
  /** What stands there; the nearest value around it when the path leads on to nothing. */
  readonly value: PlacedValue
}

/**
 * Follows a path into a value.
 *
 * @param pointAt - Whether the place is that of the last key or of its value. A key without a
 * value is pointed at in either case.
 */
export function placeOf(root: PlacedValue, path: KeyPath, pointAt: 'key' | 'value'): Place {
  let place: Place = { offset: root.offset, value: root }
  for (const [position, key] of path.entries()) {
    const next = step(place.value, key)
    if (next === undefined) break
    const isAtKey = next.value.isBlank || (pointAt === 'key' && position === path.length - 1)
    // The first alias on the way is the one this skill wrote; the others belong to its target.
    const alias = place.value.isAliased ? place.value.offset : next.mergedAt
    const usedAt = place.usedAt ?? alias
    place = {
      offset: isAtKey ? next.keyOffset : next.value.offset,
      ...(usedAt !== undefined && { usedAt }),
      value: next.value,
    }
  }
  return place
}

function step(value: PlacedValue, key: string | number): PlacedEntry | undefined {
  if (value.entries !== undefined) return value.entries.get(String(key))
  const item = typeof key === 'number' ? value.items?.[key] : undefined
  return item && { keyOffset: item.offset, value: item }
}
