const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u
const plain = /^[ -~]*$/

/** Columns a text takes on a terminal. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) {
    width += /^\p{M}+$/u.test(segment) ? 0 : wide.test(segment) ? 2 : 1
  }
  return width
}

/** Breaks text into lines of at most `width` columns, at blanks where it can. */
export function wrap(text: string, width: number): readonly string[] {
  const flow = createFlow(width)
  const lines = (flow.write(text) + flow.end()).split('\n')
  return lines.map((line) => line.trimEnd())
}

/** Cuts text to `width` columns and closes it with `…`. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  let columns = 1
  for (const { segment } of graphemes.segment(text)) {
    columns += widthOf(segment)
    if (columns > width) break
    kept += segment
  }
  return `${kept}…`
}

/** Wraps text that comes piece by piece: a word is held back until it is known to be whole. */
export interface Flow {
  /** What can be printed now; may be empty. */
  write(piece: string): string
  /** What was held back. */
  end(): string
}

/**
 * @param width - Columns to a line.
 * @param indent - Printed behind each line break.
 */
export function createFlow(width: number, indent = ''): Flow {
  let column = 0
  let word = ''
  let blanks = ''
  // Printed with the first word of a line, so that an empty line has no blanks.
  let front = ''

  const breakLine = () => {
    column = 0
    blanks = ''
    front = indent
    return '\n'
  }
  const place = (): string => {
    if (word === '') return ''
    let out = ''
    const size = widthOf(word)
    if (column > 0 && column + blanks.length + size > width) out += breakLine()
    out += front + blanks
    front = ''
    column += blanks.length
    blanks = ''
    if (size <= width - column) {
      out += word
      column += size
    } else {
      // Longer than a line: it has to be broken somewhere.
      for (const { segment } of graphemes.segment(word)) {
        if (column + widthOf(segment) > width) out += breakLine()
        out += front + segment
        front = ''
        column += widthOf(segment)
      }
    }
    word = ''
    return out
  }

  return {
    write: (piece) => {
      let out = ''
      for (const part of piece.split(/(\n| +)/)) {
        if (part === '\n') out += place() + breakLine()
        else if (part.startsWith(' ')) {
          out += place()
          blanks += column > 0 || blanks === '' ? part : ''
          blanks = blanks.slice(0, width - 1)
        } else word += part
        // A word longer than a line is not held back, or it would be held for ever.
        if (word.length > width * 4) out += place()
      }
      return out
    },
    end: place,
  }
}
