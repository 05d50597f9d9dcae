/**
 * True for a plain record: an object literal, the result of `JSON.parse`, or an object without a
 * prototype, from this realm or another. Lists, `Map`, `Date`, typed arrays, functions and class
 * instances are not records: no path leads through them and none equals a record.
 *
 * @see OPEN-PRED-4
 */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return true
  // Another realm has its own Object.prototype: the only root that carries this method itself.
  return (
    typeof prototype === 'object' &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, 'isPrototypeOf')
  )
}
