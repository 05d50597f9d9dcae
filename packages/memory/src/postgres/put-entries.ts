import type { ParsedWrite } from '../parse-query.ts'
import type { PutOutcome, WriteOutcome } from '../store.ts'
import { putStatement, writeRows } from './entry-row.ts'
import { completeJob } from './job-queue.ts'
import { inTransaction, type PostgresPool, type PostgresQueries, retryLostRaces } from './pool.ts'

/** Where a write goes. */
export interface WriteTarget {
  readonly pool: PostgresPool
  /** The tables, quoted. */
  readonly entries: string
  readonly jobs: string
  readonly partition: string
}

/**
 * Applies a write as a whole. One that only replaces is a single statement, and so one round trip; all
 * others are a transaction that locks what is there, by id, before it compares versions.
 */
export async function putEntries(target: WriteTarget, write: ParsedWrite): Promise<WriteOutcome> {
  const isPlain =
    write.completes === undefined &&
    write.remove.length === 0 &&
    write.put.every((put) => put.ifExists === 'replace' && put.expectedVersion === undefined)
  if (isPlain) {
    const versions = await retryLostRaces(() => insert(target.pool, target, write.put, 'replace'))
    return committed(write, versions, new Map(), 0)
  }
  return inTransaction(target.pool, async (queries) => {
    const result = await apply(queries, target, write)
    return { keep: result.committed, result }
  })
}

async function apply(
  queries: PostgresQueries,
  target: WriteTarget,
  write: ParsedWrite,
): Promise<WriteOutcome> {
  const { entries, jobs, partition } = target
  const { put, remove, completes } = write
  if (completes !== undefined) {
    const isHeld = await completeJob(queries, { jobs, partition, claim: completes })
    if (!isHeld) return { committed: false, reason: 'job-lost', conflicts: [] }
  }

  const there = await lock(queries, target, [...put.map(({ entry }) => entry.id), ...remove])
  const conflicts = put
    .filter(({ entry, expectedVersion }) => {
      return expectedVersion !== undefined && expectedVersion !== (there.get(entry.id) ?? 0)
    })
    .map(({ entry }) => entry.id)
  if (conflicts.length > 0) return { committed: false, reason: 'version', conflicts }

  const removed = remove.filter((id) => there.has(id))
  if (removed.length > 0) {
    const gone = [partition, removed]
    await queries.query(
      `DELETE FROM ${entries} WHERE partition = $1 AND id = ANY($2::text[])`,
      gone,
    )
  }

  // What is not there cannot be locked: another writer may put it first, and then it must stay.
  const onlyNew = put.filter(
    ({ entry, ifExists, expectedVersion }) =>
      !there.has(entry.id) && (ifExists === 'keep' || expectedVersion === 0),
  )
  const replaced = put.filter((each) => {
    const isKept = each.ifExists === 'keep' && there.has(each.entry.id)
    return !isKept && !onlyNew.includes(each)
  })
  const created = await insert(queries, target, onlyNew, 'keep')
  const overtaken = onlyNew.filter(({ entry }) => !created.has(entry.id))
  const late = overtaken.filter(({ expectedVersion }) => expectedVersion !== undefined)
  if (late.length > 0) {
    return {
      committed: false,
      reason: 'version',
      conflicts: late.map(({ entry }) => entry.id),
    }
  }
  const versions = new Map([...created, ...(await insert(queries, target, replaced, 'replace'))])
  const others = await lock(
    queries,
    target,
    overtaken.map(({ entry }) => entry.id),
  )
  return committed(write, versions, new Map([...there, ...others]), removed.length)
}

/** The versions of the entries that are there, which nobody else can change until the transaction ends. */
async function lock(
  queries: PostgresQueries,
  { entries, partition }: WriteTarget,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const { rows } = await queries.query(
    `SELECT id, version FROM ${entries} WHERE partition = $1 AND id = ANY($2::text[])
    ORDER BY id FOR UPDATE`,
    [partition, ids],
  )
  return new Map(rows.map(({ id, version }) => [id, Number(version)]))
}

async function insert(
  queries: PostgresQueries,
  { entries, partition }: WriteTarget,
  put: ParsedWrite['put'],
  ifExists: 'replace' | 'keep',
): Promise<Map<string, number>> {
  if (put.length === 0) return new Map()
  const given = put.map(({ entry }) => entry)
  const { rows } = await queries.query(putStatement(entries, ifExists), [
    partition,
    writeRows(partition, given),
  ])
  return new Map(rows.map(({ id, version }) => [id, Number(version)]))
}

function committed(
  { put }: ParsedWrite,
  versions: ReadonlyMap<string, number>,
  kept: ReadonlyMap<string, number>,
  removed: number,
): WriteOutcome {
  const entries = put.map(({ entry: { id } }): PutOutcome => {
    const version = versions.get(id)
    if (version === undefined) return { id, status: 'kept', version: kept.get(id) ?? 0 }
    return { id, status: version === 1 ? 'created' : 'replaced', version }
  })
  return { committed: true, entries, removed }
}
