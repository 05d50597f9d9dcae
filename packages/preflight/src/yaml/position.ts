import type { YamlPosition } from './fault.ts'

/** Says where an offset into a text lies. */
export type PositionOf = (offset: number) => YamlPosition

/**
 * Prepares a text for looking up positions. A line ends with `\n`, as YAML and editors agree.
 *
 * @param text - The whole file, without a byte order mark.
 * @returns A function of an offset in UTF-16 units; one outside the text counts as its nearest end.
 */
export function positionsIn(text: string): PositionOf {
  const lineStarts = [0]
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) {
    lineStarts.push(end + 1)
  }
  return (offset) => {
    const inside = Math.min(Math.max(offset, 0), text.length)
    let low = 0
    let high = lineStarts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((lineStarts[middle] ?? 0) <= inside) low = middle
      else high = middle - 1
    }
    return Object.freeze({ line: low + 1, column: inside - (lineStarts[low] ?? 0) + 1 })
  }
}
