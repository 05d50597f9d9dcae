import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { answerWithin, openWaiting, requireTimeLimit } from './time-limit.ts'

const never = () => new Promise(() => {})
const patience = (timeLimitMs?: number) => ({ timeLimitMs, signal: new AbortController().signal })

describe('answerWithin', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it.each<[string, () => unknown, unknown]>([
    ['a plain value', () => 7, { kind: 'value', value: 7 }],
    ['a promise', async () => 7, { kind: 'value', value: 7 }],
    ['an object without then', () => [7], { kind: 'value', value: [7] }],
    ['a function', () => answerWithin, { kind: 'value', value: answerWithin }],
    ['a rejection', () => Promise.reject('no'), { kind: 'threw', error: 'no' }],
    [
      'a then that settles twice',
      () => ({
        // biome-ignore lint/suspicious/noThenProperty: what is tested
        then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => {
          resolve(1)
          reject('late')
          resolve(2)
        },
      }),
      { kind: 'value', value: 1 },
    ],
  ])('gives what came: %s', async (_, ask, answer) => {
    for (const limit of [undefined, 50]) {
      expect(await answerWithin(ask, patience(limit))).toEqual(answer)
    }
    expect(vi.getTimerCount()).toBe(0)
  })

  it('gives what was thrown, also by a then that cannot be read', async () => {
    const error = new Error('trap')
    const trap = () => {
      throw error
    }
    expect(await answerWithin(trap, patience())).toEqual({ kind: 'threw', error })
    const thenable = Object.defineProperty({}, 'then', { get: trap })
    expect(await answerWithin(() => thenable, patience(50))).toEqual({ kind: 'threw', error })
  })

  it('is late when the limit passes, tells the asked one so, and swallows what comes after', async () => {
    let signal: AbortSignal | undefined
    const answer = answerWithin((given) => {
      signal = given
      return new Promise((_, reject) => setTimeout(() => reject(new Error('too late')), 80))
    }, patience(50))
    await vi.advanceTimersByTimeAsync(49)
    expect(signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await answer).toEqual({ kind: 'late' })
    expect(signal?.aborted).toBe(true)
    await vi.runAllTimersAsync()
  })

  it('is late when the thread was kept busy past the limit, with a plain value or a promise', async () => {
    const now = vi.spyOn(performance, 'now')
    let time = 0
    now.mockImplementation(() => time)
    const slow = (value: unknown) => () => {
      time += 60
      return value
    }
    expect(await answerWithin(slow(true), patience(50))).toEqual({ kind: 'late' })
    expect(await answerWithin(slow(Promise.resolve(true)), patience(50))).toEqual({ kind: 'late' })
    expect(await answerWithin(slow(true), patience(60))).toEqual({ kind: 'value', value: true })
    now.mockRestore()
  })

  it('beside others counts only what the asked one takes itself', async () => {
    const now = vi.spyOn(performance, 'now')
    let time = 0
    now.mockImplementation(() => time)
    const beside = { ...patience(50), isBesideOthers: true }
    const slow = (value: unknown) => () => {
      time += 60
      return value
    }
    const answers = [
      answerWithin(async () => 'quick', beside),
      answerWithin(slow('blocks'), beside),
      answerWithin(slow(Promise.resolve('blocks and promises')), beside),
    ]
    expect(await Promise.all(answers)).toEqual([
      { kind: 'value', value: 'quick' },
      { kind: 'late' },
      { kind: 'late' },
    ])
    now.mockRestore()
  })

  it('beside others starts the clock when all have been asked, and no later', async () => {
    const beside = { ...patience(50), isBesideOthers: true }
    const waiting = openWaiting(beside)
    const answer = waiting.answer(() => new Promise((resolve) => setTimeout(resolve, 50)))
    vi.advanceTimersByTime(30)
    await Promise.resolve()
    const never1 = answerWithin(never, beside)
    await vi.advanceTimersByTimeAsync(20)
    expect(await answer).toEqual({ kind: 'value', value: undefined })
    await vi.advanceTimersByTimeAsync(30)
    expect(await never1).toEqual({ kind: 'late' })
    waiting.close()
    void waiting.answer(never)
    waiting.close()
    await Promise.resolve()
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([undefined, 50])(
    'does not count the plain answer of who stopped the run, limit %s',
    async (timeLimitMs) => {
      const controller = new AbortController()
      const abort = () => controller.abort()
      const answer = answerWithin(abort, { timeLimitMs, signal: controller.signal })
      expect(await answer).toEqual({ kind: 'aborted' })
    },
  )

  it.each([undefined, 50])('stops waiting on an abort, limit %s', async (timeLimitMs) => {
    const controller = new AbortController()
    let given: AbortSignal | undefined
    const answer = answerWithin(
      (signal) => {
        given = signal
        return never()
      },
      { timeLimitMs, signal: controller.signal },
    )
    controller.abort(new Error('stop'))
    expect(await answer).toEqual({ kind: 'aborted' })
    expect(given?.aborted).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not ask after an abort, and does not wait for who brought one about', async () => {
    const ask = vi.fn()
    const signal = AbortSignal.abort()
    expect(await answerWithin(ask, { timeLimitMs: undefined, signal })).toEqual({ kind: 'aborted' })
    expect(ask).not.toHaveBeenCalled()
    const controller = new AbortController()
    const abortAndHang = () => {
      controller.abort()
      return never()
    }
    const about = { timeLimitMs: undefined, signal: controller.signal }
    expect(await answerWithin(abortAndHang, about)).toEqual({ kind: 'aborted' })
  })
})

describe('openWaiting', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const after = (delayMs: number) => () =>
    new Promise((resolve) => setTimeout(() => resolve(delayMs), delayMs))

  it('gives each the whole time, also behind one that was late', async () => {
    const waiting = openWaiting(patience(50))
    const answers = (async () => [
      await waiting.answer(after(40)),
      await waiting.answer(never),
      await waiting.answer(after(40)),
      await waiting.answer(after(49)),
    ])()
    await vi.advanceTimersByTimeAsync(40 + 50 + 40 + 49)
    expect(await answers).toEqual([
      { kind: 'value', value: 40 },
      { kind: 'late' },
      { kind: 'value', value: 40 },
      { kind: 'value', value: 49 },
    ])
  })

  it('tells nobody asked later that time is up for one before it', async () => {
    const waiting = openWaiting(patience(50))
    const signals: (AbortSignal | undefined)[] = []
    const hang = (signal: AbortSignal | undefined) => {
      signals.push(signal)
      return never()
    }
    const first = waiting.answer(hang)
    await vi.advanceTimersByTimeAsync(50)
    expect(await first).toEqual({ kind: 'late' })
    void waiting.answer(hang)
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, false])
    waiting.close()
  })

  it('takes no answer of one that was late for that of the next', async () => {
    const waiting = openWaiting(patience(50))
    const slow = waiting.answer(after(60))
    await vi.advanceTimersByTimeAsync(50)
    const next = waiting.answer(after(40))
    await vi.advanceTimersByTimeAsync(40)
    expect(await slow).toEqual({ kind: 'late' })
    expect(await next).toEqual({ kind: 'value', value: 40 })
  })

  it('leaves neither a timer nor a listener when it is closed', async () => {
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    const waiting = openWaiting({ timeLimitMs: 50, signal })
    await waiting.answer(async () => 1)
    await waiting.answer(async () => 2)
    waiting.close()
    expect(added).toHaveBeenCalledTimes(1)
    expect(removed).toHaveBeenCalledExactlyOnceWith('abort', added.mock.calls[0]?.[1])
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('openWaiting where timers are numbers, as outside of Node', () => {
  it('gives each the whole time', async () => {
    const ends = new Map<number, () => void>()
    let made = 0
    vi.stubGlobal('setTimeout', (end: () => void) => {
      made += 1
      ends.set(made, end)
      return made
    })
    vi.stubGlobal('clearTimeout', (id: number) => void ends.delete(id))
    onTestFinished(() => void vi.unstubAllGlobals())
    const waiting = openWaiting(patience(50))
    expect(await waiting.answer(async () => 1)).toEqual({ kind: 'value', value: 1 })
    expect(await waiting.answer(async () => 2)).toEqual({ kind: 'value', value: 2 })
    const answer = waiting.answer(never)
    expect([...ends.keys()]).toEqual([3])
    ends.get(3)?.()
    expect(await answer).toEqual({ kind: 'late' })
    waiting.close()
    expect(ends.size).toBe(0)
  })
})

describe('requireTimeLimit', () => {
  it.each([1, 0.5, 2 ** 31 - 1])('keeps %s', (limit) => {
    expect(requireTimeLimit(limit)).toBe(limit)
  })

  it('is half a minute where none is given, and for ever where that is asked for', () => {
    expect(requireTimeLimit(undefined)).toBe(30_000)
    expect(requireTimeLimit(Number.POSITIVE_INFINITY)).toBeUndefined()
  })

  it.each([0, -1, Number.NaN, Number.NEGATIVE_INFINITY, 2 ** 31, '50', null])(
    'refuses %s',
    (limit) => {
      expect(() => requireTimeLimit(limit)).toThrow(
        expect.objectContaining({
          code: 'PLUGIN_OPTION_INVALID',
          details: { option: 'timeLimitMs' },
        }),
      )
    },
  )
})
