/** What a value is, in the words of a message. Never throws. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (isList(value)) return 'a list'
  if (typeof value === 'string') return 'a text'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

function isList(value: unknown): boolean {
  try {
    return Array.isArray(value)
  } catch {
    // A revoked proxy will not even say that.
    return false
  }
}
