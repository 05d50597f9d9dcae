import { getEventListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Cancellation, createCancellation } from './cancellation.ts'

const unhandled: unknown[] = []
const note = (reason: unknown) => unhandled.push(reason)

beforeEach(() => {
  unhandled.length = 0
  process.on('unhandledRejection', note)
})

afterEach(async () => {
  // An unhandled rejection is announced once the microtasks are done.
  await delay(0)
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

describe('a race', () => {
  it.each<[string, () => PromiseLike<unknown>, unknown]>([
    ['a value', () => Promise.resolve('done'), 'done'],
    ['a late value', () => delay(2, 'late'), 'late'],
    ['undefined', () => Promise.resolve(undefined), undefined],
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what is tested
    ['a thenable', () => ({ then: (ok: (v: string) => void) => ok('then') }) as never, 'then'],
  ])('settles with its work: %s', async (_what, work, expected) => {
    const cancellation = createCancellation(undefined)
    expect(await cancellation.race(work())).toBe(expected)
    cancellation.close()
  })

  it('rejects with what its work rejects with', async () => {
    const cancellation = createCancellation(undefined)
    await expect(cancellation.race(Promise.reject(new Error('no')))).rejects.toThrow('no')
  })

  it('does not wait for work that is deaf', async () => {
    const cancellation = createCancellation(undefined)
    const waiting = [1, 2, 3].map(() => cancellation.race(new Promise(() => {})))
    cancellation.cancel('enough')
    expect((await Promise.allSettled(waiting)).map(reasonOf)).toEqual([
      'enough',
      'enough',
      'enough',
    ])
  })

  it('rejects at once when it starts too late, and swallows the failure of its work', async () => {
    const cancellation = createCancellation(undefined)
    cancellation.cancel('over')
    await expect(cancellation.race(Promise.reject(new Error('nobody hears')))).rejects.toBe('over')
  })

  it('swallows the failure of work that loses', async () => {
    const cancellation = createCancellation(undefined)
    const work = Promise.withResolvers<never>()
    const waiting = cancellation.race(work.promise)
    cancellation.cancel('over')
    await expect(waiting).rejects.toBe('over')
    work.reject(new Error('too late'))
  })

  it('keeps the first reason', async () => {
    const cancellation = createCancellation(undefined)
    cancellation.cancel('first')
    cancellation.cancel('second')
    expect(cancellation.signal.reason).toBe('first')
    await expect(cancellation.race(Promise.resolve(1))).rejects.toBe('first')
  })

  it('rejects with the reason of the signal even when none was given', async () => {
    const cancellation = createCancellation(undefined)
    const waiting = cancellation.race(new Promise(() => {}))
    cancellation.cancel(undefined)
    const reason = await waiting.catch((error: unknown) => error)
    expect(reason).toBeInstanceOf(DOMException)
    expect(reason).toBe(cancellation.signal.reason)
  })

  it('leaves nothing behind after 100,000 of them', async () => {
    const cancellation = createCancellation(undefined)
    const waiting = await waitingSetOf(cancellation)
    let peak = 0
    for (let index = 0; index < 100_000; index += 1) {
      const race = cancellation.race(Promise.resolve())
      peak = Math.max(peak, waiting.size)
      await race
    }
    expect({ peak, left: waiting.size }).toEqual({ peak: 1, left: 0 })
    expect(getEventListeners(cancellation.signal, 'abort')).toEqual([])
  })

  it('that is lost leaves nothing behind either', async () => {
    const cancellation = createCancellation(undefined)
    const waiting = await waitingSetOf(cancellation)
    const lost = cancellation.race(new Promise(() => {}))
    cancellation.cancel('over')
    await expect(lost).rejects.toBe('over')
    await expect(cancellation.race(new Promise(() => {}))).rejects.toBe('over')
    expect(waiting.size).toBe(0)
  })
})

describe('a parent signal', () => {
  it('passes its reason on', async () => {
    const parent = new AbortController()
    const cancellation = createCancellation(parent.signal)
    const waiting = cancellation.race(new Promise(() => {}))
    parent.abort('the user left')
    await expect(waiting).rejects.toBe('the user left')
    expect(cancellation.signal.reason).toBe('the user left')
  })

  it('may have fired already', async () => {
    const cancellation = createCancellation(AbortSignal.abort('before'))
    await expect(cancellation.race(Promise.resolve(1))).rejects.toBe('before')
  })

  it('holds no listener after close, and is not heard any more', () => {
    const parent = new AbortController()
    const cancellation = createCancellation(parent.signal)
    expect(getEventListeners(parent.signal, 'abort')).toHaveLength(1)
    cancellation.close()
    expect(getEventListeners(parent.signal, 'abort')).toEqual([])
    parent.abort('late')
    expect(cancellation.signal.aborted).toBe(false)
  })

  it('holds no listener after it has fired', () => {
    const parent = new AbortController()
    createCancellation(parent.signal)
    parent.abort()
    expect(getEventListeners(parent.signal, 'abort')).toEqual([])
  })

  it('does not hear of a cancelled child', () => {
    const parent = new AbortController()
    createCancellation(parent.signal).cancel('mine')
    expect(parent.signal.aborted).toBe(false)
  })

  it('serves a chain: the innermost hears the outermost', async () => {
    const root = new AbortController()
    const middle = createCancellation(root.signal)
    const inner = createCancellation(middle.signal)
    root.abort('root')
    expect(inner.signal.reason).toBe('root')
  })
})

describe('a time limit', () => {
  it('ends the wait with its reason', async () => {
    const cancellation = createCancellation(undefined, {
      timeoutMs: 5,
      reason: () => new Error('too slow'),
    })
    await expect(cancellation.race(new Promise(() => {}))).rejects.toThrow('too slow')
  })

  it('leaves no timer after close', async () => {
    const before = timers()
    const cancellation = createCancellation(undefined, { timeoutMs: 60_000, reason: () => 'late' })
    expect(timers()).toBe(before + 1)
    cancellation.close()
    expect(timers()).toBe(before)
  })

  it('asks for no reason when it is not reached', async () => {
    let asked = 0
    const cancellation = createCancellation(undefined, { timeoutMs: 2, reason: () => (asked += 1) })
    cancellation.close()
    await delay(6)
    expect(asked).toBe(0)
  })
})

function reasonOf(settled: PromiseSettledResult<unknown>): unknown {
  return settled.status === 'rejected' ? settled.reason : undefined
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
}

/** The set in which a cancellation keeps its waits, caught while one is added. */
async function waitingSetOf(cancellation: Cancellation): Promise<Set<unknown>> {
  const add = vi.spyOn(Set.prototype, 'add')
  const race = cancellation.race(Promise.resolve())
  const [waiting] = add.mock.contexts as Set<unknown>[]
  add.mockRestore()
  await race
  if (waiting === undefined) throw new Error('the cancellation keeps its waits in no set')
  return waiting
}
