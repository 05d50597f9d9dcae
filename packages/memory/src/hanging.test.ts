import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Embedder } from './embedder.ts'
import { createInMemoryStore } from './in-memory-store.ts'
import type { MemoryStore } from './store.ts'
import { all, ann, setUp, tell } from './testing-fixtures/told-memory.ts'

const never = () => new Promise<never>(() => {})
const pie = { layer: 'semantic', content: 'Apple pie.', provenance: { source: 'author' } } as const

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** What came of it, where the clock may go on by so much and no more. */
async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result | 'hangs'> {
  const late = new Promise<'hangs'>((resolve) => setTimeout(resolve, timeoutMs, 'hangs'))
  const first = Promise.race([work, late])
  // Small steps, each with a real round of the event loop: the work sets its timers as it goes.
  for (let spent = 0; spent <= timeoutMs; spent += timeoutMs / 20) {
    await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(timeoutMs / 20)
  }
  return first
}

describe('a memory whose embedder hangs', () => {
  const embedder: Embedder = { embed: never }

  it('recalls by words after the time limit, and counts it', async () => {
    const { memory, store } = setUp()
    await memory.remember(ann, pie)
    const { memory: hanging } = setUp({ store, embedder })
    const hydration = await within(3_000, hanging.hydrate(ann, { query: 'apple' }))
    expect(hydration).toMatchObject({ failed: false, items: [{ content: 'Apple pie.' }] })
    expect(hanging.counters()).toMatchObject({ embeddingFailures: 1, recallFailures: 0 })
  })

  it('waits as long as it is told to', async () => {
    const { memory } = setUp({ embedder, embeddingTimeoutMs: 100 })
    expect(await within(150, memory.hydrate(ann, { query: 'apple' }))).not.toBe('hangs')
    expect(await within(600, memory.remember(ann, pie))).toMatchObject({ created: true })
  })

  it('counts a recall whose signal fires first, once and as a recall', async () => {
    const { memory } = setUp({ embedder })
    const stop = new AbortController()
    const hydration = memory.hydrate(ann, { query: 'apple', signal: stop.signal })
    stop.abort()
    expect(await hydration).toMatchObject({ failed: true, items: [] })
    expect(memory.counters()).toMatchObject({ embeddingFailures: 0, recallFailures: 1 })
  })

  it('writes turns without vectors, and can be flushed and closed', async () => {
    const { memory, store } = setUp({ embedder })
    const turn = tell(memory, ann, [['user', 'Hello.']])
    expect(await within(12_000, memory.flush())).toBeUndefined()
    expect(await turn).toMatchObject({ created: 1, failed: false })
    expect(await all(memory, ann)).toHaveLength(2)
    expect(memory.counters()).toMatchObject({ embeddingFailures: 1, writeFailures: 0 })
    expect(await within(1_000, memory.close())).toBeUndefined()
    await expect(store.list(ann)).rejects.toMatchObject({ code: 'MEMORY_STORE_CLOSED' })
  })
})

describe('a memory whose store hangs', () => {
  const store: MemoryStore = { ...createInMemoryStore(), write: never }

  it('gives up on a turn after 30 seconds, and counts it', async () => {
    const { memory } = setUp({ store })
    expect(await within(31_000, tell(memory, ann, [['user', 'x']]))).toMatchObject({ failed: true })
    expect(memory.counters().writeFailures).toBe(1)
  })

  it('lets go of every write after 30 seconds, with an error that says so', async () => {
    const { memory } = setUp({ store })
    const messages = [{ role: 'user' as const, text: 'x' }]
    const writes = Promise.allSettled([
      memory.remember(ann, pie),
      memory.seedIdentity(ann, { domainName: 'desk', depth: 0 }),
      memory.refillWorking(ann, { sessionId: 's', messages }),
    ])
    const outcomes = await within(31_000, writes)
    const failed = { status: 'rejected', reason: { code: 'MEMORY_STORE_FAILED' } }
    expect(outcomes).toMatchObject([failed, failed, failed])
    // The scope is free again for what waited behind them.
    expect(await within(31_000, memory.forget(ann, { everything: true }))).toBe(0)
  })

  it.each([
    [undefined, 31_000],
    [{ timeoutMs: 10 }, 20],
  ])('ends flush and close at their limit %o, and counts it', async (options, mostMs) => {
    const deaf = { ...createInMemoryStore(), touch: never, close: async () => {} }
    const { memory } = setUp({ store: deaf })
    await memory.remember(ann, pie)
    await memory.hydrate(ann, { query: 'apple' })
    expect(await within(mostMs, memory.flush(options))).toBeUndefined()
    expect(await within(mostMs, memory.close(options))).toBeUndefined()
    expect(memory.counters().flushTimeouts).toBe(2)
  })

  it('ends close where the store does not close, and counts it', async () => {
    const { memory } = setUp({ store: { ...store, close: never } })
    expect(await within(20, memory.close({ timeoutMs: 10 }))).toBeUndefined()
    expect(memory.counters().flushTimeouts).toBe(1)
  })

  it.each([0, -1, Number.NaN, 86_400_001, '5'])('refuses the time limit %o', async (timeoutMs) => {
    const { memory } = setUp()
    const code = 'MEMORY_OPTION_INVALID'
    await expect(memory.flush({ timeoutMs } as never)).rejects.toMatchObject({ code })
    expect(() => setUp({ embeddingTimeoutMs: timeoutMs as number })).toThrow(
      expect.objectContaining({ code, details: { option: 'embeddingTimeoutMs' } }),
    )
  })
})
