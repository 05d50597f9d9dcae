import { Pool } from 'pg'
import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serverUrl } from '../testing-fixtures/postgres-databases.ts'
import { runOnPgBoss } from './run-on-pg-boss.ts'

describe.skipIf(serverUrl === undefined)('a memory that is worked on by pg-boss', () => {
  const schema = `boss_test_${process.pid}`
  // Not every minute: nobody but the tests wakes a worker here.
  const about = { cron: '0 0 1 1 *', pollSeconds: 0.5 }
  let boss: PgBoss

  beforeAll(async () => {
    boss = new PgBoss({ connectionString: serverUrl ?? '', schema })
    await boss.start()
  })
  afterAll(async () => {
    await boss.stop({ graceful: false })
    const pool = new Pool({ connectionString: serverUrl ?? '' })
    await pool.query(`DROP SCHEMA ${schema} CASCADE`)
    await pool.end()
  })

  it('looks for work when it is woken, and once for many wakes', async () => {
    let runs = 0
    const first = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const second = Promise.withResolvers<void>()
    const memory = {
      async runJobs() {
        runs += 1
        if (runs > 1) second.resolve()
        else first.resolve()
        await mayEnd.promise
        return 0
      },
    }
    const worker = await runOnPgBoss(memory, { boss, queue: 'woken', ...about })
    await worker.wake()
    await first.promise
    // While one is under way one more may wait.
    await Promise.all([worker.wake(), worker.wake(), worker.wake()])
    mayEnd.resolve()
    await second.promise
    await worker.stop()
    expect(runs).toBe(2)
    expect(await boss.fetch('woken')).toEqual([])
  })

  it('interrupts what is under way when it stops, and waits for it', async () => {
    const seen: string[] = []
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const memory = {
      async runJobs({ signal }: { signal: AbortSignal }) {
        begin()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        seen.push('interrupted')
        return 0
      },
    }
    const worker = await runOnPgBoss(memory, { boss, queue: 'stopped', ...about })
    await worker.wake()
    await begun
    await worker.stop()
    expect(seen).toEqual(['interrupted'])
  })

  it('may be started in any number of processes', async () => {
    const memory = { runJobs: async () => 0 }
    const workers = await Promise.all([
      runOnPgBoss(memory, { boss, queue: 'many', ...about }),
      runOnPgBoss(memory, { boss, queue: 'many', ...about }),
    ])
    expect(workers).toHaveLength(2)
    await Promise.all(workers.map((worker) => worker.stop()))
  })
})

it.each([
  ['memory', {}, { work() {} }],
  ['boss', { runJobs() {} }, {}],
])('refuses a %s that is none', async (option, memory, boss) => {
  // @ts-expect-error Neither is whole.
  const started = runOnPgBoss(memory, { boss })
  await expect(started).rejects.toMatchObject({
    code: 'MEMORY_OPTION_INVALID',
    details: { option },
  })
})
