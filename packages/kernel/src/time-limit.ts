import { createCancellation } from './cancellation.ts'

/**
 * Waits for what code of the host's or of a capability's has promised, at most so long. What is there
 * at once needs no timer.
 *
 * @param limit - `timeoutMs` in milliseconds; `signal` ends the wait early, with its reason.
 * @throws Error when the time is up; the work itself goes on, and what it comes to is dropped.
 */
export async function withinTime<Value>(
  work: Value | PromiseLike<Value>,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<Value> {
  if (!isThenable(work)) return work
  const limit = createCancellation(signal, {
    timeoutMs,
    reason: () => new Error(`it took longer than ${timeoutMs} ms`),
  })
  try {
    return await limit.race(Promise.resolve(work))
  } finally {
    limit.close()
  }
}

function isThenable<Value>(work: Value | PromiseLike<Value>): work is PromiseLike<Value> {
  const isObject = typeof work === 'object' || typeof work === 'function'
  return isObject && work !== null && typeof (work as PromiseLike<Value>).then === 'function'
}
