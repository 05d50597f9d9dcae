import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createCancellation } from './cancellation.ts'
import { lateAfter, withinTime, withLastWord } from './time-limit.ts'

const never = new Promise<never>(() => {})

describe('a wait for code of somebody else', () => {
  const { signal } = new AbortController()

  it.each<[string, unknown]>([
    ['is there at once', 'done'],
    ['is promised', Promise.resolve('done')],
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
    ['is a promise of another library', { then: (give: (value: string) => void) => give('done') }],
  ])('gives what %s', async (_what, work) => {
    expect(await withinTime(work, { timeoutMs: 1_000, signal })).toBe('done')
  })

  it('ends with its limit', async () => {
    const wait = withinTime(never, { timeoutMs: 5, signal })
    await expect(wait).rejects.toThrow('it took longer than 5 ms')
  })

  it('ends with the signal, for its reason', async () => {
    const controller = new AbortController()
    const wait = withinTime(never, { timeoutMs: 60_000, signal: controller.signal })
    controller.abort('enough')
    await expect(wait).rejects.toBe('enough')
  })

  it('passes on why the work failed, and lets go of the signal', async () => {
    const failed = withinTime(Promise.reject(new Error('down')), { timeoutMs: 1_000, signal })
    await expect(failed).rejects.toThrow('down')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe('the last word of who has the signal of the limit', () => {
  const hearing = (signal: AbortSignal, answer: () => unknown) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(answer())))

  it.each<[string, (signal: AbortSignal) => unknown]>([
    ['at once', () => 'word'],
    ['in time', async () => 'word'],
    ['when it fires', (signal) => hearing(signal, () => 'word')],
    ['a few promises later', (signal) => hearing(signal, async () => (async () => 'word')())],
  ])('counts: %s', async (_when, work) => {
    const limit = createCancellation(undefined, lateAfter(5))
    expect(await withLastWord(work(limit.signal), limit)).toBe('word')
    limit.close()
  })

  it.each<[string, (signal: AbortSignal) => Promise<unknown>]>([
    ['who does not listen', () => never],
    ['who takes longer', (signal) => hearing(signal, () => new Promise((r) => setTimeout(r, 20)))],
  ])('is not waited for: %s', async (_who, work) => {
    const limit = createCancellation(undefined, lateAfter(5))
    const wait = withLastWord(work(limit.signal), limit)
    await expect(wait).rejects.toThrow('it took longer than 5 ms')
  })

  it('is why the work failed, where it did', async () => {
    const limit = createCancellation(undefined, lateAfter(60_000))
    await expect(withLastWord(Promise.reject(new Error('down')), limit)).rejects.toThrow('down')
    limit.close()
  })
})
