import type picocolors from 'picocolors'
import { type Confusion, confusionOf } from './confusion.ts'
import { renderConfusion } from './confusion-report.ts'
import { compareWithOracle, type OracleComparison, type Verdict } from './oracle.ts'
import type { Divergence } from './projection.ts'
import type { RecordedResult } from './recording.ts'
import { callsOf, keyOf, labelsIn, type Replay } from './replay.ts'
import type { RuleSet } from './rule-set.ts'

/** What replays came to, as plain data. */
export interface ReplayReport {
  /** Name of the rule set, or `none`. */
  readonly rules: string
  /** In the order in which the sources first appear. */
  readonly sources: readonly SourceRow[]
  readonly total: SourceRow
  readonly refused: readonly RefusedRow[]
  /** Runs whose transcript differs from the record in more than the refusals. */
  readonly differing: readonly { readonly run: string; readonly divergence: Divergence }[]
  /** Messages of the records that take no part. */
  readonly setAside: { readonly ofUserDevice: number; readonly empty: number }
  /** Absent without a rule that an oracle knows, or where no oracle speaks of these runs. */
  readonly oracle?: OracleComparison
  /** The same for rules that an oracle knows one by one. */
  readonly confusion?: Confusion
  /** Wall-clock time of all replays, in milliseconds. */
  readonly totalMs: number
}

/** The counts of one source, or of all. */
export interface SourceRow {
  readonly source: string
  readonly runs: number
  readonly turns: number
  /** Messages of the assistant. */
  readonly steps: number
  readonly calls: number
  /** Calls that the rules speak of. */
  readonly judged: number
  readonly refused: number
  /** Runs whose transcript differs from the record in more than the refusals. */
  readonly differing: number
}

/** One refused call. */
export interface RefusedRow {
  readonly run: string
  /** 0 to 1; null where the record has none. */
  readonly reward: number | null
  /** With `position`, names the call; `callId` need not be the only one. */
  readonly messageIndex: number
  readonly position: number
  readonly callId: string
  readonly tool: string
  /** What the call is about, such as a reservation id. */
  readonly subject: string
  /** Labels of the skills that the refusal names. */
  readonly skills: readonly string[]
  /** What the environment had answered. */
  readonly answered: RecordedResult
  /**
   * True when the record as it stands does not break the rule: what the call needs was shown only by
   * the result of a call that is itself refused here, and so has never been shown.
   */
  readonly onlyAfterRefusal: boolean
}

/** Gathers a report. */
export function reportOn(
  replays: readonly Replay[],
  about: {
    readonly rules: RuleSet | undefined
    readonly verdicts: readonly Verdict[]
    readonly totalMs: number
  },
): ReplayReport {
  const { rules, verdicts, totalMs } = about
  const count = (source: string, some: readonly Replay[]) => countRow(source, some, rules)
  const oracle = rules?.oracleRule && compareWithOracle(replays, verdicts, rules)
  const confusion = rules?.policies && confusionOf(replays, verdicts, rules, rules.policies)
  const sources = [...new Set(replays.map(({ recording }) => recording.source))]
  const sum = (key: 'ofUserDevice' | 'empty') =>
    replays.reduce((total, { recording }) => total + recording.setAside[key], 0)
  return {
    rules: rules?.name ?? 'none',
    sources: sources.map((source) =>
      count(
        source,
        replays.filter(({ recording }) => recording.source === source),
      ),
    ),
    total: count('all', replays),
    refused: replays.flatMap((replay) => refusedRows(replay, rules)),
    differing: replays.flatMap(({ recording, divergence }) =>
      divergence ? [{ run: recording.id, divergence }] : [],
    ),
    setAside: { ofUserDevice: sum('ofUserDevice'), empty: sum('empty') },
    ...(oracle && verdicts.length > 0 && { oracle }),
    ...(confusion && verdicts.length > 0 && { confusion }),
    totalMs,
  }
}

/** What paints a report: picocolors itself, or its `createColors(false)`. */
type Colors = ReturnType<typeof picocolors.createColors>

/** The report a person reads. Lines are joined by newlines, none at the end. */
export function renderReport(report: ReplayReport, rules: RuleSet | undefined, colors: Colors) {
  const { total, totalMs, oracle, confusion } = report
  return [
    `rules: ${rules ? `${rules.name} (${rules.sentence})` : 'none'}`,
    '',
    ...renderTable(report, colors),
    ...renderSetAside(report),
    ...renderRefused(report, rules, colors),
    ...(oracle ? renderOracle(oracle, colors) : []),
    ...(confusion ? renderConfusion(confusion, colors) : []),
    ...renderDiffering(report, colors),
    '',
    `${total.runs} runs in ${(totalMs / 1000).toFixed(1)} s`,
  ].join('\n')
}

function countRow(source: string, replays: readonly Replay[], rules: RuleSet | undefined) {
  const row = { source, runs: 0, turns: 0, steps: 0, calls: 0, judged: 0, refused: 0, differing: 0 }
  for (const { recording, refused, divergence } of replays) {
    const calls = callsOf(recording)
    row.runs += 1
    row.turns += recording.turns.length
    for (const { steps } of recording.turns) row.steps += steps.length
    row.calls += calls.length
    row.judged += calls.filter(({ call }) => rules?.subjectOf(recording, call) !== undefined).length
    row.refused += refused.length
    row.differing += divergence ? 1 : 0
  }
  return row
}

function refusedRows({ recording, refused }: Replay, rules: RuleSet | undefined): RefusedRow[] {
  const broken = new Set(rules?.breachesOf(recording, 'position').map(keyOf))
  return refused.map((place) => ({
    run: recording.id,
    reward: recording.reward ?? null,
    messageIndex: place.messageIndex,
    position: place.position,
    callId: place.call.id,
    tool: place.call.name,
    subject: rules?.subjectOf(recording, place.call) ?? '',
    skills: labelsIn(place.details),
    answered: place.call.result,
    onlyAfterRefusal: !broken.has(keyOf(place)),
  }))
}

const columns = ['runs', 'turns', 'steps', 'calls', 'judged', 'refused', 'differing'] as const

function renderTable({ sources, total }: ReplayReport, colors: Colors): string[] {
  const rows = [...sources, total]
  const width = Math.max('source'.length, ...rows.map(({ source }) => source.length))
  const cell = (row: SourceRow, column: (typeof columns)[number]) => {
    const value = row[column]
    const text = (value === 0 ? '·' : String(value)).padStart(Math.max(column.length, 5))
    if (value === 0) return text
    if (column === 'differing') return colors.red(text)
    return column === 'refused' ? colors.yellow(text) : text
  }
  const heading = columns.map((column) => column.padStart(Math.max(column.length, 5)))
  return [
    colors.dim(['source'.padEnd(width), ...heading].join('  ')),
    ...rows.map((row) => {
      const line = [row.source.padEnd(width), ...columns.map((column) => cell(row, column))]
      return row === total ? colors.bold(line.join('  ')) : line.join('  ')
    }),
  ]
}

function renderSetAside({ setAside: { ofUserDevice, empty } }: ReplayReport): string[] {
  if (ofUserDevice + empty === 0) return []
  return [
    '',
    `set aside: ${empty} messages without text or calls, ${ofUserDevice} of the user's own device`,
  ]
}

function renderRefused(
  { refused }: ReplayReport,
  rules: RuleSet | undefined,
  colors: Colors,
): string[] {
  if (refused.length === 0) return []
  const lines = [
    '',
    'refused, as [message.position] call id, tool, what it is about; and the record:',
  ]
  for (const [index, row] of refused.entries()) {
    if (refused[index - 1]?.run !== row.run) {
      lines.push(`  ${row.run}  reward ${row.reward ?? 'unknown'}`)
    }
    const { content, isError } = row.answered
    lines.push(
      `    [${row.messageIndex}.${row.position}] ${row.callId}  ${colors.yellow(row.tool)} ${row.subject}`,
      `      ${isError ? 'had failed' : 'had been done'}: ${colors.dim(excerpt(content))}`,
    )
    // Where the set is one rule, its name is at the top.
    if (rules?.policies) lines.push(...row.skills.map((label) => `      under: ${excerpt(label)}`))
    if (row.onlyAfterRefusal) {
      lines.push(
        '      only because a call before it, whose result showed the same, is refused too',
      )
    }
  }
  return lines
}

function renderOracle(oracle: OracleComparison, colors: Colors): string[] {
  const { named, agreed, explainedByIdReuse, unexplained, unnamed } = oracle
  const list = (violations: readonly { run: string; tool: string; callId: string }[]) =>
    violations.map(({ run, tool, callId }) => `    ${run}  ${callId}  ${tool}`)
  return [
    '',
    `oracle: ${named} violations named`,
    `  ${agreed} refused here too`,
    `  ${explainedByIdReuse.length} named only because it joins results by ids that the run uses again`,
    ...list(explainedByIdReuse),
    ...(unexplained.length > 0
      ? [colors.red(`  ${unexplained.length} not refused, and not explained`), ...list(unexplained)]
      : []),
    `  ${unnamed.length} refused here that it does not name`,
    ...list(unnamed),
  ]
}

function renderDiffering({ differing, total }: ReplayReport, colors: Colors): string[] {
  if (differing.length === 0) {
    const but = total.refused > 0 ? ', but for the results of refused calls' : ''
    return ['', `every transcript equals its record${but}`]
  }
  return [
    '',
    colors.red('transcripts that differ from their record:'),
    ...differing.flatMap(({ run, divergence: { index, expected, actual } }) => [
      `  ${run}, at message ${index}`,
      `    recorded: ${excerpt(JSON.stringify(expected))}`,
      `    replayed: ${excerpt(JSON.stringify(actual))}`,
    ]),
  ]
}

const excerptChars = 100

/** One line of a text, without control characters that could repaint the terminal. */
function excerpt(text = 'nothing'): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
  return line.length > excerptChars ? `${line.slice(0, excerptChars)}…` : line
}
