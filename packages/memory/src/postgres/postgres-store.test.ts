import { describe, expect, it } from 'vitest'
import { describeMemoryStore } from '../testing/describe-memory-store.ts'
import { here, idsOf, noon, put, sample } from '../testing/sample.ts'
import { describeOnPostgres } from '../testing-fixtures/describe-on-postgres.ts'
import type { PostgresPool } from './pool.ts'
import { createPostgresStore } from './postgres-store.ts'

describeOnPostgres('a store', (database, name) => {
  const createStore = () =>
    createPostgresStore({ pool: database.pool, schema: database.newSchema() })

  describeMemoryStore(name, createStore, { runner: { describe, it } })

  it('finds nothing, and does not fail, for what no column can hold', async () => {
    const store = await createStore()
    await put(store, here, [sample('a', { label: 'x' })])
    for (const odd of ['x\u0000', '\ud800']) {
      expect(await store.list(here, { filter: { label: odd } })).toEqual({ entries: [] })
      expect(await store.remove(here, { subject: odd })).toBe(0)
      expect(await store.jobs.claim({ now: noon, leaseMs: 1, kinds: [odd] })).toEqual([])
      expect(await store.jobs.complete(here, { jobId: odd, token: odd })).toBe(false)
    }
    const beyond = { jobId: '9'.repeat(30), token: '1.1' }
    expect(await store.jobs.complete(here, beyond)).toBe(false)
  })

  it('removes what nobody may claim any more when a job is released beside its twin', async () => {
    const store = await createStore()
    const job = { kind: 'nap', runAt: noon }
    await store.jobs.enqueue(here, job)
    const [held] = await store.jobs.claim({ now: noon, leaseMs: 1_000 })
    if (held === undefined) throw new Error('It was not claimed.')
    await Promise.all([
      store.jobs.release(here, held, { runAt: noon }),
      store.jobs.enqueue(here, job),
      store.jobs.enqueue(here, job),
    ])
    expect(await store.jobs.count(here)).toBe(1)
  })

  it('undoes neither of two writers that put the same entries in opposite order', async () => {
    const store = await createStore()
    const ids = Array.from({ length: 50 }, (_, index) => `e${index}`)
    for (let round = 0; round < 5; round += 1) {
      const wanted = ids.map((id) => sample(id, { content: `round ${round}` }))
      await Promise.all([put(store, here, wanted), put(store, here, wanted.toReversed())])
    }
    const versions = (await store.get(here, ids)).map(({ version }) => version)
    expect(versions).toEqual(ids.map(() => 10))
  })

  it('keeps a vector to the last bit', async () => {
    const store = await createStore()
    const embedding = new Float32Array([0.1, -1 / 3, 1e-30, 1.1754944e-38, 1e18, 0, 16_777_215])
    await put(store, here, [sample('a', { embedding })])
    expect((await store.get(here, ['a']))[0]?.embedding).toEqual(embedding)
  })

  it('ranks what is rarer and shorter first, as the store in memory does', async () => {
    const store = await createStore()
    await put(store, here, [
      ...Array.from({ length: 20 }, (_, index) => sample(`common${index}`, { content: 'melon' })),
      sample('rare', { content: 'saffron beside many other things that were bought' }),
      sample('long', { content: `saffron ${'and something else entirely '.repeat(20)}` }),
    ])
    const ranked = idsOf(await store.search(here, 'melon saffron', { limit: 3 }))
    expect(ranked.slice(0, 2)).toContain('rare')
    expect(idsOf(await store.search(here, 'saffron', { limit: 2 }))).toEqual(['rare', 'long'])
  })
})

describe('createPostgresStore', () => {
  const failing: PostgresPool = {
    query: () => Promise.reject(new Error('no route to host')),
    connect: () => Promise.reject(new Error('no route to host')),
  }

  it('rejects with the cause when there is no server', async () => {
    const created = createPostgresStore({ pool: failing })
    await expect(created).rejects.toMatchObject({
      code: 'MEMORY_STORE_FAILED',
      cause: { message: 'no route to host' },
    })
  })

  it('refuses a server that does not encode in UTF8', async () => {
    const rows = [{ server_encoding: 'SQL_ASCII' }]
    const pool = { ...failing, query: async () => ({ rows }) }
    await expect(createPostgresStore({ pool })).rejects.toMatchObject({
      code: 'MEMORY_STORE_FAILED',
    })
  })

  it.each(['', 'a b', 'x"; DROP SCHEMA public; --', 'ä', 'x'.repeat(64)])(
    'refuses a schema called "%s"',
    async (schema) => {
      await expect(createPostgresStore({ pool: failing, schema })).rejects.toMatchObject({
        code: 'MEMORY_OPTION_INVALID',
        details: { option: 'schema' },
      })
    },
  )

  it('refuses what is no pool', async () => {
    // @ts-expect-error A pool has connections.
    const created = createPostgresStore({ pool: { query: failing.query, connect: 1 } })
    await expect(created).rejects.toMatchObject({ details: { option: 'pool' } })
  })
})
