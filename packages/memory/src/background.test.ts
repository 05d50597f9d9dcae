import { describe, expect, it, vi } from 'vitest'
import { createBackground } from './background.ts'

describe('background work', () => {
  it('begins when whoever started it has gone on, also over several awaits (MEM-40)', async () => {
    const order: string[] = []
    const background = createBackground(() => {})
    background.start(async () => order.push('work'))
    for (let step = 0; step < 20; step += 1) await null
    order.push('answer')
    await background.flush()
    expect(order).toEqual(['answer', 'work'])
  })

  it('is waited for by a flush, and so is what it starts', async () => {
    const done: string[] = []
    const background = createBackground(() => {})
    background.start(async () => {
      background.start(async () => done.push('inner'))
      done.push('outer')
    })
    expect(background.size).toBe(1)
    await background.flush()
    expect([done, background.size]).toEqual([['outer', 'inner'], 0])
  })

  it.each<[string, () => Promise<unknown>]>([
    ['rejects', () => Promise.reject(new Error('no'))],
    [
      'throws',
      () => {
        throw new Error('no')
      },
    ],
  ])('that %s is reported and ends there', async (_how, work) => {
    const onFailure = vi.fn()
    const background = createBackground(onFailure)
    background.start(work)
    await expect(background.flush()).resolves.toBe(0)
    expect(onFailure).toHaveBeenCalledExactlyOnceWith(new Error('no'))
  })

  it('that hangs is waited for until the time is over, and said to be left', async () => {
    const background = createBackground(() => {})
    background.start(() => new Promise(() => {}))
    await expect(background.flush({ timeoutMs: 1 })).resolves.toBe(1)
  })

  it('of another is not waited for (MEM-41)', async () => {
    createBackground(() => {}).start(() => new Promise(() => {}))
    await expect(createBackground(() => {}).flush()).resolves.toBe(0)
  })
})
