/**
 * What can end a wait early: a signal of the caller's, a time limit of ours. Abort is cooperative in
 * the AI SDK and in most tools, so a deaf one would hang a turn; every wait is raced here instead.
 */
export interface Cancellation {
  /** Handed to whoever listens. */
  readonly signal: AbortSignal
  /** Settles as `work` does, or rejects with the signal's reason as soon as it fires. */
  race<Value>(work: PromiseLike<Value>): Promise<Value>
  /** Ends the wait now, with `reason`. */
  cancel(reason: unknown): void
  /** Stops the timer and lets go of the parent signal. */
  close(): void
}

/** Beyond it a timer of the platform fires at once. */
export const longestTimerMs = 2 ** 31 - 1

/**
 * @param parent - Fires this one too; may be aborted already.
 * @param limit - Milliseconds until `reason()` is thrown. Absent: no limit.
 */
export function createCancellation(
  parent: AbortSignal | undefined,
  limit?: { readonly timeoutMs: number; readonly reason: () => unknown },
): Cancellation {
  const controller = new AbortController()
  const waiting = new Set<(reason: unknown) => void>()

  const cancel = (reason: unknown) => {
    if (controller.signal.aborted) return
    controller.abort(reason)
    // The signal makes a reason of its own when it is given none.
    for (const reject of waiting) reject(controller.signal.reason)
    waiting.clear()
  }

  const onParentAbort = () => cancel(parent?.reason)
  if (parent?.aborted) onParentAbort()
  else parent?.addEventListener('abort', onParentAbort, { once: true })

  const timer = limit && setTimeout(() => cancel(limit.reason()), limit.timeoutMs)

  return {
    signal: controller.signal,
    cancel,
    race: (work) =>
      new Promise((resolve, reject) => {
        if (controller.signal.aborted) {
          // The loser's rejection would otherwise surface as unhandled.
          Promise.resolve(work).catch(() => {})
          reject(controller.signal.reason)
          return
        }
        // One entry a wait, not one reaction a wait on a long-lived promise: a stream of 200,000
        // deltas must not leave 200,000 reactions behind.
        waiting.add(reject)
        work.then(
          (value) => {
            waiting.delete(reject)
            resolve(value)
          },
          (error) => {
            waiting.delete(reject)
            reject(error)
          },
        )
      }),
    close: () => {
      clearTimeout(timer)
      parent?.removeEventListener('abort', onParentAbort)
    },
  }
}
