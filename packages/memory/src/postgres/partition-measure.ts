import { createBoundedMap } from '../bounded-map.ts'
import type { PostgresQueries, PostgresRow } from './pool.ts'

/** Up to so many entries a partition is measured for each search: that costs little, and each write matters. */
const smallPartition = 500

/** Partitions whose measure is remembered. */
const measuredPartitions = 1_000

/** The doubt that a measure may be in: the share of the entries that may have changed since. */
const tolerableDoubt = 0.1

/** The doubt in which a measure of a large partition still serves while it is taken again. */
const mostDoubt = 0.5

/** What others are taken to write to one partition, in entries a second: no store tells how much it was. */
const writtenByOthers = 1

/** From so many entries on, it is worth knowing which terms are common. */
const largePartition = 10_000

/** Entries of a large partition that are looked at. */
const sampledEntries = 4_000

/** A term that this share of the entries have is common. */
const commonShare = 0.05

/** Terms known as common, the commonest of them. */
const mostCommonTerms = 500

/** What is known of a partition without reading it. */
export interface Measure {
  /** How many entries it has. */
  readonly entries: number
  /** How long they are on average, in terms. */
  readonly averageLength: number
  /** The terms that many of its entries have, and how many of them, 0 to 1; none while it is small. */
  readonly common: ReadonlyMap<string, number>
}

/** What is known of the partitions of a table. */
export interface PartitionMeasures {
  /**
   * The measure of a partition. What this process wrote before it asked is in it but for a tenth of the
   * entries, or half of them for the moments in which a large partition is measured again.
   *
   * @throws what the database throws.
   */
  of(partition: string): Promise<Measure>
  /** Tells that this process put or removed so many entries. */
  changed(partition: string, entries: number): void
}

/** A measure, and what has happened since it began to be taken. */
interface Taken {
  readonly measure: Measure
  readonly beganAt: number
  changed: number
}

/**
 * Creates the measures of one table. A small partition is measured for each search. Another is measured again when a
 * tenth of its entries may have changed, by what this process wrote and by the time in which others may have written,
 * so the effort is in proportion to the writes. Searches at one time share a measure, and a large partition has its
 * old one until the new one is there. Of a large partition one entry in so many is read, evenly spread over the ids.
 *
 * @param entries - The table, quoted.
 * @param now - The time in milliseconds.
 */
export function createPartitionMeasures(
  queries: PostgresQueries,
  entries: string,
  now: () => number = () => performance.now(),
): PartitionMeasures {
  const known = createBoundedMap<Taken>(measuredPartitions)
  const running = new Map<string, { changed: number; readonly taken: Promise<Taken> }>()

  const doubtOf = ({ measure, beganAt, changed }: Taken): number => {
    const byOthers = ((now() - beganAt) / 1_000) * writtenByOthers
    return (changed + byOthers) / Math.max(1, measure.entries)
  }

  const measure = async (partition: string): Promise<Taken> => {
    const beganAt = now()
    try {
      const found = await measurePartition(queries, entries, partition)
      const taken = { measure: found, beganAt, changed: running.get(partition)?.changed ?? 0 }
      if (found.entries > smallPartition) known.set(partition, taken)
      else known.delete(partition)
      return taken
    } finally {
      running.delete(partition)
    }
  }

  const takeMeasure = (partition: string): Promise<Taken> => {
    const there = running.get(partition)
    if (there !== undefined) return there.taken
    const taken = measure(partition)
    running.set(partition, { changed: 0, taken })
    return taken
  }

  return {
    async of(partition) {
      const last = known.get(partition)
      const doubt = last === undefined ? Number.POSITIVE_INFINITY : doubtOf(last)
      if (last !== undefined && doubt <= tolerableDoubt) return last.measure
      const next = takeMeasure(partition)
      if (last !== undefined && last.measure.entries >= largePartition && doubt <= mostDoubt) {
        // Where it fails, a later search tries again, and fails too once the old one is of no use.
        next.catch(() => {})
        return last.measure
      }
      const { measure: found, changed } = await next
      if (changed <= found.entries * tolerableDoubt) return found
      // It may have begun before this search did and lack what was written in between. The next does not.
      return (await takeMeasure(partition)).measure
    },

    changed(partition, count) {
      for (const each of [known.get(partition), running.get(partition)]) {
        if (each !== undefined) each.changed += count
      }
    },
  }
}

async function measurePartition(
  queries: PostgresQueries,
  table: string,
  partition: string,
): Promise<Measure> {
  const { rows: few } = await queries.query(
    `SELECT count(*) AS entries, avg(terms_length) AS length
    FROM (SELECT terms_length FROM ${table} WHERE partition = $1 LIMIT $2) AS few`,
    [partition, largePartition],
  )
  const found = Number(few[0]?.['entries'] ?? 0)
  if (found < largePartition) {
    return { entries: found, averageLength: lengthOf(few[0]), common: new Map() }
  }
  const counted = await queries.query(
    `SELECT count(*) AS entries FROM ${table} WHERE partition = $1`,
    [partition],
  )
  const entries = Number(counted.rows[0]?.['entries'] ?? 0)
  const { rows } = await queries.query(
    `WITH sample AS MATERIALIZED (
      SELECT terms, terms_length FROM ${table} WHERE partition = $1 AND id IN (
        SELECT id FROM (
          SELECT id, row_number() OVER (ORDER BY id) AS at FROM ${table} WHERE partition = $1
        ) AS numbered WHERE at % $2::bigint = 0
      )
    ), size AS MATERIALIZED (
      SELECT count(*) AS entries, avg(terms_length) AS length FROM sample
    ), common AS (
      SELECT lexeme, count(*) AS found FROM sample CROSS JOIN unnest(terms)
      GROUP BY lexeme HAVING count(*) >= $3::double precision * (SELECT entries FROM size)
      ORDER BY found DESC, lexeme LIMIT $4
    )
    SELECT size.length, common.lexeme, common.found::double precision / size.entries AS share
    FROM size LEFT JOIN common ON TRUE`,
    [partition, Math.ceil(entries / sampledEntries), commonShare, mostCommonTerms],
  )
  const common = rows.filter(({ lexeme }) => lexeme !== null)
  return {
    entries,
    averageLength: lengthOf(rows[0]),
    common: new Map(common.map(({ lexeme, share }) => [lexeme, Number(share)])),
  }
}

/** A mean that can be divided by, also where there is none. */
function lengthOf(row: PostgresRow | undefined): number {
  return Number(row?.['length'] ?? 1) || 1
}
