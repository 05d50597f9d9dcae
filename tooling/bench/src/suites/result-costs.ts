import { existsSync } from 'node:fs'
import {
  type Asking,
  type Conversation,
  costOf,
  factOfThirdResult,
  type HistoryPolicy,
  liveThrough,
  ourPolicy,
  type Reach,
  reachAtEnd,
  readConversations,
  recordedData,
  sendEverything,
  twentyResults,
} from '@symfonic/replay/results'
import { layOut } from '../lay-out.ts'
import { langchainContextEditing } from '../peers/langchain-context-editing.ts'
import { pruneAllButThree } from '../peers/prune-messages.ts'
import { strandsOffloader } from '../peers/strands-offloader.ts'
import type { Computation, ComputedSuite } from '../suite.ts'

/** As the SDK's `pruneMessages` keeps three whatever the length of a conversation. */
const fromTheFirstTokenOn = { trigger: { tokens: 1 }, keep: { messages: 3 } }

const ours = ourPolicy()
const others: readonly HistoryPolicy[] = [
  sendEverything,
  langchainContextEditing('LangChain context editing', undefined),
  langchainContextEditing('LangChain context editing, last 3', fromTheFirstTokenOn),
  pruneAllButThree,
  strandsOffloader,
]

/**
 * What a run costs, with cache prices, when its tool results are sent as each package would have it: on the run
 * of twenty results and on the recorded runs. Beside it, whether the third result can still be reached.
 */
export const resultCosts: ComputedSuite = {
  name: 'results/costs',
  compute: () => compareCosts(existsSync(recordedData) ? readConversations(recordedData) : []),
}

/** @param recorded - May be empty: the run of twenty results is compared all the same. */
export async function compareCosts(recorded: readonly Conversation[]): Promise<Computation> {
  const twenty = await tryAll(twentyResults())
  const runs: Trial[][] = []
  for (const conversation of recorded) runs.push(await tryAll(conversation))
  const dearer = dearerRuns(recorded, runs)
  const populations = [...new Set(recorded.map(({ population }) => population))]
  const inPopulation = (name: string) =>
    runs.filter((_, index) => recorded[index]?.population === name)
  return {
    text: [
      'twenty results of 20 kB',
      ...layOut([
        ['', 'chars', 'cost', 'asking', 'fact'],
        ...twenty.map((trial) => [
          trial.policy,
          ...ratiosOf([trial], twenty.slice(0, 1)),
          trial.reach ?? '',
        ]),
      ]),
      ...populations.flatMap((name) => ['', ...renderPopulation(name, inPopulation(name))]),
      ...(recorded.length === 0 ? ['', `skipped: ${recordedData} is not there.`] : []),
      ...renderDearer(dearer, recorded.length),
    ].join('\n'),
    ratios: [
      { name: 'twenty results of 20 kB, ours / the cheapest other', ...againstOthers([twenty]) },
      ...populations.map((name) => ({
        name: `${name}, ours / the cheapest other`,
        ...againstOthers(inPopulation(name)),
      })),
      ...(recorded.length === 0
        ? []
        : [{ name: 'recorded runs in which another is cheaper', ratio: dearer.length, bound: 0 }]),
    ],
  }
}

/** One policy on one conversation. */
interface Trial {
  readonly policy: string
  readonly sentChars: number
  readonly usd: { readonly [kind in Exclude<Asking, 'everything'>]: number }
  /** undefined where the conversation has no fact to reach. */
  readonly reach: Reach | undefined
  /** Results that were gone before a model had read them, and cannot be recalled. */
  readonly lostUnread: number
}

async function tryAll(conversation: Conversation): Promise<Trial[]> {
  const fact = factOfThirdResult(conversation)
  const trials: Trial[] = []
  for (const policy of [...others, ours]) {
    const live = (asking: Asking) => liveThrough(conversation, policy, { asking, withTool: false })
    const silent = await live('nothing')
    const { sentChars, usd } = costOf(silent.requests)
    trials.push({
      policy: policy.name,
      sentChars,
      usd: { nothing: usd, arguments: costOf((await live('arguments')).requests).usd },
      reach: fact && (await reachAtEnd(conversation, policy, fact)),
      lostUnread: policy.toolText === undefined ? silent.unread : 0,
    })
  }
  return trials
}

/** Cost with all that had to be asked for, summed over some runs: ours against the best other. */
function againstOthers(runs: readonly Trial[][]) {
  const sum = (name: string) =>
    runs.flat().reduce((all, { policy, usd }) => (policy === name ? all + usd.arguments : all), 0)
  return { ratio: sum(ours.name) / Math.min(...others.map(({ name }) => sum(name))), bound: 1 }
}

function renderPopulation(name: string, runs: readonly Trial[][]): string[] {
  const of = (policy: string) => runs.flat().filter((trial) => trial.policy === policy)
  const nothing = of(sendEverything.name)
  return [
    `${name}, ${runs.length} recorded runs`,
    ...layOut([
      ['', 'chars', 'cost', 'asking', 'facts reached'],
      ...[...others, ours].map((policy) => {
        const trials = of(policy.name)
        const facts = trials.filter(({ reach }) => reach !== undefined)
        const reached = facts.filter(({ reach }) => reach !== 'lost')
        return [policy.name, ...ratiosOf(trials, nothing), `${reached.length} of ${facts.length}`]
      }),
    ]),
  ]
}

/** Characters, cost and cost with recalls, against sending everything. */
function ratiosOf(trials: readonly Trial[], nothing: readonly Trial[]): string[] {
  const figures: ((trial: Trial) => number)[] = [
    ({ sentChars }) => sentChars,
    ({ usd }) => usd.nothing,
    ({ usd }) => usd.arguments,
  ]
  return figures.map((figure) => {
    const sum = (some: readonly Trial[]) => some.reduce((all, trial) => all + figure(trial), 0)
    return (sum(trials) / sum(nothing)).toFixed(3)
  })
}

/** The runs in which another is cheaper than we are, and what that one had taken away. */
function dearerRuns(recorded: readonly Conversation[], runs: readonly Trial[][]): string[] {
  return runs.flatMap((trials, index) => {
    const [cheapest] = trials.toSorted((a, b) => a.usd.arguments - b.usd.arguments)
    const mine = trials.find(({ policy }) => policy === ours.name)
    if (cheapest === undefined || mine === undefined) return []
    const ratio = mine.usd.arguments / cheapest.usd.arguments
    if (ratio <= 1 + rounding) return []
    const { policy, lostUnread, reach } = cheapest
    const lost = [
      ...(lostUnread > 0 ? [`${lostUnread} results lost before a model had read them`] : []),
      ...(reach === 'lost' ? ['the fact lost'] : []),
    ]
    const told = lost.length > 0 ? ` (${lost.join(', ')})` : ''
    return [`  ${ratio.toFixed(4)}  ${recorded[index]?.id}: ${policy}${told}`]
  })
}

function renderDearer(dearer: readonly string[], ofAll: number): string[] {
  const count = `another is cheaper in ${dearer.length} of ${ofAll} recorded runs`
  return ofAll === 0 ? [] : ['', dearer.length === 0 ? count : `${count}:`, ...dearer]
}

/** Sums of floating point numbers are never quite equal. */
const rounding = 1e-9
