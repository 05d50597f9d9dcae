import { kindOf, printable } from './printable.ts'

/**
 * A frozen copy of what guards are asked about: nothing done to the original later is seen in it.
 *
 * Scalars, lists and plain records are copied, cycles and shared parts included, and so are dates,
 * patterns, addresses, maps, sets and bytes. Nothing else is: a copy of an instance would lose what
 * its class keeps behind getters and private fields, and a guard would judge an empty shell.
 *
 * @throws TypeError with the place of what cannot be shown: a function, a symbol, an instance, an
 * accessor, a hidden property, a gap in a list; and whatever is thrown while it is read.
 * @see PLUG-62, DESIGN.md, "Guards"
 */
export function frozenView(value: unknown): unknown {
  return copyOf(value, { isFrozen: true, seen: new Map(), place: [] })
}

/** The frozen view of a whole context. @throws TypeError as `frozenView`, and for no plain record. */
export function frozenContext(context: unknown): unknown {
  if (!isRecord(context)) throw uncopyable(nameOfKind(context), [])
  return frozenView(context)
}

/** A fresh copy of a frozen view that a guard may write to. */
export function mutableCopy(view: unknown): unknown {
  return copyOf(view, { isFrozen: false, seen: new Map(), place: [] })
}

/** Whether spreading a value takes all of it: a plain record of plain properties. Never throws. */
export function isPlainRecord(value: unknown): boolean {
  try {
    return isRecord(value) && oddKeyOf(value) === undefined
  } catch {
    return false
  }
}

interface Copying {
  readonly isFrozen: boolean
  readonly seen: Map<object, object>
  /** Keys from the top to what is being copied, for the message. */
  readonly place: PropertyKey[]
}

function copyOf(value: unknown, copying: Copying): unknown {
  if (typeof value !== 'object' || value === null) {
    if (typeof value !== 'function' && typeof value !== 'symbol') return value
    throw uncopyable(kindOf(value), copying.place)
  }
  const known = copying.seen.get(value)
  if (known !== undefined) return known
  if (isPlainList(value)) return copyOfList(value, copying)
  return isRecord(value) ? copyOfRecord(value, copying) : copyOfBuiltIn(value, copying)
}

function copyOfList(list: readonly unknown[], copying: Copying): unknown {
  // A view holds only what was put there; what comes from outside is looked through.
  if (copying.isFrozen) refuseOddKeys(list, copying)
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
  if (isFrozen) refuseOddKeys(values, copying)
  // All in a view that nobody can write to is taken at once.
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

function copyOfBuiltIn(value: object, copying: Copying): unknown {
  const prototype: unknown = Object.getPrototypeOf(value)
  const copier = isBytes(prototype) ? copyOfBytes : copiers.get(prototype)
  if (copier === undefined) throw uncopyable(nameOfKind(value), copying.place)
  // Not for bytes: each of them is a name, and there may be millions.
  if (copier !== copyOfBytes) refuseNames(value, copying)
  const copy: unknown = copier(value as never)
  copying.seen.set(value, copy as object)
  if (copy instanceof Map) {
    for (const [key, held] of value as Map<unknown, unknown>) {
      copy.set(copyOf(key, copying), copyOf(held, copying))
    }
  }
  if (copy instanceof Set) {
    for (const held of value as Set<unknown>) copy.add(copyOf(held, copying))
  }
  return copy
}

/** Each throws, at the latest while it is filled, for what only inherits from its prototype. */
const copiers: ReadonlyMap<unknown, (value: never) => object> = new Map<
  unknown,
  (value: never) => object
>([
  [Map.prototype, () => new Map()],
  [Set.prototype, () => new Set()],
  [Date.prototype, (date: Date) => new Date(date)],
  [RegExp.prototype, (pattern: RegExp) => new RegExp(pattern)],
  [URL.prototype, (url: URL) => new URL(url)],
  [ArrayBuffer.prototype, (buffer: ArrayBuffer) => buffer.slice(0)],
])

function copyOfBytes(bytes: object): object {
  return Uint8Array.prototype.slice.call(bytes)
}

const typedArray: unknown = Object.getPrototypeOf(Uint8Array.prototype)

/** Bytes and numbers of any width; Node's Buffer is a class of its own that is copied as one. */
function isBytes(prototype: unknown): boolean {
  if (prototype === null || prototype === undefined) return false
  return (
    Object.getPrototypeOf(prototype) === typedArray || prototype === globalThis.Buffer?.prototype
  )
}

/** A list of no class. One from another realm, as test runners and sandboxes make them, counts. */
function isPlainList(value: object): value is readonly unknown[] {
  return Array.isArray(value) && Array.isArray(Object.getPrototypeOf(value))
}

/** An object of no class, of whatever realm. */
function isRecord(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return true
  return (
    Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf')
  )
}

/** The first key under which an object holds something else than a plain value that everybody sees. */
function oddKeyOf(value: object): PropertyKey | undefined {
  const length = Array.isArray(value) ? value.length : undefined
  const keys = Reflect.ownKeys(value)
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as PropertyKey
    if (length !== undefined && key === 'length' && index === length) continue
    const property = Object.getOwnPropertyDescriptor(value, key)
    const isPlain = property?.enumerable && 'value' in property && typeof key !== 'symbol'
    if (!isPlain || (length !== undefined && key !== String(index))) return key
  }
  return undefined
}

function refuseOddKeys(value: object, { place }: Copying): void {
  const key = oddKeyOf(value)
  if (key !== undefined) throw uncopyable('no plain property', [...place, key])
}

/** Built-in objects have no names but the one of patterns; others would not be in the copy. */
function refuseNames(value: object, { place }: Copying): void {
  const key = Reflect.ownKeys(value).find((name) => name !== 'lastIndex')
  if (key !== undefined) throw uncopyable('added to a built-in object', [...place, key])
}

function nameOfKind(value: unknown): string {
  if (typeof value !== 'object' || value === null || isPlainList(value)) return kindOf(value)
  const { constructor: made } = value
  const name = typeof made === 'function' ? String(made.name) : ''
  return name === '' ? 'an instance' : `an instance of ${printable(name, 60)}`
}

function uncopyable(what: string, place: readonly PropertyKey[]): TypeError {
  const path = place.map(String).join('.')
  const where = place.length === 0 ? 'the context' : `"${printable(path, 80)}"`
  return new TypeError(`${where} is ${what}; guards are asked about plain data`)
}
