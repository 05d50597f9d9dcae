/**
 * A table as lines of text, its first line the head. Columns of figures are set to the right, others to
 * the left.
 */
export function layOut(lines: readonly (readonly string[])[]): string[] {
  const [head = [], ...rows] = lines
  const columns = head.map((_, column) => ({
    width: Math.max(...lines.map((line) => line[column]?.length ?? 0)),
    isFigures: column > 0 && rows.every((row) => figure.test(row[column] ?? '')),
  }))
  return lines.map((line) =>
    line
      .map((cell, column) => {
        const { width = 0, isFigures = false } = columns[column] ?? {}
        return isFigures ? cell.padStart(width) : cell.padEnd(width)
      })
      .join('  ')
      .trimEnd(),
  )
}

const figure = /^[+−-]?[\d.,]*%?$/
