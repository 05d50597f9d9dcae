import type picocolors from 'picocolors'
import type { Result } from './run-vectors.ts'

/** What paints the report: picocolors itself, or its `createColors(false)`. */
type Colors = ReturnType<typeof picocolors.createColors>

/** The tally of one requirement group, or of all of them. */
export interface Tally {
  group: string
  passed: number
  overruled: number
  notBuilt: number
  failed: number
  total: number
}

/** Counts results per group, in the order in which the groups first appear. */
export function tallyByGroup(results: readonly Result[]): Tally[] {
  const groups = [...new Set(results.map(({ group }) => group))]
  return groups.map((group) =>
    tally(
      group,
      results.filter((result) => result.group === group),
    ),
  )
}

/** Counts results whatever their group. */
export function tallyAll(results: readonly Result[]): Tally {
  return tally('all', results)
}

/**
 * The report a person reads: one row per group, the sum, then each overruled vector with the
 * decision and each failed one with what went wrong. Lines are joined by newlines, none at the end.
 */
export function renderReport(results: readonly Result[], colors: Colors): string {
  const sum = tallyAll(results)
  const rows = [...tallyByGroup(results), sum]
  const columns = ['passed', 'overruled', 'not built yet', 'failed', 'of']
  const width = Math.max('group'.length, ...rows.map(({ group }) => group.length))
  const heading = [
    'group'.padEnd(width),
    ...columns.map((column) => column.padStart(widthOf(column))),
  ]
  const lines = rows.map((row) => {
    const paint = row === sum ? colors.bold : (text: string) => text
    const cells = [
      cell(row.passed, 'passed', colors.green),
      cell(row.overruled, 'overruled', colors.yellow),
      cell(row.notBuilt, 'not built yet', colors.dim),
      cell(row.failed, 'failed', colors.red),
      cell(row.total, 'of', (text) => text),
    ]
    return paint([row.group.padEnd(width), ...cells].join('  '))
  })
  return [
    colors.dim(heading.join('  ')),
    ...lines,
    ...reasons(results, { outcome: 'overruled', paint: colors.yellow }),
    ...reasons(results, { outcome: 'failed', paint: colors.red }),
  ].join('\n')
}

function tally(group: string, results: readonly Result[]): Tally {
  const count = (outcome: Result['outcome']) =>
    results.filter((result) => result.outcome === outcome).length
  return {
    group,
    passed: count('passed'),
    overruled: count('overruled'),
    notBuilt: count('not built yet'),
    failed: count('failed'),
    total: results.length,
  }
}

function widthOf(column: string): number {
  return Math.max(column.length, 4)
}

/** A number under its column; a zero is a dot, so that the eye finds what is there. */
function cell(count: number, column: string, paint: (text: string) => string): string {
  const text = (count === 0 ? '·' : String(count)).padStart(widthOf(column))
  return count === 0 ? text : paint(text)
}

function reasons(
  results: readonly Result[],
  { outcome, paint }: { outcome: Result['outcome']; paint: (text: string) => string },
): string[] {
  const listed = results.filter((result) => result.outcome === outcome)
  if (listed.length === 0) return []
  return [
    '',
    `${outcome}:`,
    ...listed.map(({ id, title, reason }) => `  ${paint(id)} ${title}\n    ${reason}`),
  ]
}
