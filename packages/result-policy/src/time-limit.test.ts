import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { within } from './time-limit.ts'

describe('work within a time', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('gives what the work gives, and leaves no timer behind', async () => {
    expect(await within(Promise.resolve('done'), 1000)).toBe('done')
    await expect(within(Promise.reject(new Error('down')), 1000)).rejects.toThrow('down')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends when the time is over, and minds nothing that comes later', async () => {
    let fail = (_: Error): void => {}
    const work = new Promise<never>((_, reject) => {
      fail = reject
    })
    const late = expect(within(work, 1000)).rejects.toThrow('It took longer than 1000 ms.')
    await vi.advanceTimersByTimeAsync(1000)
    await late
    fail(new Error('down'))
    await vi.advanceTimersByTimeAsync(1000)
    expect(vi.getTimerCount()).toBe(0)
  })
})
