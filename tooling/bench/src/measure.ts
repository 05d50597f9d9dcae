import { setImmediate as eventLoopTurn } from 'node:timers/promises'
import { measure } from 'mitata'

/** One of those that are compared. */
export interface Contender {
  /** Unique within its suite. */
  readonly name: string
  /** What is timed. A promise is awaited; what it comes to is of no interest. */
  readonly work: () => unknown
  /** How many of the compared things one call does, such as 10 steps. */
  readonly units: number
}

/** How long to measure. */
export interface Effort {
  /** Times that every contender gets its turn; at least 1. */
  readonly rounds: number
  /** Milliseconds of a turn, at the least. A turn has three timed calls however slow they are. */
  readonly turnMs: number
  /** Milliseconds that every contender runs unmeasured before the first round. */
  readonly warmUpMs: number
}

/**
 * Measures the contenders in turn, again and again. Turns are short and rounds are many: whatever
 * else the machine does then falls on all of them alike. Each round starts with another contender,
 * so that nobody always follows the garbage of the same neighbour.
 *
 * @returns For each name, nanoseconds per unit: the median of its turn, a figure per round.
 */
export async function measureInTurn(
  contenders: readonly Contender[],
  { rounds, turnMs, warmUpMs }: Effort,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const figures = new Map(contenders.map(({ name }) => [name, [] as number[]]))
  // What an earlier suite left behind is not for this one to clear.
  globalThis.gc?.()
  for (let part = 0; part < warmUpParts; part += 1) {
    for (const contender of contenders) await measureTurn(contender, warmUpMs / warmUpParts)
  }
  for (let round = 0; round < rounds; round += 1) {
    const first = round % contenders.length
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      figures.get(contender.name)?.push(await measureTurn(contender, turnMs))
    }
  }
  return figures
}

/** The middle figure, or the mean of the middle two; NaN of none. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN
  return (lower + upper) / 2
}

/** The warm-up goes round, too: code the contenders share is compiled for all of them. */
const warmUpParts = 5

async function measureTurn({ work, units }: Contender, milliseconds: number): Promise<number> {
  // Between two turns of an agent a process sees to its other events. A loop of microtasks alone
  // would keep the runtime from what it does then, such as letting go of weakly held signals.
  await eventLoopTurn()
  const { p50 } = await measure(work, {
    min_cpu_time: milliseconds * 1e6,
    min_samples: 3,
    // Fast work is timed in batches of so many calls; mitata's own 4,096 are long for a turn.
    batch_samples: 128,
    // A full collection before a turn throws compiled code away as well.
    gc: false,
  })
  return p50 / units
}
