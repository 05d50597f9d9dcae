import type { ClaimedJob } from '../job-queue.ts'
import { nextRound } from '../next-round.ts'
import type { MemoryStore } from '../store.ts'
import { planMerge } from './plan-merge.ts'
import { planPrune } from './plan-prune.ts'

/**
 * The kinds of jobs. A quick nap merges the newest of what is known. A deep sleep goes through everything,
 * one page a job: merges what says the same and prunes what has faded.
 */
export const jobKinds = Object.freeze({ quickNap: 'quick-nap', deepSleep: 'deep-sleep' })

/** Entries that one job looks at. */
const jobEntries = 200

/** Times a page is looked at in one try, while others change what is on it. */
const mostLooks = 3

/** Times a job is tried before it is given up. */
const mostAttempts = 5

/** What `runJob` needs to know of the memory whose job it is. */
export interface RunJobOptions {
  /** Epoch milliseconds. */
  readonly now: number
  readonly halfLifeMs: number
  /** Interrupts the job while nothing of it is written yet. */
  readonly signal?: AbortSignal
}

/** What became of a job: done, lost to another worker, put back for another try or by the signal, or given up. */
export type JobOutcome = 'done' | 'lost' | 'retried' | 'interrupted' | 'given-up'

/**
 * Does one claimed job. Its effect is one write that completes it, so it happens at most once, and a process
 * that dies at any moment leaves the job to the next worker.
 *
 * @throws What the store throws; the job is claimed again when its lease is over.
 */
export async function runJob(
  store: MemoryStore,
  job: ClaimedJob,
  { now, halfLifeMs, signal }: RunJobOptions,
): Promise<JobOutcome> {
  const { scope } = job
  const isDeep = job.kind === jobKinds.deepSleep
  const isKnown = isDeep || job.kind === jobKinds.quickNap
  // A job that fails each time it is looked at must not be looked at for ever.
  if (!isKnown || job.attempts > mostAttempts) {
    await store.jobs.release(scope, job, { giveUp: true })
    return 'given-up'
  }
  const cursor = isDeep && typeof job.payload === 'string' ? job.payload : undefined
  const pause = async (): Promise<boolean> => {
    await nextRound()
    return signal?.aborted !== true
  }
  // Somebody recalls or changes one of the entries meanwhile now and then: look again at once, because the
  // next page of a sleep waits by then, and a page that were put back would be taken for the same job.
  for (let look = 0; look < mostLooks; look += 1) {
    const page = await store.list(scope, {
      filter: { layers: isDeep ? ['episodic', 'semantic'] : ['semantic'] },
      order: isDeep ? 'oldest' : 'newest',
      limit: jobEntries,
      ...(cursor !== undefined && { cursor }),
    })
    const put = await planMerge(page.entries, { now, pause })
    if (put === undefined || signal?.aborted) {
      await store.jobs.release(scope, job, { runAt: now })
      return 'interrupted'
    }
    if (isDeep && page.next !== undefined) {
      // Before the write: a process that dies in between leaves one page to be looked at twice, and none out.
      await store.jobs.enqueue(scope, { kind: job.kind, payload: page.next, runAt: now })
    }
    const outcome = await store.write(scope, {
      put,
      remove: isDeep ? planPrune(page.entries, { now, halfLifeMs }) : [],
      completes: { jobId: job.jobId, token: job.token },
    })
    if (outcome.committed) return 'done'
    if (outcome.reason === 'job-lost') return 'lost'
  }
  if (job.attempts >= mostAttempts) {
    await store.jobs.release(scope, job, { giveUp: true })
    return 'given-up'
  }
  await store.jobs.release(scope, job, { runAt: now + 1_000 * job.attempts })
  return 'retried'
}
