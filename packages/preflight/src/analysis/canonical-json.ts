/**
 * A JSON value as text, with the keys of every record in one order: two texts are equal exactly
 * when the values are, in the sense in which state predicates compare. `-0` is `0`.
 *
 * @param value - As `parsePrecondition` keeps it: bounded in depth, free of cycles.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const record = value as Readonly<Record<string, unknown>>
  const members = Object.keys(record)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(record[key])}`)
  return `{${members.join(',')}}`
}
