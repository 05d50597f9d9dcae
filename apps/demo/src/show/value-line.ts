import { printableLine } from './printable.ts'

const depthLimit = 4
const entryLimit = 40
/** No more of a long text than this is looked at. */
const textLimit = 400

/**
 * A value in one readable line, a little shorter than JSON: `{ reservation_id: K4T9QX, bags: 2 }`.
 * Safe to print. Texts with blanks or marks keep their quotes.
 */
export function valueLine(value: unknown): string {
  return printableLine(render(value, 0))
}

function render(value: unknown, depth: number): string {
  if (typeof value === 'string') return renderText(value)
  if (typeof value !== 'object' || value === null) return String(value)
  if (depth >= depthLimit) return '…'
  if (Array.isArray(value))
    return `[${value
      .slice(0, entryLimit)
      .map((each) => render(each, depth + 1))
      .join(', ')}]`
  const fields = Object.entries(value)
    .slice(0, entryLimit)
    .map(([key, each]) => `${key}: ${render(each, depth + 1)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

function renderText(text: string): string {
  const start = text.slice(0, textLimit)
  return /^[\w.:/@#-]+$/.test(start) ? start : `"${start}"`
}
