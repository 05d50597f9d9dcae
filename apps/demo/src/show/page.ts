import type { Paint } from './paint.ts'
import { widthOf, wrap } from './wrap.ts'

/** Where things are printed. */
export interface Page {
  readonly paint: Paint
  /** Columns, asked anew for every line. */
  readonly columns: () => number
  readonly write: (text: string) => void
}

/** Left margin of everything but titles. */
export const margin = '  '
const labelWidth = 9

/** Columns a labelled line has for its text, mark included. */
export function lineWidth({ columns }: Page): number {
  return Math.max(20, columns() - margin.length - labelWidth)
}

/**
 * Prints words behind a label, wrapped, with a mark in front: `  rules    ● Read before …`.
 *
 * @param about.mark - One sign; none by default.
 * @param about.style - Of mark and text; plain by default.
 */
export function printLine(
  page: Page,
  words: string,
  about: {
    readonly label?: string
    readonly mark?: string
    readonly style?: (text: string) => string
  } = {},
): void {
  const { label = '', mark = '', style = String } = about
  const hang = mark === '' ? 0 : widthOf(mark) + 1
  for (const [index, line] of wrap(words, lineWidth(page) - hang).entries()) {
    const front = (index === 0 ? label : '').padEnd(labelWidth)
    const lead = hang === 0 ? '' : index === 0 ? `${style(mark)} ` : ' '.repeat(hang)
    // Blanks that must not break have done their work.
    const text = style(line.replaceAll('\u00a0', ' '))
    page.write(`${margin}${page.paint.dim(front)}${lead}${text}\n`)
  }
}

/** Prints a title across the page. */
export function printTitle({ paint, columns, write }: Page, title: string): void {
  const rest = '─'.repeat(Math.max(3, columns() - 5 - widthOf(title)))
  write(`\n${paint.dim('───')} ${paint.bold(title)} ${paint.dim(rest)}\n\n`)
}
