import type { ParsedFilter } from '../parse-query.ts'
import type { Ranked } from '../store.ts'
import { contextWeight } from '../text/context-weight.ts'
import { querySearchTerms } from '../text/search-terms.ts'
import { createValues, filterCondition } from './filter-sql.ts'
import { partitionTag } from './partition-tag.ts'
import type { PostgresQueries } from './pool.ts'
import { quoteTerm } from './term-vector.ts'

/** What one search is asked, checked. */
export interface TextSearch {
  readonly partition: string
  readonly text: string
  readonly limit: number
  readonly filter: ParsedFilter
}

/** Searches of a partition until its entries are counted again. */
const searchesPerCount = 100

/** Partitions whose count is remembered. */
const countedPartitions = 1_000

/** How many entries a partition has, and how long they are on average. */
interface Measure {
  readonly entries: number
  readonly averageLength: number
  searches: number
}

// The constants of BM25 that engines have settled on.
const k1 = 1.2
const b = 0.75

/** What `ts_rank` answers for a term that occurs once, at full weight, is 1 over this. */
const rankScale = 1.6449341

/**
 * Creates the search of one table: BM25 over the term vectors, in the database.
 *
 * `ts_rank` of a single term says how often it occurs, weighted by field, each further time counting
 * less; rarity and length are added here, because the server's own ranks know neither. Each term is
 * looked up by itself, so the cost is the sum of what the terms match and not its product with the
 * length of the query. How often a term occurs is exact. How many entries there are, and how long, is
 * measured now and then: it moves all scores together, and hardly the order.
 *
 * @param entries - The table, quoted.
 */
export function createTextSearch(
  queries: PostgresQueries,
  entries: string,
): (search: TextSearch) => Promise<readonly Ranked[]> {
  const measures = new Map<string, Measure>()

  const measure = async (partition: string): Promise<Measure> => {
    const known = measures.get(partition)
    if (known !== undefined && known.searches < searchesPerCount) {
      known.searches += 1
      return known
    }
    const { rows } = await queries.query(
      `SELECT count(*) AS entries, avg(terms_length) AS length FROM ${entries} WHERE partition = $1`,
      [partition],
    )
    const measured = {
      entries: Number(rows[0]?.['entries'] ?? 0),
      averageLength: Number(rows[0]?.['length'] ?? 1) || 1,
      searches: 1,
    }
    measures.delete(partition)
    measures.set(partition, measured)
    const [oldest] = measures.keys()
    if (measures.size > countedPartitions && oldest !== undefined) measures.delete(oldest)
    return measured
  }

  return async ({ partition, text, limit, filter }) => {
    const tag = partitionTag(partition)
    const terms = querySearchTerms(text).map((term) => quoteTerm(tag + term))
    if (terms.length === 0) return []
    const { entries: size, averageLength } = await measure(partition)
    const perEntry = (k1 * (1 - b)) / rankScale
    const perLength = (k1 * b) / averageLength / rankScale
    const values = createValues(partition, terms, size, limit, perEntry, perLength)
    const isWanted = filterCondition(filter, values)
    const { rows } = await queries.query(
      `WITH found AS MATERIALIZED (
        SELECT term.at, entry.* FROM unnest($2::tsquery[]) WITH ORDINALITY AS term (query, at)
        CROSS JOIN LATERAL (
          SELECT id, terms_length AS length, ${isWanted} AS is_wanted,
            ts_rank('{${contextWeight},${contextWeight},${contextWeight},1}', terms, term.query)
              AS frequency
          FROM ${entries} WHERE partition = $1 AND terms @@ term.query
        ) AS entry
      ), rarity AS (
        SELECT at, ln(1 + (greatest($3::bigint - count(*), 0) + 0.5) / (count(*) + 0.5))::real AS rarity
        FROM found GROUP BY at
      )
      SELECT found.id, sum(rarity.rarity * found.frequency
        / (found.frequency + $5::real + $6::real * found.length)) AS score
      FROM found JOIN rarity USING (at)
      WHERE found.is_wanted GROUP BY found.id ORDER BY score DESC, found.id LIMIT $4`,
      values.list,
    )
    return rows.map(({ id, score }) => Object.freeze({ id, score: Number(score) }))
  }
}
