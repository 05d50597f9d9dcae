/**
 * A copy of plain data all the way down, with its texts well-formed (half a surrogate pair is refused
 * by providers). Whatever is no plain object or list, such as a date or bytes, is taken over as it is.
 * Data that contains itself is copied as such.
 *
 * @throws RangeError for nesting without end, and whatever a getter throws.
 */
export function plainCopy<Value>(value: Value): Value {
  return copy(value, new Map()) as Value
}

function copy(value: unknown, seen: Map<object, unknown>): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (!isPlain(value)) return value
  const known = seen.get(value)
  if (known !== undefined) return known
  if (Array.isArray(value)) {
    const list: unknown[] = []
    seen.set(value, list)
    for (const item of value) list.push(copy(item, seen))
    return list
  }
  const made: Record<string, unknown> = Object.create(Object.getPrototypeOf(value))
  seen.set(value, made)
  for (const key of Object.keys(value)) {
    const name = key.toWellFormed()
    const own = copy((value as Record<string, unknown>)[key], seen)
    // Set, it would be the prototype.
    if (name === '__proto__') Object.defineProperty(made, name, { ...ordinary, value: own })
    else made[name] = own
  }
  return made
}

const ordinary = { configurable: true, enumerable: true, writable: true }

/** A plain object or a list: what is copied and frozen, where anything else is somebody's own. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return true
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
