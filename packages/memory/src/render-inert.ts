/**
 * Text of unknown origin in double quotes, on one line, so that it can only be read as a quotation:
 * it cannot end the quotation, begin a line, a heading or an item, or hold a tag. Quotation marks and
 * backslashes are escaped, and what breaks a line, hides itself or opens a tag is written out (`\n`,
 * `\u{202e}`, `\u{3c}`), also where it only becomes such a character when it is normalised.
 *
 * The same text gives the same bytes, and two texts never look alike unless they were cut.
 *
 * @param maxChars - Longest result in UTF-16 units, at least 8; unlimited by default. What is cut
 * ends in `…` after the closing quote.
 * @see DESIGN decision 5, MEM-38
 */
export function inertText(text: string, maxChars = Number.POSITIVE_INFINITY): string {
  const room = maxChars - '""…'.length
  let body = ''
  for (const character of text) {
    // A mark would join the opening quote.
    const isLooseMark = body === '' && /\p{M}/u.test(character)
    const written = isLooseMark ? codeOf(character) : spell(character)
    if (body.length + written.length > room) return `"${body}"…`
    body += written
  }
  return `"${body}"`
}

/** A plain name (letters, digits, `_ . : @ -`) as it is, anything else as `inertText`. */
export function inertWord(text: string, maxChars?: number): string {
  return /^\w[\w.:@-]{0,199}$/.test(text) ? text : inertText(text, maxChars)
}

/**
 * What has no shape of its own (controls, separators, lone surrogates, unassigned and ignorable
 * characters), every blank but the plain one, and what opens a tag, a code span or a table cell.
 */
const harmful =
  /[^\p{L}\p{M}\p{N}\p{P}\p{Sm}\p{Sc}\p{So}\p{Sk} ]|[<>`|]|\p{Default_Ignorable_Code_Point}/u

const shortForms = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

function spell(character: string): string {
  if (plain.test(character)) return character
  const shortForm = shortForms.get(character)
  if (shortForm !== undefined) return shortForm
  const normal = character.normalize('NFKC')
  const isUnsafe = harmful.test(character) || harmful.test(normal) || /["\\]/.test(normal)
  return isUnsafe ? codeOf(character) : character
}

/** Everyday characters, decided without the slower tests. */
const plain = /^[A-Za-z0-9 .,:;!?'()&%$#*@+=_/-]$/

function codeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
