import { AsyncLocalStorage } from 'node:async_hooks'
import type { Scope } from './scope.ts'

/** The identity of the turn that is running now, as tools and libraries below it can ask for it. */
export interface AmbientTurn {
  readonly runId: string
  readonly sessionId: string | undefined
  readonly scope: Scope | undefined
  /** 0 for a turn that a host runs, one more for each turn that it is run within, as by a tool. */
  readonly depth: number
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
 * whoever consumes it, and the consumer never does (DESIGN decision 15, OPEN-STREAM-6). Other
 * ambient stores, such as the current span, stay as they were when the turn began.
 */
export function withinTurn<Event, Result>(
  turn: AmbientTurn,
  source: AsyncGenerator<Event, Result, void>,
): AsyncGenerator<Event, Result, void> {
  // One snapshot a turn: building a context for every delta would cost a sixth of the delta.
  const enter = storage.run(turn, () => AsyncLocalStorage.snapshot())
  const next = () => source.next()
  const owned: AsyncGenerator<Event, Result, void> = {
    next: () => enter(next),
    return: (value) => enter(() => source.return(value)),
    throw: (error) => enter(() => source.throw(error)),
    [Symbol.asyncIterator]: () => owned,
    [Symbol.asyncDispose]: async () => {
      await enter(() => source.return(undefined as Result))
    },
  }
  return owned
}
