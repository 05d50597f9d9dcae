import type { PostgresQueries } from './pool.ts'

/** Searches of a partition until it is measured again. */
const searchesPerMeasure = 100

/** Partitions whose measure is remembered. */
const measuredPartitions = 1_000

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

/**
 * Measures partitions, each at its first search and then every hundred searches. Of a large partition
 * one in so many entries is read, evenly spread over the ids.
 */
export function createPartitionMeasures(
  queries: PostgresQueries,
  entries: string,
): (partition: string) => Promise<Measure> {
  const measures = new Map<string, { readonly measure: Measure; searches: number }>()

  return async (partition) => {
    const known = measures.get(partition)
    if (known !== undefined && known.searches < searchesPerMeasure) {
      known.searches += 1
      return known.measure
    }
    const measure = await measurePartition(queries, entries, partition)
    measures.delete(partition)
    measures.set(partition, { measure, searches: 1 })
    const [oldest] = measures.keys()
    if (measures.size > measuredPartitions && oldest !== undefined) measures.delete(oldest)
    return measure
  }
}

async function measurePartition(
  queries: PostgresQueries,
  table: string,
  partition: string,
): Promise<Measure> {
  const counted = await queries.query(
    `SELECT count(*) AS entries FROM ${table} WHERE partition = $1`,
    [partition],
  )
  const entries = Number(counted.rows[0]?.['entries'] ?? 0)
  if (entries < largePartition) {
    const { rows } = await queries.query(
      `SELECT avg(terms_length) AS length FROM ${table} WHERE partition = $1`,
      [partition],
    )
    return { entries, averageLength: Number(rows[0]?.['length'] ?? 1) || 1, common: new Map() }
  }
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
    averageLength: Number(rows[0]?.['length'] ?? 1) || 1,
    common: new Map(common.map(({ lexeme, share }) => [lexeme, Number(share)])),
  }
}
