import type { ScopeOrder } from '../scope-order.ts'
import { answerWithin } from '../time-limit.ts'

/** Milliseconds that a write is waited for. */
export const writeTimeoutMs = 30_000

/**
 * Does work on the store when it is its turn. Whoever waits and the place are let go after a while: a write that
 * never ends must not keep everything else of its scope.
 */
export function inOrder<Result>(
  place: ReturnType<ScopeOrder['beside']>,
  work: () => Promise<Result>,
): Promise<Result> {
  const limit = { timeoutMs: writeTimeoutMs }
  return answerWithin(
    place(() => answerWithin(work(), limit)),
    limit,
  )
}
