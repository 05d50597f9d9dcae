/**
 * Text of unknown origin as one line: what could break the line or hide itself is written out (`\n`,
 * `\u{202e}`). Text longer than `maxChars` is cut and closed with `…`.
 *
 * @param maxChars - Longest result in UTF-16 units, without the `…`. Default 200.
 */
export function printable(text: string, maxChars = 200): string {
  let line = ''
  for (const character of text) {
    const written = harmful.test(character) ? writtenOut(character) : character
    if (line.length + written.length > maxChars) return `${line}…`
    line += written
  }
  return line
}

/** What was thrown, as `<type>: <message>` in one line. Never throws. */
export function describeThrown(thrown: unknown, maxChars?: number): string {
  try {
    if (thrown instanceof Error) return printable(`${thrown.name}: ${thrown.message}`, maxChars)
    return printable(typeof thrown === 'string' ? thrown : kindOf(thrown), maxChars)
  } catch {
    return 'something that cannot be read'
  }
}

/** What a value is, in the words of a message. Never throws. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'string') return 'a text'
  if (typeof value === 'object') return isList(value) ? 'a list' : 'an object'
  return `a ${typeof value}`
}

// Controls, format characters (bidi marks, zero widths), separators and lone surrogates.
const harmful = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

const shortForms = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

function writtenOut(character: string): string {
  return shortForms.get(character) ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}

function isList(value: object): boolean {
  try {
    return Array.isArray(value)
  } catch {
    // A revoked proxy will not even say that.
    return false
  }
}
