import type { ClaimedJob, JobClaim, JobQueue } from '../job-queue.ts'
import { parseClaim, parseClaimOptions, parseJob, parseTime } from '../parse-query.ts'
import { copyPlainJson, type PlainJson } from '../plain-json.ts'
import { partitionKey, scopeOfPartition } from '../scope.ts'
import { partitionName } from './partition-tag.ts'
import { type PostgresQueries, type PostgresRow, retryLostRaces } from './pool.ts'

/** What the queue needs of the store around it. */
export interface PostgresJobsOptions {
  readonly queries: PostgresQueries
  /** The table, quoted. */
  readonly jobs: string
  /** Throws once the store is closed. */
  assertOpen(): void
  /** Turns what the driver throws into an error of this package. */
  guard<Result>(work: () => Promise<Result>): Promise<Result>
}

/**
 * The queue in the table of jobs. Many workers claim at once: each takes rows that no other one is taking
 * (`FOR UPDATE SKIP LOCKED`). A token is the job's number and how often it was claimed, so no two claims
 * are alike.
 */
export function createPostgresJobs(options: PostgresJobsOptions): JobQueue {
  const { queries, jobs, assertOpen, guard } = options

  return {
    enqueue: (scope, job) =>
      guard(async () => {
        const scopeKey = partitionKey(scope)
        assertOpen()
        const { kind, key, payload, runAt } = parseJob(job)
        const { rows } = await queries.query(
          `INSERT INTO ${jobs}
            (partition, scope, kind, key, payload, run_at, attempts, token, free_at)
          VALUES ($1, $6, $2, $3, $4::json, $5::bigint, 0, '', $5::bigint)
          ON CONFLICT (partition, kind, key) WHERE token = '' DO NOTHING RETURNING id`,
          [partitionName(scopeKey), kind, key, JSON.stringify(payload), runAt, scopeKey],
        )
        return { added: rows.length > 0 }
      }),

    claim: (claimOptions) =>
      guard(async () => {
        assertOpen()
        const { now, leaseMs, limit, kinds } = parseClaimOptions(claimOptions)
        const { scope } = claimOptions
        const partition = scope === undefined ? null : partitionName(partitionKey(scope))
        const storable = kinds?.filter((kind) => !kind.includes('\u0000') && kind.isWellFormed())
        const { rows } = await queries.query(
          `UPDATE ${jobs} AS job
          SET attempts = attempts + 1, free_at = $1::bigint + $2::bigint,
            token = job.id || '.' || (attempts + 1)
          WHERE id = ANY(ARRAY(
            SELECT id FROM ${jobs} WHERE free_at <= $1
              AND ($4::text IS NULL OR partition = $4) AND ($5::text[] IS NULL OR kind = ANY($5))
            ORDER BY run_at, id LIMIT $3 FOR UPDATE SKIP LOCKED
          ))
          RETURNING id, coalesce(scope, partition) AS scope, kind, key, payload::text AS payload, run_at, attempts, token, free_at`,
          [now, leaseMs, limit, partition, storable ?? null],
        )
        return rows.sort(byTime).map(readJob)
      }),

    complete: (scope, claim) =>
      guard(async () => {
        const partition = partitionName(partitionKey(scope))
        assertOpen()
        return completeJob(queries, { jobs, partition, claim: parseClaim(claim) })
      }),

    release: (scope, claim, then) =>
      guard(async () => {
        const partition = partitionName(partitionKey(scope))
        assertOpen()
        const parsed = parseClaim(claim)
        if ('giveUp' in then) return completeJob(queries, { jobs, partition, claim: parsed })
        const runAt = parseTime('runAt', then.runAt)
        // Where one of the same name came to wait at this very moment, the index undoes the statement.
        const { rows } = await retryLostRaces(() =>
          queries.query(
            `WITH held AS (SELECT id, partition, kind, key FROM ${jobs} WHERE ${isHeld} FOR UPDATE),
            twin AS (SELECT FROM ${jobs} AS job JOIN held USING (partition, kind, key)
              WHERE job.token = ''),
            gone AS (DELETE FROM ${jobs} AS job USING held
              WHERE job.id = held.id AND EXISTS (SELECT FROM twin) RETURNING job.id),
            back AS (UPDATE ${jobs} AS job SET token = '', run_at = $4, free_at = $4 FROM held
              WHERE job.id = held.id AND NOT EXISTS (SELECT FROM twin) RETURNING job.id)
            SELECT id FROM gone UNION ALL SELECT id FROM back`,
            [...heldBy(partition, parsed), runAt],
          ),
        )
        return rows.length > 0
      }),

    count: (scope) =>
      guard(async () => {
        const partition = partitionName(partitionKey(scope))
        assertOpen()
        const { rows } = await queries.query(
          `SELECT count(*) AS size FROM ${jobs} WHERE partition = $1`,
          [partition],
        )
        return Number(rows[0]?.['size'] ?? 0)
      }),
  }
}

/**
 * Ends a job, within whatever transaction `queries` is in, and keeps others from it until that ends.
 *
 * @returns false, and does nothing, when the claim no longer holds.
 */
export async function completeJob(
  queries: PostgresQueries,
  { jobs, partition, claim }: { jobs: string; partition: string; claim: JobClaim },
): Promise<boolean> {
  const { rows } = await queries.query(
    `DELETE FROM ${jobs} WHERE ${isHeld} RETURNING id`,
    heldBy(partition, claim),
  )
  return rows.length > 0
}

/** The claim holds: it is the latest one, and the job is not done. */
const isHeld = 'partition = $1 AND id = $2 AND token = $3'

function heldBy(partition: string, { jobId, token }: JobClaim): unknown[] {
  // A number of job that is none, or too large for the column, is held by nobody.
  const isNumber = /^[1-9]\d{0,17}$/u.test(jobId) && /^\d+\.\d+$/u.test(token)
  return [partition, isNumber ? jobId : '0', isNumber ? token : '-']
}

function byTime(one: PostgresRow, other: PostgresRow): number {
  return Number(one['run_at']) - Number(other['run_at']) || Number(one['id']) - Number(other['id'])
}

function readJob(row: PostgresRow): ClaimedJob {
  return Object.freeze({
    jobId: String(row['id']),
    token: row['token'],
    scope: scopeOfPartition(row['scope']),
    kind: row['kind'],
    key: row['key'],
    payload: readPayload(row['payload']),
    attempts: Number(row['attempts']),
    leaseUntil: Number(row['free_at']),
  })
}

/** Frozen, as it was when it was checked. */
function readPayload(text: string): PlainJson {
  const unbounded = { depth: 1_000, values: text.length + 1, chars: text.length + 1 }
  const copied = copyPlainJson(JSON.parse(text), unbounded)
  return copied.ok ? copied.value : null
}
