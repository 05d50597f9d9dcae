/** The two parts of a text with front matter. Offsets count UTF-16 units. */
export interface FrontMatter {
  /** The YAML between the fences. */
  readonly yaml: string
  /** Where `yaml` begins in the text. */
  readonly offset: number
  /** What follows the closing fence, as it is. */
  readonly body: string
}

/** Why a text has no front matter. */
export interface NoFrontMatter {
  /** The fence that is missing; `closing` when front matter begins and never ends. */
  readonly missing: 'opening' | 'closing'
}

/**
 * Splits a text at its fences: lines of three dashes, with white space after them at most. The
 * first is the first line of the text.
 *
 * @param text - Without a byte order mark; lines end with `\n` or `\r\n`.
 */
export function splitFrontMatter(text: string): FrontMatter | NoFrontMatter {
  const offset = lineEnd(text, 0)
  if (!isFence(text.slice(0, offset))) return { missing: 'opening' }
  for (let start = offset; start < text.length; ) {
    const end = lineEnd(text, start)
    if (isFence(text.slice(start, end))) {
      return { yaml: text.slice(offset, start), offset, body: text.slice(end) }
    }
    start = end
  }
  return { missing: 'closing' }
}

/** Where the line after the one that begins at `start` begins. */
function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start)
  return end === -1 ? text.length : end + 1
}

function isFence(line: string): boolean {
  return line.startsWith('---') && line.slice(3).trim() === ''
}
