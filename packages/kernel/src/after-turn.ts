import type { Capability, TurnOutcome, TurnView } from './capability.ts'
import type { Logger } from './logger.ts'

/** The work of capabilities after the turns of one kernel. */
export interface AfterTurn {
  /** Tells everyone who wants to know that a turn has ended. Returns at once and never throws. */
  start(outcome: TurnOutcome, view: TurnView): void
  /** Resolves when all that was started, here and meanwhile, is done. Never rejects. */
  flush(): Promise<void>
}

/** No work yet. Each kernel has its own, so that one never waits for another (MEM-41). */
export function createAfterTurn(capabilities: readonly Capability[], logger: Logger): AfterTurn {
  const running = new Set<Promise<void>>()

  return {
    start: (outcome, view) => {
      for (const { name, onTurnEnd } of capabilities) {
        if (onTurnEnd === undefined) continue
        // Begun before the consumer hears of the end, so that a flush afterwards waits for it.
        const work = (async () => onTurnEnd(outcome, view))()
          .then(
            () => {},
            (error: unknown) => logger.error(`"${name}" failed after the turn`, { error }),
          )
          .finally(() => running.delete(work))
        running.add(work)
      }
    },
    flush: async () => {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
