import { describe, expect, it } from 'vitest'
import { createMemory } from '../create-memory.ts'
import { createInMemoryStore } from '../in-memory-store.ts'
import type { MemoryStore } from '../store.ts'
import { here, put, sample } from '../testing/sample.ts'

const pages = 120

/** A store that gives two entries a page, with so many pages for a deep sleep, the last two entries alike. */
async function filled(onThirdPage: () => void = () => {}): Promise<MemoryStore> {
  const store = createInMemoryStore()
  const entries = Array.from({ length: 2 * pages }, (_, number) =>
    sample(`e${number}`, {
      content: `The number ${Math.min(number, 2 * pages - 2)}`,
      createdAt: number,
    }),
  )
  await put(store, here, entries)
  let page = 0
  return {
    ...store,
    list(scope, asked) {
      page += 1
      if (page === 3) onThirdPage()
      return store.list(scope, { ...asked, limit: 2 })
    },
  }
}

describe('work on jobs', () => {
  it('sleeps in the process until everything was gone through, however many pages there are', async () => {
    const store = await filled()
    const memory = createMemory({ store })
    await memory.requestSleep(here)
    await memory.flush()
    expect(await store.jobs.count(here)).toBe(0)
    const superseded = await store.list(here, { filter: { status: 'superseded' }, limit: 1 })
    expect(superseded.entries.map(({ id }) => id)).toEqual([`e${2 * pages - 2}`])
  })

  it('lets others have their turn after each page, and ends there when the signal fires', async () => {
    const stop = new AbortController()
    const store = await filled(() => setImmediate(() => stop.abort()))
    const memory = createMemory({ store, jobs: 'external' })
    await memory.requestSleep(here)
    expect(await memory.runJobs({ signal: stop.signal })).toBe(3)
    expect(await store.jobs.count(here)).toBe(1)
  })

  it('is interrupted by close, which leaves the rest of a sleep to the next who wakes', async () => {
    const third = Promise.withResolvers<void>()
    const store = await filled(third.resolve)
    const open = { ...store, close: async () => {} }
    const memory = createMemory({ store: open })
    await memory.requestSleep(here)
    await third.promise
    await memory.close()
    expect(await store.jobs.count(here)).toBe(1)
    const next = createMemory({ store: open, jobs: 'external' })
    expect(await next.runJobs({ limit: 2 })).toBe(2)
  })
})
