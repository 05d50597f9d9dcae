import { type Contender, type Effort, measureInTurn, median } from './measure.ts'

/** Something measured, with what it is measured against. */
export interface Suite {
  /** `package/topic`, as `--suite` takes it. */
  readonly name: string
  /**
   * Builds the contenders anew and proves that they do the same work.
   *
   * @throws Error when they do not: a ratio between different work means nothing.
   */
  readonly prepare: () => Promise<Contest> | Contest
}

/** Contenders, and which of them to compare. */
export interface Contest {
  readonly contenders: readonly Contender[]
  readonly comparisons: readonly Comparison[]
}

/** One row of the report to be. */
export interface Comparison {
  /** What is compared with what, and per which unit. */
  readonly name: string
  /** Name of a contender. */
  readonly ours: string
  /** Name of a contender whose time is taken off ours, so that what is left is what we add to it. */
  readonly less?: string
  /** Name of a contender, or a fixed time in nanoseconds. */
  readonly theirs: string | number
  /** The ratio that must not be exceeded. Absent: the row is for reference. */
  readonly bound?: number
  /** A ratio worth reaching that nothing depends on. */
  readonly aim?: number
}

/** One comparison, measured. */
export interface Row {
  readonly suite: string
  readonly name: string
  /** Nanoseconds per unit, the median over the rounds. */
  readonly oursNs: number
  /** Likewise, or the fixed time. */
  readonly theirsNs: number
  /** Ours divided by theirs within a round, the median over the rounds. Lower is better. */
  readonly ratio: number
  readonly bound: number | undefined
  readonly aim: number | undefined
}

/** A suite whose figures are no times of contenders in turn: it works them out, and says them, itself. */
export interface ComputedSuite {
  /** As that of a measured suite. */
  readonly name: string
  readonly compute: () => Promise<Computation> | Computation
}

/** What a computed suite comes to. */
export interface Computation {
  /** What a person reads: lines joined by newlines, none at the end. */
  readonly text: string
  readonly ratios: readonly Omit<Ratio, 'suite'>[]
}

/** One ratio, measured or computed. Lower is better. */
export type Ratio = Pick<Row, 'suite' | 'name' | 'ratio' | 'bound'>

/** Runs a suite: one row for each of its comparisons, in its order. */
export async function runSuite(suite: Suite, effort: Effort): Promise<readonly Row[]> {
  const { contenders, comparisons } = await suite.prepare()
  const figures = await measureInTurn(contenders, effort)
  return comparisons.map(({ name, ours, less, theirs, bound, aim }) => {
    const lessNs = less === undefined ? [] : figuresOf(less)
    const ourNs = figuresOf(ours).map((figure, round) => figure - (lessNs[round] ?? 0))
    const theirNs = typeof theirs === 'number' ? ourNs.map(() => theirs) : figuresOf(theirs)
    return {
      suite: suite.name,
      name,
      oursNs: median(ourNs),
      theirsNs: median(theirNs),
      ratio: median(ourNs.map((figure, round) => figure / (theirNs[round] ?? Number.NaN))),
      bound,
      aim,
    }
  })

  function figuresOf(contender: string): readonly number[] {
    const found = figures.get(contender)
    if (found !== undefined) return found
    throw new Error(`Suite ${suite.name} has no contender "${contender}". Name one of its own.`)
  }
}

/** Is a bound exceeded? A ratio that could not be measured exceeds it, too. */
export function isMissed({ ratio, bound }: Pick<Row, 'ratio' | 'bound'>): boolean {
  return bound !== undefined && !(ratio <= bound)
}
