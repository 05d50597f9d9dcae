/**
 * Blanks every comment with spaces and keeps newlines, so that offsets stay those of the original.
 * Strings and template literals are kept; a regular expression holding a quote is not understood.
 */
export function maskComments(text: string): string {
  const pattern =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g
  return text.replace(pattern, (found) =>
    found.startsWith('/') ? found.replace(/[^\n]/g, ' ') : found,
  )
}

/**
 * The doc comment that ends right before an offset, as plain text without its stars.
 *
 * @returns undefined when something else, or nothing, stands there.
 */
export function docBefore(text: string, offset: number): string | undefined {
  const before = text.slice(0, offset).trimEnd()
  if (!before.endsWith('*/')) return undefined
  const comment = before.slice(before.lastIndexOf('/*'))
  if (!comment.startsWith('/**')) return undefined
  return comment
    .slice('/**'.length, -'*/'.length)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .join('\n')
    .trim()
}

/** True when the text before the first `@tag` has a sentence of at least three words. */
export function hasSentence(doc: string): boolean {
  const description = doc.split(/^@\w/m)[0] ?? ''
  const sentences = description.split(/[.!?:](?=\s|$)/).slice(0, -1)
  return sentences.some((sentence) => sentence.trim().split(/\s+/).length >= 3)
}
