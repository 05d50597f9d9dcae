import type { ParsedFilter } from '../parse-query.ts'
import type { Ranked } from '../store.ts'
import { contextWeight } from '../text/context-weight.ts'
import { querySearchTerms } from '../text/search-terms.ts'
import { byRank } from '../top-list.ts'
import { createValues, filterCondition } from './filter-sql.ts'
import { type Lookups, nextLookups, planLookups } from './lookups.ts'
import type { Measure } from './partition-measure.ts'
import { partitionTag } from './partition-tag.ts'
import type { PostgresQueries } from './pool.ts'

/** What one search is asked, checked. */
export interface TextSearch {
  readonly partition: string
  readonly text: string
  readonly limit: number
  readonly filter: ParsedFilter
}

// The constants of BM25 that engines have settled on.
const k1 = 1.2
const b = 0.75

/** What `ts_rank` answers for a term that occurs once, at full weight, is 1 over this. */
const rankScale = 1.6449341

/** What the length of an entry takes from a term: this, and more for each term the entry has. */
const perEntry = (k1 * (1 - b)) / rankScale

/** The most a term can be worth, before its rarity: `ts_rank` of one term is never above 1. */
const mostOfTerm = 1 / (1 + perEntry)

/**
 * Creates the search of one table: BM25 over the term vectors, in the database.
 *
 * `ts_rank` of a single term says how often it occurs, weighted by field, each further time counting
 * less; rarity and length are added here, because the server's own ranks know neither. Each term is
 * looked up by itself, so the cost is the sum of what the terms match and not its product with the
 * length of the query. In a large partition, entries that have none but common words are read only
 * where they can be among the best. How often a term occurs is exact, except for those common words. How many
 * entries have those, how many entries there are and how long they are comes from a measure that may be behind by a
 * share of the entries. It must never be far behind: a number of entries that is too low takes the rarity from the
 * words that say most, and what has one other word then comes before what has them all.
 *
 * @param entries - The table, quoted.
 * @param measureOf - What is known of a partition.
 */
export function createTextSearch(
  queries: PostgresQueries,
  entries: string,
  measureOf: (partition: string) => Promise<Measure>,
): (search: TextSearch) => Promise<readonly Ranked[]> {
  const rank = async (
    { partition, limit, filter }: TextSearch,
    { entries: size, averageLength }: Measure,
    lookups: Lookups,
  ): Promise<Ranked[]> => {
    const perLength = (k1 * b) / averageLength / rankScale
    const { terms, where, rarities } = lookups
    const values = createValues(partition, terms, where, rarities, size, limit, perEntry, perLength)
    const isWanted = filterCondition(filter, values)
    const { rows } = await queries.query(
      `WITH found AS MATERIALIZED (
        SELECT term.at, entry.*
        FROM unnest($2::tsquery[], $3::tsquery[]) WITH ORDINALITY AS term (query, place, at)
        CROSS JOIN LATERAL (
          SELECT id, terms_length AS length, ${isWanted} AS is_wanted,
            ts_rank('{${contextWeight},${contextWeight},${contextWeight},1}', terms, term.query)
              AS frequency
          FROM ${entries} WHERE partition = $1 AND terms @@ term.place
        ) AS entry
      ), rarity AS MATERIALIZED (
        SELECT at, coalesce(
          ($4::real[])[at],
          ln(1 + (greatest($5::bigint - count(*), 0) + 0.5) / (count(*) + 0.5))
        )::real AS rarity
        FROM found GROUP BY at
      )
      SELECT found.id, sum(rarity.rarity * found.frequency
        / (found.frequency + $7::real + $8::real * found.length)) AS score
      FROM found JOIN rarity USING (at)
      WHERE found.is_wanted GROUP BY found.id ORDER BY score DESC, found.id LIMIT $6`,
      values.list,
    )
    return rows.map(({ id, score }) => Object.freeze({ id, score: Number(score) }))
  }

  return async (search) => {
    const tag = partitionTag(search.partition)
    const terms = querySearchTerms(search.text).map((term) => tag + term)
    if (terms.length === 0) return []
    const measure = await measureOf(search.partition)
    const plan = planLookups(terms, measure)
    const first = await rank(search, measure, plan.first)
    const least = first[search.limit - 1]?.score ?? 0
    const next = nextLookups(plan, { least, mostOfTerm })
    if (next === undefined) return first
    const more = await rank(search, measure, next)
    const found = new Map([...first, ...more].map((each) => [each.id, each]))
    return [...found.values()].sort(byRank).slice(0, search.limit)
  }
}
