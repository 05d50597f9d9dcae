import { writeFileSync } from 'node:fs'
import { readFlags } from './flags.ts'
import type { Effort } from './measure.ts'
import { renderRatios, renderSummary, renderTable, toJsonRows } from './report.ts'
import {
  type ComputedSuite,
  isMissed,
  type Ratio,
  type Row,
  runSuite,
  type Suite,
} from './suite.ts'

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
  suites: readonly (Suite | ComputedSuite)[],
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
  const ratios: Ratio[] = []
  const parts: string[] = []
  for (const suite of suites) {
    if (only !== undefined && suite.name !== only) continue
    tell(suite.name)
    if ('prepare' in suite) {
      rows.push(...(await runSuite(suite, { ...effort, rounds })))
      continue
    }
    const { text, ratios: found } = await suite.compute()
    const named = found.map((ratio) => ({ suite: suite.name, ...ratio }))
    ratios.push(...named)
    parts.push(text, renderRatios(named))
  }
  const all = [...rows, ...ratios]
  const tables = rows.length > 0 ? [renderTable(rows)] : []
  print([...tables, ...parts, renderSummary(all)].join('\n\n'))
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(toJsonRows(all), null, 2)}\n`)
  return strict && all.some(isMissed) ? 1 : 0
}
