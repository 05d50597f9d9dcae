import { styleText } from 'node:util'
import { isMissed, type Ratio, type Row } from './suite.ts'

/** Colours a text. The default leaves colours out where there is no terminal to show them. */
export type Paint = (format: 'bold' | 'dim' | 'green' | 'red' | 'yellow', text: string) => string

/** What `--json` writes, one for each row that has a bound. */
export interface JsonRow {
  readonly suite: string
  readonly name: string
  readonly ratio: number
  readonly bound: number
  readonly lowerIsBetter: true
}

const headings = ['suite', 'name', 'ours', 'theirs', 'ratio', 'bound', ''] as const

/** The table a person reads. Lines are joined by newlines, none at the end. */
export function renderTable(rows: readonly Row[], paint: Paint = styleText): string {
  const cells = rows.map((row) => [
    row.suite,
    row.name,
    duration(row.oursNs),
    duration(row.theirsNs),
    figure(row.ratio),
    row.bound === undefined ? '' : String(row.bound),
    verdict(row),
  ])
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((line) => line[column]?.length ?? 0)),
  )
  // Names to the left, numbers to the right, the verdict to the left again.
  const layOut = (line: readonly string[]) =>
    line.map((cell, column) => {
      const width = widths[column] ?? 0
      return column >= 2 && column <= 5 ? cell.padStart(width) : cell.padEnd(width)
    })
  const lines = rows.map((row, index) => {
    const line = layOut(cells[index] ?? [])
    const last = line.pop() ?? ''
    return [...line, paint(colourOf(row), last.trimEnd())].join('  ').trimEnd()
  })
  return [paint('dim', layOut(headings).join('  ').trimEnd()), ...lines].join('\n')
}

/** The ratios of a computed suite, a line each. Lines are joined by newlines, none at the end. */
export function renderRatios(ratios: readonly Ratio[], paint: Paint = styleText): string {
  const width = Math.max(0, ...ratios.map(({ name }) => name.length))
  const lines = ratios.map(({ suite, name, ratio, bound }) => {
    const start = `${suite}  ${name.padEnd(width)}  ${figure(ratio)}`
    if (bound === undefined) return `${start}  ${paint('dim', 'for reference')}`
    const missed = isMissed({ ratio, bound })
    return `${start}  bound ${bound}  ${paint(missed ? 'red' : 'green', missed ? 'missed' : 'ok')}`
  })
  return lines.join('\n')
}

/** One line: how many bounds hold. */
export function renderSummary(rows: readonly Ratio[], paint: Paint = styleText): string {
  const bounded = rows.filter(({ bound }) => bound !== undefined)
  const missed = bounded.filter(isMissed).length
  const text = `${bounded.length - missed} of ${bounded.length} bounds hold`
  return missed === 0 ? paint('green', text) : paint('red', `${text}, ${missed} missed`)
}

/** The rows with a bound as plain data. Rows for reference are left out: nothing can miss there. */
export function toJsonRows(rows: readonly Ratio[]): JsonRow[] {
  return rows.flatMap(({ suite, name, ratio, bound }) =>
    bound === undefined ? [] : [{ suite, name, ratio, bound, lowerIsBetter: true as const }],
  )
}

function verdict(row: Row): string {
  if (row.bound === undefined) return 'for reference'
  if (isMissed(row)) return 'missed'
  if (row.aim === undefined) return 'ok'
  return `ok, aim ${row.aim} ${row.ratio <= row.aim ? 'reached' : 'not reached'}`
}

function colourOf(row: Row): 'dim' | 'green' | 'red' {
  if (row.bound === undefined) return 'dim'
  return isMissed(row) ? 'red' : 'green'
}

/** A time in the unit that leaves the fewest digits. */
function duration(nanoseconds: number): string {
  if (nanoseconds < 1e3) return `${figure(nanoseconds)} ns`
  return nanoseconds < 1e6 ? `${figure(nanoseconds / 1e3)} µs` : `${figure(nanoseconds / 1e6)} ms`
}

/** Three digits that count, never in exponents. */
function figure(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  const decimals = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toFixed(Math.min(decimals, 6))
}
