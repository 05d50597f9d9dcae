import { PluginError } from './errors.ts'
import { kindOf } from './printable.ts'

/** What came of asking somebody who may throw, hang or be cut short. */
export type Answer =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'late' }
  | { readonly kind: 'aborted' }

/** How long to wait, and for whom. */
export interface Patience {
  /** Milliseconds; undefined waits for ever. An answer that comes later does not count. */
  readonly timeLimitMs: number | undefined
  /** The run's; undefined when nothing can stop it. */
  readonly signal: AbortSignal | undefined
}

/**
 * Asks, and waits for an answer no longer than allowed. Never rejects. Who is asked gets a signal
 * that fires when nobody waits any more; undefined when that cannot happen.
 */
export function answerWithin(
  ask: (signal: AbortSignal | undefined) => unknown,
  { timeLimitMs, signal }: Patience,
): Answer | Promise<Answer> {
  if (signal?.aborted) return aborted
  if (timeLimitMs === undefined) return raced(() => ask(signal), { signal, timeLimitMs })
  const startedAt = performance.now()
  const isLate = () => performance.now() - startedAt > timeLimitMs
  const ending = new AbortController()
  const outcome = raced(() => ask(ending.signal), { signal, timeLimitMs })
  if (!(outcome instanceof Promise)) return isLate() ? late : outcome
  return outcome.then((answer) => {
    // A timer runs only when the thread is free; an answer may slip in before it, too late.
    const settled = answer.kind === 'value' && isLate() ? late : answer
    if (settled.kind === 'late') ending.abort(new Error('the time limit has passed'))
    if (settled.kind === 'aborted') ending.abort(signal?.reason)
    return settled
  })
}

/**
 * A time limit that can be kept: more than 0 ms and within what a timer can count.
 *
 * @throws PluginError `PLUGIN_OPTION_INVALID` for anything else but undefined.
 */
export function requireTimeLimit(value: unknown): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number' && value > 0 && value <= longestTimerMs) return value
  const seen = typeof value === 'number' ? String(value) : kindOf(value)
  throw new PluginError(
    'PLUGIN_OPTION_INVALID',
    `timeLimitMs is ${seen}. Give milliseconds above 0 and up to ${longestTimerMs}, or leave it out.`,
    { details: { option: 'timeLimitMs' } },
  )
}

/** A timer set for longer fires at once. */
const longestTimerMs = 2 ** 31 - 1

const late: Answer = Object.freeze({ kind: 'late' })
const aborted: Answer = Object.freeze({ kind: 'aborted' })

function raced(ask: () => unknown, { signal, timeLimitMs }: Patience): Answer | Promise<Answer> {
  let result: unknown
  try {
    result = ask()
    if (!isThenable(result)) return { kind: 'value', value: result }
  } catch (error) {
    return { kind: 'threw', error }
  }
  return new Promise((resolve) => {
    const end = (answer: Answer) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      resolve(answer)
    }
    const abort = () => end(aborted)
    const timer = timeLimitMs === undefined ? undefined : setTimeout(() => end(late), timeLimitMs)
    signal?.addEventListener('abort', abort)
    // The asked one may have brought the abort about.
    if (signal?.aborted) abort()
    // Through a promise of ours, whatever a foreign `then` does can only settle it once.
    new Promise((settle) => settle(result)).then(
      (value) => end({ kind: 'value', value }),
      (error: unknown) => end({ kind: 'threw', error }),
    )
  })
}

/** Whether a value can be waited for, as `await` sees it. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return false
  return typeof (value as { readonly then?: unknown }).then === 'function'
}
