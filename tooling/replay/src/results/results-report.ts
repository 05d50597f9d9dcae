import type picocolors from 'picocolors'
import type { Conversation } from './conversation.ts'
import { type HistoryPolicy, sendEverything } from './history-policy.ts'
import { type Asking, type LivedThrough, liveThrough } from './live-through.ts'
import { costOf, type RunCost } from './prompt-cache.ts'

/** What a policy comes to on recorded conversations, as plain data. */
export interface ResultsReport {
  readonly policy: string
  /** In the order in which they first appear, then all together. */
  readonly rows: readonly PopulationRow[]
  /** Runs that cost more with the policy than without, the recalls of arguments counted. */
  readonly dearer: readonly RunRatio[]
  /** What the policy's tool did not show although a compacted result has it. */
  readonly unanswered: readonly { readonly run: string; readonly value: string }[]
}

/** The figures of one population. */
export interface PopulationRow {
  readonly population: string
  readonly runs: number
  /** Messages that a model wrote. */
  readonly steps: number
  /** Characters of all prompts, none asked for. */
  readonly sentChars: Pair
  /** Share of them that is not sent with the policy, 0 to 1. */
  readonly saved: number
  /** US dollars, with cache prices. */
  readonly usd: Pair & {
    readonly asking: { readonly [kind in Exclude<Asking, 'nothing'>]: number }
    /** Asking for arguments, and the description of the policy's tool sent with each request. */
    readonly withTool: number
  }
  /** The run that costs most in relation to itself without a policy. */
  readonly dearest: RunRatio
  readonly dearestAsking: RunRatio
  /** The same with the words of answers asked for as well. */
  readonly dearestAskingAll: RunRatio
  /** Asking for arguments, with the description of the tool. */
  readonly dearestWithTool: RunRatio
  /** Messages with a call whose arguments are shown only by results that were taken out of sight. */
  readonly calls: Needs
  /** Messages that say such a thing. */
  readonly answers: Needs
}

/** The same figure without a policy and with it. */
export interface Pair {
  readonly without: number
  readonly with: number
}

/** A run and what it costs in relation to itself without a policy. */
export interface RunRatio {
  readonly run: string
  readonly ratio: number
}

/** How many need something, and how many of them the policy's tool serves. */
export interface Needs {
  readonly needing: number
  readonly answered: number
}

/** Lives all conversations through, with the policy and without. */
export async function reportOnResults(
  conversations: readonly Conversation[],
  policy: HistoryPolicy,
): Promise<ResultsReport> {
  const lived: LivedRun[] = []
  for (const conversation of conversations) lived.push(await live(conversation, policy))
  const populations = [...new Set(lived.map(({ population }) => population))]
  return {
    policy: policy.name,
    rows: [
      ...populations.map((name) =>
        rowOf(
          name,
          lived.filter(({ population }) => population === name),
        ),
      ),
      rowOf('all', lived),
    ],
    dearer: lived
      .map(({ run, usd }) => ({ run, ratio: usd.arguments / usd.without }))
      .filter(({ ratio }) => ratio > 1 + rounding),
    unanswered: lived.flatMap(({ run, needs }) =>
      needs.flatMap(({ unanswered }) => unanswered.map(({ value }) => ({ run, value }))),
    ),
  }
}

/** Sums of floating point numbers are never quite equal. */
const rounding = 1e-9

interface LivedRun {
  readonly run: string
  readonly population: string
  readonly steps: number
  readonly sentChars: Pair
  readonly usd: {
    readonly without: number
    readonly nothing: number
    readonly arguments: number
    readonly everything: number
    readonly withTool: number
  }
  readonly needs: LivedThrough['needs']
}

async function live(conversation: Conversation, policy: HistoryPolicy): Promise<LivedRun> {
  const cost = async (with_: HistoryPolicy, asking: Asking, withTool = false) => {
    const { requests, ...rest } = await liveThrough(conversation, with_, { asking, withTool })
    return { ...rest, cost: costOf(requests) }
  }
  const without = await cost(sendEverything, 'nothing')
  const silent = await cost(policy, 'nothing')
  const asking = await cost(policy, 'arguments')
  const askingAll = await cost(policy, 'everything')
  const withTool = await cost(policy, 'arguments', true)
  const usd = ({ cost }: { cost: RunCost }) => cost.usd
  return {
    run: conversation.id,
    population: conversation.population,
    steps: silent.steps,
    sentChars: { without: without.cost.sentChars, with: silent.cost.sentChars },
    usd: {
      without: usd(without),
      nothing: usd(silent),
      arguments: usd(asking),
      everything: usd(askingAll),
      withTool: usd(withTool),
    },
    needs: silent.needs,
  }
}

function rowOf(population: string, lived: readonly LivedRun[]): PopulationRow {
  const sum = (figure: (run: LivedRun) => number) =>
    lived.reduce((all, run) => all + figure(run), 0)
  const dearest = (figure: (usd: LivedRun['usd']) => number) =>
    lived
      .map(({ run, usd }) => ({ run, ratio: figure(usd) / usd.without }))
      .reduce((most, next) => (next.ratio > most.ratio ? next : most))
  const sentChars = {
    without: sum((run) => run.sentChars.without),
    with: sum((run) => run.sentChars.with),
  }
  return {
    population,
    runs: lived.length,
    steps: sum(({ steps }) => steps),
    sentChars,
    saved: 1 - sentChars.with / sentChars.without,
    usd: {
      without: sum(({ usd }) => usd.without),
      with: sum(({ usd }) => usd.nothing),
      asking: {
        arguments: sum(({ usd }) => usd.arguments),
        everything: sum(({ usd }) => usd.everything),
      },
      withTool: sum(({ usd }) => usd.withTool),
    },
    dearest: dearest((usd) => usd.nothing),
    dearestAsking: dearest((usd) => usd.arguments),
    dearestAskingAll: dearest((usd) => usd.everything),
    dearestWithTool: dearest((usd) => usd.withTool),
    calls: needsOf(lived, true),
    answers: needsOf(lived, false),
  }
}

function needsOf(lived: readonly LivedRun[], isArgument: boolean): Needs {
  const needs = lived
    .flatMap((run) => run.needs)
    .filter(({ lost }) => lost.some((value) => value.isArgument === isArgument))
  const answered = needs.filter(
    ({ unanswered }) => !unanswered.some((value) => value.isArgument === isArgument),
  )
  return { needing: needs.length, answered: answered.length }
}

const headings = [
  ...['population', 'runs', 'steps', 'chars sent', 'with policy', 'saved', 'cost', 'with policy'],
  ...['ratio', 'dearest', 'asking', 'dearest', 'asking all', 'dearest', 'and tool'],
  'dearest',
  ...['calls', 'recalled', 'answers', 'recalled'],
]

/** The report a person reads. Lines are joined by newlines, none at the end. */
export function renderResults(
  { policy, rows, dearer, unanswered }: ResultsReport,
  colors: ReturnType<typeof picocolors.createColors>,
): string {
  const cells = rows.map(cellsOf)
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((line) => line[column]?.length ?? 0)),
  )
  const layOut = (line: readonly string[]) =>
    line
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return column === 0 ? cell.padEnd(width) : cell.padStart(width)
      })
      .join('  ')
      .trimEnd()
  return [
    `results: ${policy}, against sending everything`,
    '',
    colors.dim(layOut(headings)),
    ...cells.map(layOut),
    '',
    'cost: US dollars, with the cache prices of Claude Sonnet. asking: recalls of the arguments of calls counted;',
    'asking all: those of words in answers, too; and tool: asking, and the description of the recall tool in every',
    'request. calls, answers: messages that use what no longer was in sight; recalled: all of it, by the recall tool.',
    '',
    dearer.length === 0
      ? colors.green('no run costs more than without, what calls ask for counted')
      : colors.red(`${dearer.length} runs cost more than without, what calls ask for counted:`),
    ...dearer.map(({ run, ratio }) => `  ${ratio.toFixed(3)}  ${run}`),
    unanswered.length === 0
      ? colors.green('everything out of sight can be recalled')
      : colors.red(`${unanswered.length} values cannot be recalled:`),
    ...unanswered.map(({ run, value }) => `  ${JSON.stringify(value.slice(0, 80))}  ${run}`),
  ].join('\n')
}

function cellsOf(row: PopulationRow): string[] {
  const { usd, sentChars, calls, answers } = row
  const ratio = (figure: number) => figure.toFixed(3)
  return [
    row.population,
    String(row.runs),
    String(row.steps),
    String(sentChars.without),
    String(sentChars.with),
    `${(row.saved * 100).toFixed(1)}%`,
    usd.without.toFixed(3),
    usd.with.toFixed(3),
    ratio(usd.with / usd.without),
    ratio(row.dearest.ratio),
    ratio(usd.asking.arguments / usd.without),
    ratio(row.dearestAsking.ratio),
    ratio(usd.asking.everything / usd.without),
    ratio(row.dearestAskingAll.ratio),
    ratio(usd.withTool / usd.without),
    ratio(row.dearestWithTool.ratio),
    String(calls.needing),
    String(calls.answered),
    String(answers.needing),
    String(answers.answered),
  ]
}
