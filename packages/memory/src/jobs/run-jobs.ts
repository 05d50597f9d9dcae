import { nextRound } from '../next-round.ts'
import type { Scope } from '../scope.ts'
import type { MemoryStore } from '../store.ts'
import { jobKinds, runJob } from './run-job.ts'

/** How long a claim on a job holds. */
const leaseMs = 60_000

/** What `runJobs` needs beside the store. */
export interface RunJobsOptions {
  /** Jobs worked on at most. */
  readonly limit: number
  /** Only jobs of this scope. */
  readonly scope?: Scope | undefined
  /** Looked at between jobs and within long ones. */
  readonly signal?: AbortSignal | undefined
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly halfLifeMs: number
  /** Told of each job that failed; its claim ends with the lease, and it is tried again. */
  readonly onFailure: (kind: string, thrown: unknown) => void
}

/**
 * Works on waiting jobs until none is due, `limit` were worked on or the signal fires. The event loop has its
 * turn after every job, however fast the store is: a store that answers at once would else keep it from
 * everybody until the last job is done.
 *
 * @returns how many jobs were worked on.
 * @throws What the store throws when it is asked for jobs.
 */
export async function runJobs(
  store: MemoryStore,
  { limit, scope, signal, now, halfLifeMs, onFailure }: RunJobsOptions,
): Promise<number> {
  const kinds = Object.values(jobKinds)
  let done = 0
  while (done < limit && !signal?.aborted) {
    const at = now()
    const [job] = await store.jobs.claim({ now: at, leaseMs, kinds, ...(scope && { scope }) })
    if (job === undefined) break
    done += 1
    try {
      await runJob(store, job, { now: at, halfLifeMs, ...(signal && { signal }) })
    } catch (thrown) {
      onFailure(job.kind, thrown)
    }
    await nextRound()
  }
  return done
}
