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
  /**
   * For who is asked beside others: what they do with the thread does not count. The clock starts when
   * all have been asked, and an answer counts that comes before the timer does.
   */
  readonly isBesideOthers?: boolean
}

/** Waits for answers, one after the other. Each has the whole time; the clock is shared. */
export interface Waiting {
  /**
   * Asks, and waits for the answer no longer than allowed. Never rejects. Who is asked gets a signal
   * that fires when nobody waits any more; undefined when that cannot happen.
   */
  answer(ask: (signal: AbortSignal | undefined) => unknown): Answer | Promise<Answer>
  /** Lets go of the clock and of the run. Nobody may be waited for then. */
  close(): void
}

/** Waits for a single answer. */
export function answerWithin(
  ask: (signal: AbortSignal | undefined) => unknown,
  patience: Patience,
): Answer | Promise<Answer> {
  const waiting = openWaiting(patience)
  const close = (answer: Answer) => {
    waiting.close()
    return answer
  }
  const answer = waiting.answer(ask)
  return answer instanceof Promise ? answer.then(close) : close(answer)
}

/** To wait for several. Timers, listeners and signals cost more than most answers, so these share them. */
export function openWaiting({ timeLimitMs, signal, isBesideOthers }: Patience): Waiting {
  let ending: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isListening = false
  let end: ((answer: Answer) => void) | undefined
  const abort = () => end?.(aborted)
  const startClock = () => {
    if (timeLimitMs !== undefined) {
      // Outside of Node a timer may be a number.
      if (typeof timer?.refresh === 'function') timer.refresh()
      else {
        clearTimeout(timer)
        timer = setTimeout(() => end?.(late), timeLimitMs)
      }
    }
    if (!isListening) signal?.addEventListener('abort', abort)
    isListening = true
    // The asked one may have brought the abort about.
    if (signal?.aborted) abort()
  }

  return {
    answer: (ask) => {
      if (signal?.aborted) return aborted
      // One that has fired tells the next asked one nothing.
      if (ending?.signal.aborted) ending = undefined
      // Who takes no signal needs none: making one costs more than most answers.
      if (timeLimitMs !== undefined && ask.length > 0) ending ??= new AbortController()
      const startedAt = timeLimitMs === undefined ? 0 : performance.now()
      const isLate = () => timeLimitMs !== undefined && performance.now() - startedAt > timeLimitMs
      let result: unknown
      try {
        result = ask(ending?.signal ?? signal)
        if (!isThenable(result)) {
          // Who stops the run and answers at once has not answered for a run that goes on.
          if (signal?.aborted) return aborted
          return isLate() ? late : { kind: 'value', value: result }
        }
      } catch (error) {
        return isLate() ? late : { kind: 'threw', error }
      }
      return new Promise((resolve) => {
        const settle = (answer: Answer) => {
          if (end !== settle) return
          end = undefined
          resolve(answer)
          if (answer.kind === 'late') ending?.abort(new Error('the time limit has passed'))
          if (answer.kind === 'aborted') ending?.abort(signal?.reason)
        }
        end = settle
        const isLateByItself = isBesideOthers === true && isLate()
        if (isBesideOthers) queueMicrotask(() => end === settle && startClock())
        else startClock()
        // Through a promise of ours, whatever a foreign `then` does can only settle it once.
        new Promise((settled) => settled(result)).then(
          // A timer runs only when the thread is free; an answer may slip in before it, too late.
          (value) =>
            settle((isBesideOthers ? isLateByItself : isLate()) ? late : { kind: 'value', value }),
          (error: unknown) => settle({ kind: 'threw', error }),
        )
      })
    },
    close: () => {
      end = undefined
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    },
  }
}

/**
 * A time limit that can be kept: more than 0 ms and within what a timer can count. Default 30,000,
 * since nobody is waited for for ever by oversight.
 *
 * @returns undefined for `Infinity`: who says so waits for ever.
 * @throws PluginError `PLUGIN_OPTION_INVALID` for anything else.
 */
export function requireTimeLimit(value: unknown): number | undefined {
  if (value === undefined) return defaultTimeLimitMs
  if (value === Number.POSITIVE_INFINITY) return undefined
  if (typeof value === 'number' && value > 0 && value <= longestTimerMs) return value
  const seen = typeof value === 'number' ? String(value) : kindOf(value)
  throw new PluginError(
    'PLUGIN_OPTION_INVALID',
    `timeLimitMs is ${seen}. Give milliseconds above 0 and up to ${longestTimerMs}, or Infinity to wait for ever.`,
    { details: { option: 'timeLimitMs' } },
  )
}

const defaultTimeLimitMs = 30_000

/** A timer set for longer fires at once. */
const longestTimerMs = 2 ** 31 - 1

const late: Answer = Object.freeze({ kind: 'late' })
const aborted: Answer = Object.freeze({ kind: 'aborted' })

/** Whether a value can be waited for, as `await` sees it. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return false
  return typeof (value as { readonly then?: unknown }).then === 'function'
}
