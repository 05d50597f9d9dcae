import { AsyncLocalStorage } from 'node:async_hooks'
import type { Scope } from './scope.ts'

/** The identity of the turn that is running now, as tools and libraries below it can ask for it. */
export interface AmbientTurn {
  readonly runId: string
  readonly sessionId: string | undefined
  readonly scope: Scope | undefined
}

const storage = new AsyncLocalStorage<AmbientTurn>()

/**
 * The turn this code runs in, or undefined outside a turn. Tools are bound once and serve many
 * tenants; this is how one learns, at call time, for whom it works (KERN-16).
 */
export function currentTurn(): AmbientTurn | undefined {
  return storage.getStore()
}

/**
 * Re-enters `turn` around every pull of `source`, so that the generator's body sees its own turn
 * whoever consumes it, and the consumer never does (DESIGN decision 15, OPEN-STREAM-6).
 */
export function withinTurn<Event, Result>(
  turn: AmbientTurn,
  source: AsyncGenerator<Event, Result, void>,
): AsyncGenerator<Event, Result, void> {
  const owned: AsyncGenerator<Event, Result, void> = {
    next: () => storage.run(turn, () => source.next()),
    return: (value) => storage.run(turn, () => source.return(value)),
    throw: (error) => storage.run(turn, () => source.throw(error)),
    [Symbol.asyncIterator]: () => owned,
    [Symbol.asyncDispose]: async () => {
      await storage.run(turn, () => source.return(undefined as Result))
    },
  }
  return owned
}
