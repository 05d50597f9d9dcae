/**
 * Renders a label or a tool name so that it can only be read as that name: it cannot start a line,
 * a heading or a bullet, open or close a code span, or close the round brackets it stands in.
 *
 * A text is returned as it is when every character is harmless and its round brackets balance.
 * Any other text comes back in double quotes, with each offending character written out (`\n`,
 * `\"`, `\u{2028}`). A text that holds a quote is itself quoted, so no two texts look alike.
 *
 * Characters count as what they normalise to (a full-width bracket is a bracket), because
 * tokenizers normalise too.
 *
 * @param maxChars - Longest result, in UTF-16 units, at least 4; unlimited by default. A shortened
 * text is quoted and followed by `…`.
 * @see DESIGN decision 5
 */
export function inertText(text: string, maxChars = Number.POSITIVE_INFINITY): string {
  return text.length <= maxChars && isHarmless(text) ? text : quote(text, maxChars)
}

/** A tool in a message: in back-ticks, and shortened. */
export function toolText(toolName: string): string {
  return `\`${inertText(toolName, maxToolChars)}\``
}

/** Model providers take no longer tool names than this. */
const maxToolChars = 64

/** Everyday names, decided without the slower tests. */
const plainName = /^\w[\w .:,;/&+-]*(?<! )$/

/**
 * Harmless are letters, marks, numbers, punctuation, signs, symbols and the plain space, except
 * those the later classes take back. What has no shape of its own (controls, separators, lone
 * surrogates, unassigned and ignorable characters) is never harmless, nor is what opens a tag.
 */
const harmful =
  /[^\p{L}\p{M}\p{N}\p{P}\p{Sm}\p{Sc}\p{So} ]|["\\<>|]|\p{Default_Ignorable_Code_Point}/u

/** A heading mark, a blank that would go unseen, a mark that would join what stands before it. */
const harmfulEdge = /^[#\p{M} ]| $/u

function isHarmless(text: string): boolean {
  if (plainName.test(text)) return true
  if (text === '' || harmful.test(text)) return false
  const normal = text.normalize('NFKC')
  if (harmful.test(normal) || harmfulEdge.test(normal)) return false
  return hasBalancedBrackets(text) && hasBalancedBrackets(normal)
}

function hasBalancedBrackets(text: string): boolean {
  let open = 0
  for (const character of text) {
    if (character === '(') open += 1
    if (character === ')') open -= 1
    if (open < 0) return false
  }
  return open === 0
}

function quote(text: string, maxChars: number): string {
  const room = maxChars - '""…'.length
  let body = ''
  for (const character of text) {
    const written = body === '' && /\p{M}/u.test(character) ? codeOf(character) : spell(character)
    if (body.length + written.length > room) return `"${body}"…`
    body += written
  }
  return `"${body}"`
}

const shortForms = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

function spell(character: string): string {
  const shortForm = shortForms.get(character)
  if (shortForm !== undefined) return shortForm
  const normal = character.normalize('NFKC')
  const isUnsafe = harmful.test(character) || harmful.test(normal) || /[()]/.test(normal)
  return isUnsafe ? codeOf(character) : character
}

function codeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
