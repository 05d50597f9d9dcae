import { nextRound } from './next-round.ts'
import { isOverWithin } from './time-limit.ts'

/** Work of one memory that nobody waits for. */
export interface Background {
  /** Starts work. What it throws goes to `onFailure`. */
  start(work: () => Promise<unknown>): void
  /**
   * Resolves when everything that was started, here and meanwhile, is over, or when the time is.
   * Never rejects.
   *
   * @param options.timeoutMs - `Infinity` by default.
   * @returns how many pieces of work were still under way.
   */
  flush(options?: { timeoutMs?: number }): Promise<number>
  /** How many pieces of work are under way. */
  readonly size: number
}

/** Creates an empty set of work. Each memory has its own, so that one never waits for another (MEM-41). */
export function createBackground(onFailure: (thrown: unknown) => void): Background {
  const running = new Set<Promise<void>>()
  return {
    start(work) {
      // Not in this round of the event loop: whoever waits for an answer has it first (MEM-40).
      const started = nextRound()
        .then(work)
        .then(
          () => {},
          (thrown: unknown) => onFailure(thrown),
        )
        .finally(() => running.delete(started))
      running.add(started)
    },
    async flush({ timeoutMs = Number.POSITIVE_INFINITY } = {}) {
      const drained = async () => {
        while (running.size > 0) await Promise.all(running)
      }
      await isOverWithin(drained(), { timeoutMs })
      return running.size
    },
    get size() {
      return running.size
    },
  }
}
