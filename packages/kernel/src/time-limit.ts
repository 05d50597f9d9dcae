import { type Cancellation, createCancellation } from './cancellation.ts'

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
  const limit = createCancellation(signal, lateAfter(timeoutMs))
  try {
    return await limit.race(Promise.resolve(work))
  } finally {
    limit.close()
  }
}

/** The limit of a `Cancellation`, in the words that reports show. */
export function lateAfter(timeoutMs: number) {
  return { timeoutMs, reason: () => new Error(`it took longer than ${timeoutMs} ms`) }
}

/**
 * Waits as `withinTime` does, for somebody who has the signal of the limit: what they give as soon as it
 * has fired is taken. So who asks others can say which of them has not answered.
 *
 * @throws The limit's reason.
 */
export async function withLastWord<Value>(
  work: Value | PromiseLike<Value>,
  limit: Cancellation,
): Promise<Value> {
  if (!isThenable(work)) return work
  const given = Promise.resolve(work)
  try {
    return await limit.race(given)
  } catch (error) {
    if (!limit.signal.aborted) throw error
    const silence = new Promise<never>((_, reject) => setImmediate(reject, error))
    return await Promise.race([given, silence])
  }
}

function isThenable<Value>(work: Value | PromiseLike<Value>): work is PromiseLike<Value> {
  const isObject = typeof work === 'object' || typeof work === 'function'
  return isObject && work !== null && typeof (work as PromiseLike<Value>).then === 'function'
}
