import { randomUUID } from 'node:crypto'
import type { ClaimedJob, JobClaim, JobQueue } from '../job-queue.ts'
import { parseClaim, parseClaimOptions, parseJob, parseTime } from '../parse-query.ts'
import type { PlainJson } from '../plain-json.ts'
import { partitionKey, scopeOfPartition } from '../scope.ts'
import type { Database, Row } from './database.ts'
import type { Partitions } from './partitions.ts'

/** A queue in the tables of the store. */
export function createSqliteJobs(database: Database, partitions: Partitions): JobQueue {
  return {
    async enqueue(scope, job) {
      const key = partitionKey(scope)
      const { kind, key: jobKey, payload, runAt } = parseJob(job)
      const added = database.transaction(() =>
        database.run(
          `INSERT INTO memory_jobs (partition, kind, key, payload, ready_at) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT DO NOTHING`,
          partitions.numberFor(key),
          kind,
          jobKey,
          JSON.stringify(payload),
          runAt,
        ),
      )
      return { added: added > 0 }
    },

    async claim(options) {
      const { now, leaseMs, limit, kinds } = parseClaimOptions(options)
      const scoped = options.scope === undefined ? undefined : partitionKey(options.scope)
      const claimed = database.transaction(() =>
        database
          .all(
            `SELECT j.number, p.key AS partition_key, j.kind, j.key, j.payload, j.attempts
             FROM memory_jobs j JOIN memory_partitions p ON p.number = j.partition
             WHERE j.ready_at <= ?
             ${scoped === undefined ? '' : 'AND p.key = ?'}
             ${kinds === undefined ? '' : 'AND j.kind IN (SELECT value FROM json_each(?))'}
             ORDER BY j.ready_at, j.number LIMIT ?`,
            now,
            ...(scoped === undefined ? [] : [scoped]),
            ...(kinds === undefined ? [] : [JSON.stringify(kinds)]),
            limit,
          )
          .map((row) => {
            const token = randomUUID()
            database.run(
              'UPDATE memory_jobs SET token = ?, ready_at = ?, attempts = attempts + 1 WHERE number = ?',
              token,
              now + leaseMs,
              Number(row['number']),
            )
            return jobOf(row, token, now + leaseMs)
          }),
      )
      return claimed
    },

    async complete(scope, claim) {
      const key = partitionKey(scope)
      const held = parseClaim(claim)
      return endJob(database, partitions.find(key), held)
    },

    async release(scope, claim, options) {
      const key = partitionKey(scope)
      const held = parseClaim(claim)
      const partition = partitions.find(key)
      if ('giveUp' in options) return endJob(database, partition, held)
      const runAt = parseTime('runAt', options.runAt)
      return database.transaction(() => {
        if (!holdsJob(database, partition, held)) return false
        const released = database.run(
          'UPDATE OR IGNORE memory_jobs SET token = NULL, ready_at = ? WHERE number = ?',
          runAt,
          numberOf(held),
        )
        // Its like waits already: the two become one.
        if (released === 0) endJob(database, partition, held)
        return true
      })
    },

    async count(scope) {
      const key = partitionKey(scope)
      const row = database.get(
        'SELECT count(*) AS count FROM memory_jobs WHERE partition = ?',
        partitions.find(key),
      )
      return Number(row?.['count'])
    },
  }
}

/** Whether a claim holds: the job is there and was not claimed again or released since. */
export function holdsJob(database: Database, partition: number, claim: JobClaim): boolean {
  return (
    database.get(
      'SELECT 1 FROM memory_jobs WHERE number = ? AND partition = ? AND token = ?',
      numberOf(claim),
      partition,
      claim.token,
    ) !== undefined
  )
}

/** Takes a job out whose claim holds. Whether it did. */
export function endJob(database: Database, partition: number, claim: JobClaim): boolean {
  return (
    database.run(
      'DELETE FROM memory_jobs WHERE number = ? AND partition = ? AND token = ?',
      numberOf(claim),
      partition,
      claim.token,
    ) > 0
  )
}

function numberOf({ jobId }: JobClaim): number {
  return /^\d{1,15}$/u.test(jobId) ? Number(jobId) : -1
}

function jobOf(row: Row, token: string, leaseUntil: number): ClaimedJob {
  const payload: PlainJson = JSON.parse(String(row['payload']))
  return Object.freeze({
    jobId: String(row['number']),
    token,
    scope: scopeOfPartition(String(row['partition_key'])),
    kind: String(row['kind']),
    key: String(row['key']),
    payload,
    attempts: Number(row['attempts']) + 1,
    leaseUntil,
  })
}
