/** A JSON value, deeply frozen where this package hands it out. */
export type PlainJson =
  | null
  | boolean
  | number
  | string
  | readonly PlainJson[]
  | { readonly [key: string]: PlainJson }

/** How large a value may be. */
export interface JsonBounds {
  readonly depth: number
  readonly values: number
  /** Characters of all texts and keys together. */
  readonly chars: number
}

/** A value that was taken, or why it was not. */
export type JsonCopy =
  | { readonly ok: true; readonly value: PlainJson }
  | {
      readonly ok: false
      /** `kind`: not plain JSON. `size`: over a bound; a cycle ends here too. */
      readonly fault: 'kind' | 'size'
      readonly reason: string
    }

/**
 * Copies a value from outside into frozen plain JSON. Own enumerable keys only; `undefined` members
 * are left out; records have no prototype trouble, because `__proto__` is defined as an own key. Text
 * is cleaned as `storableText` does. Never throws: a getter that does is a fault.
 */
export function copyPlainJson(value: unknown, bounds: JsonBounds): JsonCopy {
  const left = { values: bounds.values, chars: bounds.chars }
  try {
    return { ok: true, value: copy(value, bounds.depth, left) }
  } catch (thrown) {
    if (thrown instanceof Fault) return { ok: false, fault: thrown.fault, reason: thrown.message }
    return { ok: false, fault: 'kind', reason: 'could not be read' }
  }
}

/**
 * A text that every store keeps alike: NUL and halves of surrogate pairs, which some databases
 * refuse and others change, become U+FFFD.
 */
export function storableText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes('\u0000') ? wellFormed.replaceAll('\u0000', '\ufffd') : wellFormed
}

class Fault extends Error {
  readonly fault: 'kind' | 'size'
  constructor(fault: 'kind' | 'size', reason: string) {
    super(reason)
    this.fault = fault
  }
}

function copy(value: unknown, depth: number, left: { values: number; chars: number }): PlainJson {
  left.values -= 1
  if (left.values < 0) throw new Fault('size', 'holds too many values')
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return takeText(value, left)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new Fault('kind', 'holds a number that is not finite')
    // -0 does not survive JSON.
    return value === 0 ? 0 : value
  }
  if (typeof value !== 'object') throw new Fault('kind', `holds a ${typeof value}`)
  if (depth <= 0) throw new Fault('size', 'is nested too deep')
  if (Array.isArray(value)) {
    if (value.length > left.values) throw new Fault('size', 'holds too many values')
    return Object.freeze(Array.from(value, (each: unknown) => copy(each, depth - 1, left)))
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new Fault('kind', 'holds an instance of a class, such as a Date')
  }
  const record: { [key: string]: PlainJson } = {}
  for (const [key, each] of Object.entries(value)) {
    if (each === undefined) continue
    Object.defineProperty(record, takeText(key, left), {
      value: copy(each, depth - 1, left),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  }
  return Object.freeze(record)
}

function takeText(text: string, left: { chars: number }): string {
  left.chars -= text.length
  if (left.chars < 0) throw new Fault('size', 'holds too much text')
  return storableText(text)
}
