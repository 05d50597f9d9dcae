import type { ClaimedJob, JobClaim, JobQueue, NewJob } from '../job-queue.ts'
import { parseClaim, parseClaimOptions, parseJob, parseTime } from '../parse-query.ts'
import { partitionKey, scopeOfPartition } from '../scope.ts'

/** A queue in memory, with what the store does to it within its own writes. */
export interface InMemoryJobs extends JobQueue {
  /** Whether this claim of a job of the partition holds. A claim whose lease is over but that nobody else took still does. */
  holds(partition: string, claim: JobClaim): boolean
  /** Takes a job out. */
  end(claim: JobClaim): void
  /** Takes all jobs of a partition out. */
  removeAll(partition: string): void
}

interface KeptJob extends Required<NewJob> {
  readonly jobId: string
  readonly partition: string
  readonly attempts: number
  /** Empty while nobody holds it. */
  readonly token: string
  readonly leaseUntil: number
}

/** Creates an empty queue. `assertOpen` throws once the store is closed. */
export function createInMemoryJobs(assertOpen: () => void): InMemoryJobs {
  const jobs = new Map<string, KeptJob>()
  let lastNumber = 0

  const find = (partition: string, { jobId, token }: JobClaim): KeptJob | undefined => {
    const job = jobs.get(jobId)
    return job?.partition === partition && token !== '' && job.token === token ? job : undefined
  }

  const isWaiting = (partition: string, { kind, key }: { kind: string; key: string }): boolean =>
    [...jobs.values()].some(
      (job) =>
        job.token === '' && job.partition === partition && job.kind === kind && job.key === key,
    )

  return {
    async enqueue(scope, job) {
      const partition = partitionKey(scope)
      assertOpen()
      const parsed = parseJob(job)
      if (isWaiting(partition, parsed)) return { added: false }
      lastNumber += 1
      const jobId = `j_${lastNumber}`
      jobs.set(jobId, { ...parsed, jobId, partition, attempts: 0, token: '', leaseUntil: 0 })
      return { added: true }
    },

    async claim(options) {
      assertOpen()
      const { now, leaseMs, limit, kinds } = parseClaimOptions(options)
      const partition = options.scope === undefined ? undefined : partitionKey(options.scope)
      const due = [...jobs.values()]
        .filter(
          (job) =>
            (job.token === '' ? job.runAt : job.leaseUntil) <= now &&
            (partition === undefined || job.partition === partition) &&
            (kinds === undefined || kinds.includes(job.kind)),
        )
        .sort((one, other) => one.runAt - other.runAt)
      return due.slice(0, limit).map((job) => {
        const attempts = job.attempts + 1
        const claimed = {
          ...job,
          attempts,
          token: `${job.jobId}.${attempts}`,
          leaseUntil: now + leaseMs,
        }
        jobs.set(job.jobId, claimed)
        return describeClaim(claimed)
      })
    },

    async complete(scope, claim) {
      const partition = partitionKey(scope)
      assertOpen()
      const job = find(partition, parseClaim(claim))
      return job !== undefined && jobs.delete(job.jobId)
    },

    async release(scope, claim, options) {
      const partition = partitionKey(scope)
      assertOpen()
      const job = find(partition, parseClaim(claim))
      if (job === undefined) return false
      if ('giveUp' in options || isWaiting(partition, job)) return jobs.delete(job.jobId)
      jobs.set(job.jobId, { ...job, token: '', runAt: parseTime('runAt', options.runAt) })
      return true
    },

    async count(scope) {
      const partition = partitionKey(scope)
      assertOpen()
      return [...jobs.values()].filter((job) => job.partition === partition).length
    },

    holds: (partition, claim) => find(partition, claim) !== undefined,
    end: ({ jobId }) => {
      jobs.delete(jobId)
    },
    removeAll(partition) {
      for (const job of jobs.values()) if (job.partition === partition) jobs.delete(job.jobId)
    },
  }
}

function describeClaim(job: KeptJob): ClaimedJob {
  const { jobId, token, partition, kind, key, payload, attempts, leaseUntil } = job
  const scope = scopeOfPartition(partition)
  return Object.freeze({ jobId, token, scope, kind, key, payload, attempts, leaseUntil })
}
