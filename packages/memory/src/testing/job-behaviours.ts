import type { ClaimedJob } from '../job-queue.ts'
import type { MemoryStore } from '../store.ts'
import { defineBehaviours } from './behaviour.ts'
import { holds, same } from './expect.ts'
import { exported, here, idsOf, noon, put, sample } from './sample.ts'

/** What becomes of work that waits. */
export const jobBehaviours = defineBehaviours([
  {
    name: 'queues-jobs',
    title: 'keeps a job once while it waits, and hands it out when it is due',
    async check(store) {
      const { jobs } = store
      const job = { kind: 'nap', key: 'k', payload: { from: [1, 'x'] }, runAt: noon }
      same(await jobs.enqueue(here, job), { added: true }, 'first')
      same(await jobs.enqueue(here, job), { added: false }, 'again')
      same(await jobs.enqueue(here, { ...job, key: 'K' }), { added: true }, 'another key')
      same(await jobs.enqueue(here, { ...job, kind: 'sleep' }), { added: true }, 'another kind')
      same(await jobs.count(here), 3, 'count')
      same(await jobs.claim({ now: noon - 1, leaseMs: 10 }), [], 'before it is due')
      const claimed = await claim(store, noon, { kinds: ['nap'], limit: 9 })
      same(claimed.map(({ key }) => key).sort(), ['K', 'k'], 'keys')
      const first = claimed.find(({ key }) => key === 'k')
      same(
        [first?.scope, first?.kind, first?.payload, first?.attempts, first?.leaseUntil],
        [here, 'nap', { from: [1, 'x'] }, 1, noon + 1_000],
        'what a worker is told',
      )
      same(await jobs.enqueue(here, job), { added: true }, 'while it is being worked on')
    },
  },
  {
    name: 'hands-a-job-to-one-worker',
    title: 'hands a job to one worker at a time, and to the next when the lease is over',
    async check(store) {
      await store.jobs.enqueue(here, { kind: 'nap', runAt: noon })
      const rounds = await Promise.all(Array.from({ length: 8 }, () => claim(store, noon)))
      same(rounds.flat().length, 1, 'claims at the same time')
      const [first] = rounds.flat()
      same(await claim(store, noon + 999), [], 'within the lease')
      const [second] = await claim(store, noon + 1_000)
      same(second?.attempts, 2, 'attempts')
      if (first === undefined || second === undefined) throw new Error('It was not claimed twice.')
      holds(first.token !== second.token, 'Two claims have the same token.')
      same(await store.jobs.complete(here, first), false, 'the first worker, too late')
      same(await store.jobs.release(here, first, { giveUp: true }), false, 'its giving up')
      same(await store.jobs.complete(here, second), true, 'the second worker')
      same(await store.jobs.complete(here, second), false, 'a second time')
      same(await store.jobs.count(here), 0, 'count')
    },
  },
  {
    name: 'releases-jobs',
    title: 'gives a job back for later, or ends it',
    async check(store) {
      await store.jobs.enqueue(here, { kind: 'nap', runAt: noon })
      const [first] = await claim(store, noon)
      if (first === undefined) throw new Error('It was not claimed.')
      same(await store.jobs.release(here, first, { runAt: noon + 50 }), true, 'released')
      same(await claim(store, noon + 49), [], 'before it is due again')
      const [second] = await claim(store, noon + 50)
      if (second === undefined) throw new Error('It was not claimed again.')
      await store.jobs.enqueue(here, { kind: 'nap', runAt: noon })
      same(await store.jobs.release(here, second, { runAt: noon }), true, 'released beside another')
      same(await store.jobs.count(here), 1, 'two that became one')
      const [third] = await claim(store, noon + 60)
      if (third === undefined) throw new Error('It was not claimed a third time.')
      same(await store.jobs.release(here, third, { giveUp: true }), true, 'given up')
      same(await store.jobs.count(here), 0, 'count')
    },
  },
  {
    name: 'completes-a-job-once',
    title: 'lets a job take effect once, with the write that completes it',
    async check(store) {
      await put(store, here, [sample('target')])
      await store.jobs.enqueue(here, { kind: 'nap', runAt: noon })
      const [first] = await claim(store, noon)
      const [second] = await claim(store, noon + 1_000)
      if (first === undefined || second === undefined) throw new Error('It was not claimed twice.')
      const effect = async (by: ClaimedJob, id: string, expectedVersion = 0) =>
        store.write(here, {
          put: [{ entry: sample(id), expectedVersion }],
          remove: ['target'],
          completes: { jobId: by.jobId, token: by.token },
        })
      const lost = { committed: false, reason: 'job-lost', conflicts: [] }
      same(await effect(first, 'first'), lost, 'the worker that was too late')
      const conflict = await effect(second, 'x', 7)
      same(conflict.committed, false, 'an effect that met a conflict')
      same(await store.jobs.count(here), 1, 'the job after a conflict')
      same((await effect(second, 'second')).committed, true, 'the worker that holds it')
      same(await effect(second, 'again'), lost, 'the same worker again')
      same(idsOf(await exported(store, here)), ['second'], 'what was written')
      same(await store.jobs.count(here), 0, 'count')
    },
  },
  {
    name: 'removes-jobs-with-a-scope',
    title: 'removes the jobs of a scope with everything else of it',
    async check(store) {
      await store.jobs.enqueue(here, { kind: 'nap', runAt: noon })
      const [held] = await claim(store, noon)
      await store.jobs.enqueue(here, { kind: 'nap', runAt: noon })
      await store.remove(here, { everything: true })
      same(await store.jobs.count(here), 0, 'count')
      if (held === undefined) throw new Error('It was not claimed.')
      const late = await store.write(here, { put: [{ entry: sample('a') }], completes: held })
      same(late.committed, false, 'a worker that did not know')
      same(await exported(store, here), [], 'what is there')
    },
  },
])

async function claim(
  store: MemoryStore,
  now: number,
  more: { kinds?: string[]; limit?: number } = {},
): Promise<readonly ClaimedJob[]> {
  return store.jobs.claim({ now, leaseMs: 1_000, ...more })
}
