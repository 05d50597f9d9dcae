/** Work of one memory that nobody waits for. */
export interface Background {
  /** Starts work. What it throws goes to `onFailure`. */
  start(work: () => Promise<unknown>): void
  /** Resolves when everything that was started, here and meanwhile, is over. Never rejects. */
  flush(): Promise<void>
  /** How many pieces of work are under way. */
  readonly size: number
}

/** Calls back in another round of the event loop, in Node without the millisecond of a timer. */
const later: (callback: () => void) => void =
  globalThis.setImmediate ?? ((callback) => setTimeout(callback, 0))

/** Creates an empty set of work. Each memory has its own, so that one never waits for another (MEM-41). */
export function createBackground(onFailure: (thrown: unknown) => void): Background {
  const running = new Set<Promise<void>>()
  return {
    start(work) {
      // Not in this round of the event loop: whoever waits for an answer has it first (MEM-40).
      const started = new Promise<void>(later)
        .then(work)
        .then(
          () => {},
          (thrown: unknown) => onFailure(thrown),
        )
        .finally(() => running.delete(started))
      running.add(started)
    },
    async flush() {
      while (running.size > 0) await Promise.all(running)
    },
    get size() {
      return running.size
    },
  }
}
