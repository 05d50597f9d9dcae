import { writeFileSync } from 'node:fs'
import { readFlags } from './flags.ts'
import type { Effort } from './measure.ts'
import { renderSummary, renderTable, toJsonRows } from './report.ts'
import { isMissed, type Row, runSuite, type Suite } from './suite.ts'

/** Where the bench writes. */
export interface Output {
  /** The report. */
  readonly print: (text: string) => void
  /** Progress and complaints, which do not belong in the report. */
  readonly tell: (text: string) => void
}

/**
 * Runs what the command line asks for.
 *
 * @param argv - Without the program and the script.
 * @param effort - All but the rounds, which are a flag.
 * @returns The exit code: 2 for flags that cannot be understood, 1 for a missed bound when
 *   `--strict` asks for that, else 0. A missed bound shows, and what to make of it is the reader's.
 */
export async function runBench(
  argv: readonly string[],
  suites: readonly Suite[],
  effort: Omit<Effort, 'rounds'>,
  { print, tell }: Output,
): Promise<0 | 1 | 2> {
  const names = suites.map(({ name }) => name)
  const reading = readFlags(argv, names)
  if (!reading.ok) {
    tell(reading.message)
    return 2
  }
  const { json, suite: only, rounds, strict } = reading.flags
  const rows: Row[] = []
  for (const suite of suites) {
    if (only !== undefined && suite.name !== only) continue
    tell(suite.name)
    rows.push(...(await runSuite(suite, { ...effort, rounds })))
  }
  print(`${renderTable(rows)}\n\n${renderSummary(rows)}`)
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(toJsonRows(rows), null, 2)}\n`)
  return strict && rows.some(isMissed) ? 1 : 0
}
