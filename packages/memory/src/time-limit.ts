import { MemoryError } from './errors.ts'

/** The longest limit, a day: a timer of the platform that is to wait longer than 24 days fires at once. */
const longestMs = 86_400_000

/**
 * Waits for work no longer than so many milliseconds. The work itself goes on.
 *
 * @param work - Does not reject.
 * @param options.timeoutMs - Checked by `parseTimeout`; `Infinity` sets no limit.
 * @returns whether the work was over in time.
 */
export async function isOverWithin(
  work: Promise<unknown>,
  { timeoutMs }: { timeoutMs: number },
): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>((resolve) => {
    if (timeoutMs !== Number.POSITIVE_INFINITY) timer = setTimeout(resolve, timeoutMs, false)
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The result of work on a store that is waited for no longer than so many milliseconds. The work itself goes on,
 * because a database that does not answer cannot be told to stop.
 *
 * @throws MemoryError - `MEMORY_STORE_FAILED` when it takes longer; what the work throws.
 */
export async function answerWithin<Result>(
  work: Promise<Result>,
  { timeoutMs }: { timeoutMs: number },
): Promise<Result> {
  if (await isOverWithin(Promise.allSettled([work]), { timeoutMs })) return work
  throw new MemoryError(
    'MEMORY_STORE_FAILED',
    `The store did not answer within ${timeoutMs} ms. Look whether it is up and try again; what was asked may still be done.`,
  )
}

/**
 * Checks a time limit in milliseconds: above 0, at most a day, or `Infinity` for none.
 *
 * @throws MemoryError - `MEMORY_OPTION_INVALID`, naming the option.
 */
export function parseTimeout(option: string, timeoutMs: unknown): number {
  const isTime = typeof timeoutMs === 'number' && timeoutMs > 0
  if (isTime && (timeoutMs <= longestMs || timeoutMs === Number.POSITIVE_INFINITY)) {
    return timeoutMs
  }
  throw new MemoryError(
    'MEMORY_OPTION_INVALID',
    `Option "${option}" was refused. Give milliseconds above 0 and at most ${longestMs}, or Infinity for no limit.`,
    { details: { option } },
  )
}
