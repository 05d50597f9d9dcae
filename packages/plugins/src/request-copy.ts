import { kindOf, printable } from './printable.ts'

/**
 * A frozen copy of what guards are asked about: nothing done to the original later is seen in it.
 *
 * Lists, plain records and scalars are copied, cycles and shared parts included; dates, maps, sets,
 * byte arrays and instances are cloned as `structuredClone` does it, an instance as a plain record.
 *
 * @throws TypeError for what is not data (a function, a symbol) or cannot be read, with its place.
 * @see PLUG-62
 */
export function frozenView(value: unknown): unknown {
  return copyOf(value, { isFrozen: true, seen: new Map(), place: [] })
}

/** A fresh copy of a frozen view that a guard may write to. */
export function mutableCopy(view: unknown): unknown {
  return copyOf(view, { isFrozen: false, seen: new Map(), place: [] })
}

interface Copying {
  readonly isFrozen: boolean
  readonly seen: Map<object, object>
  /** Keys from the top to what is being copied, for the message. */
  readonly place: PropertyKey[]
}

function copyOf(value: unknown, copying: Copying): unknown {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'function' || typeof value === 'symbol') throw uncopyable(value, copying)
    return value
  }
  const known = copying.seen.get(value)
  if (known !== undefined) return known
  if (Array.isArray(value)) return copyOfList(value, copying)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return copyOfRecord(value, copying)
  const clone = structuredClone(value)
  copying.seen.set(value, clone)
  return clone
}

function copyOfList(list: readonly unknown[], copying: Copying): unknown {
  const copy: unknown[] = []
  copying.seen.set(list, copy)
  for (let index = 0; index < list.length; index += 1) {
    copying.place.push(index)
    copy.push(copyOf(list[index], copying))
    copying.place.pop()
  }
  return copying.isFrozen ? Object.freeze(copy) : copy
}

function copyOfRecord(record: object, copying: Copying): unknown {
  const { isFrozen } = copying
  const values = record as Readonly<Record<string, unknown>>
  // A view holds only what was put there, so all in it that nobody can write to is taken at once.
  const copy: Record<string, unknown> = isFrozen ? {} : { ...values }
  copying.seen.set(record, copy)
  for (const key of Object.keys(values)) {
    if (!isFrozen && typeof values[key] !== 'object') continue
    copying.place.push(key)
    const value = copyOf(values[key], copying)
    copying.place.pop()
    // Writing to `__proto__` would change what the copy inherits.
    if (key !== '__proto__') copy[key] = value
    else Object.defineProperty(copy, key, { value, ...ordinary })
  }
  return isFrozen ? Object.freeze(copy) : copy
}

const ordinary = { configurable: true, enumerable: true, writable: true }

function uncopyable(value: unknown, { place }: Copying): TypeError {
  const where = place.length === 0 ? 'the context' : `"${printable(place.join('.'), 80)}"`
  return new TypeError(`${where} is ${kindOf(value)}; guards are asked about plain data`)
}
