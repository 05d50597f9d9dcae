import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serverUrl } from '../testing-fixtures/postgres-databases.ts'
import { runOnPgBoss } from './run-on-pg-boss.ts'

describe.skipIf(serverUrl === undefined)('a memory that is worked on by pg-boss', () => {
  const schema = `boss_test_${process.pid}`
  let boss: PgBoss

  beforeAll(async () => {
    boss = new PgBoss({ connectionString: serverUrl ?? '', schema })
    await boss.start()
  }, 60_000)
  afterAll(async () => {
    await boss.getDb().executeSql(`DROP SCHEMA ${schema} CASCADE`, [])
    await boss.stop({ graceful: false })
  })

  it('looks for work when it is woken, and once for many wakes', async () => {
    let runs = 0
    const woken = new Promise<void>((resolve) => {
      const memory = {
        async runJobs() {
          runs += 1
          resolve()
          return 0
        },
      }
      const options = { boss, queue: 'woken', pollSeconds: 0.5 }
      void runOnPgBoss(memory, options).then(async (worker) => {
        await Promise.all([worker.wake(), worker.wake(), worker.wake()])
        stop = () => worker.stop()
      })
    })
    let stop = async () => {}
    await woken
    await stop()
    expect(runs).toBe(1)
  }, 30_000)

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
    const worker = await runOnPgBoss(memory, { boss, queue: 'stopped', pollSeconds: 0.5 })
    await worker.wake()
    await begun
    await worker.stop()
    expect(seen).toEqual(['interrupted'])
  }, 30_000)

  it('may be started in any number of processes', async () => {
    const memory = { runJobs: async () => 0 }
    const workers = await Promise.all([
      runOnPgBoss(memory, { boss, queue: 'many' }),
      runOnPgBoss(memory, { boss, queue: 'many' }),
    ])
    expect(workers).toHaveLength(2)
    await Promise.all(workers.map((worker) => worker.stop()))
  }, 30_000)
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
