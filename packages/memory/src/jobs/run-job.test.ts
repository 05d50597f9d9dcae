import { describe, expect, it } from 'vitest'
import { createInMemoryStore } from '../in-memory-store.ts'
import type { MemoryStore } from '../store.ts'
import { here, noon, put, sample } from '../testing/sample.ts'
import { jobKinds, runJob } from './run-job.ts'

const options = { now: noon, halfLifeMs: 1_000_000 }

async function claimed(store: MemoryStore, kind: string, now = noon) {
  await store.jobs.enqueue(here, { kind, runAt: now })
  const [job] = await store.jobs.claim({ now, leaseMs: 1_000 })
  if (job === undefined) throw new Error('The job was not claimed.')
  return job
}

describe('runJob', () => {
  it('takes effect once, however many workers do the same job', async () => {
    const store = createInMemoryStore()
    await put(store, here, [
      sample('a', { content: 'green tea', createdAt: noon - 1, recallCount: 1 }),
      sample('b', { content: 'green tea', recallCount: 1 }),
    ])
    const first = await claimed(store, jobKinds.quickNap)
    const [second] = await store.jobs.claim({ now: noon + 1_000, leaseMs: 1_000 })
    if (second === undefined) throw new Error('The job was not claimed again.')
    expect(await runJob(store, first, options)).toBe('lost')
    expect(await runJob(store, second, options)).toBe('done')
    expect(await runJob(store, second, options)).toBe('lost')
    expect((await store.get(here, ['b']))[0]).toMatchObject({ recallCount: 2, version: 2 })
  })

  it('looks again when somebody changed what it had read', async () => {
    const good = createInMemoryStore()
    await put(good, here, [sample('a', { content: 'tea' }), sample('b', { content: 'tea' })])
    const store: MemoryStore = {
      ...good,
      list: async (...given) => {
        const page = await good.list(...given)
        await good.touch(here, ['a'], { at: noon })
        return page
      },
    }
    expect(await runJob(store, await claimed(store, jobKinds.quickNap), options)).toBe('retried')
    const [again] = await good.jobs.claim({ now: noon + 1_000, leaseMs: 1_000 })
    if (again === undefined) throw new Error('The job is gone.')
    expect(again.attempts).toBe(2)
    expect(await runJob(good, again, options)).toBe('done')
  })

  it('leaves no page of a sleep out because one of its entries was changed meanwhile', async () => {
    const good = createInMemoryStore()
    await put(good, here, [
      sample('a', { content: 'tea', createdAt: noon - 3 }),
      sample('b', { content: 'tea', createdAt: noon - 2 }),
      sample('c', { content: 'cake', createdAt: noon - 1 }),
    ])
    let isFirst = true
    const store: MemoryStore = {
      ...good,
      list: async (scope, asked) => {
        const page = await good.list(scope, { ...asked, limit: 2 })
        if (isFirst) await good.touch(here, ['a'], { at: noon })
        isFirst = false
        return page
      },
    }
    expect(await runJob(store, await claimed(store, jobKinds.deepSleep), options)).toBe('done')
    expect((await good.get(here, ['a']))[0]).toMatchObject({ supersededBy: 'b' })
    expect(await good.jobs.count(here)).toBe(1)
  })

  it('gives up a job that nobody knows, and one that failed too often', async () => {
    const store = createInMemoryStore()
    expect(await runJob(store, await claimed(store, 'juggle'), options)).toBe('given-up')
    const job = { ...(await claimed(store, jobKinds.deepSleep)), attempts: 6 }
    expect(await runJob(store, job, options)).toBe('given-up')
    expect(await store.jobs.count(here)).toBe(0)
  })

  it('puts a job back untouched when the signal fires before its write', async () => {
    const good = createInMemoryStore()
    await put(good, here, [sample('a', { content: 'tea' }), sample('b', { content: 'tea' })])
    const stop = new AbortController()
    const store: MemoryStore = {
      ...good,
      list: async (...given) => {
        stop.abort()
        return good.list(...given)
      },
    }
    const job = await claimed(store, jobKinds.deepSleep)
    expect(await runJob(store, job, { ...options, signal: stop.signal })).toBe('interrupted')
    expect((await good.get(here, ['b']))[0]).toMatchObject({ version: 1 })
    const [again] = await good.jobs.claim({ now: noon, leaseMs: 1_000 })
    if (again === undefined) throw new Error('The job is gone.')
    expect(await runJob(good, again, options)).toBe('done')
    expect((await good.get(here, ['b']))[0]).toMatchObject({ supersededBy: 'a' })
  })
})
