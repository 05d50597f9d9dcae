import type { SQLInputValue } from 'node:sqlite'
import type { ParsedFilter } from '../parse-query.ts'
import type { Ranked } from '../store.ts'
import { querySearchTerms } from '../text/search-terms.ts'
import { byRank } from '../top-list.ts'
import type { Database } from './database.ts'
import { filterCondition } from './filter-sql.ts'
import { partitionTerm } from './text-index.ts'

/** What one search is asked, checked. */
export interface TextSearch {
  readonly partition: number
  readonly text: string
  readonly limit: number
  readonly filter: ParsedFilter
}

/** Results that are looked at beyond the limit before everything is filtered. */
const spare = 64

/**
 * Creates the search of one database: BM25 of FTS5, with the rarity of a term in the partition put in the place of
 * its rarity in the whole table. So what other tenants write moves nobody's ranking but for the mean
 * length of a text. Each term is looked up by itself, which costs what looking them up together does.
 *
 * How many entries there are is kept beside the key of the partition and true at each search. A number that is too low would take
 * the rarity from the words that say most, and put what has one other word before what has them all.
 */
export function createTextSearch(database: Database): (search: TextSearch) => readonly Ranked[] {
  database.run(
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.memory_terms USING fts5vocab ('main', 'memory_text', 'row')",
  )

  /** The terms that occur, each with what its rank is to be multiplied by. */
  const weigh = (partition: number, text: string): readonly [weight: number, query: string][] => {
    const size = 'SELECT entries FROM memory_partitions WHERE number = ?'
    const entries = Number(database.get(size, partition)?.['entries'] ?? 0)
    const all = countIndexed(database)
    return querySearchTerms(text).flatMap((term): [number, string][] => {
      const spelled = partitionTerm(partition, term)
      const sql = 'SELECT doc FROM temp.memory_terms WHERE term = ?'
      const found = Number(database.get(sql, spelled)?.['doc'] ?? 0)
      if (found === 0) return []
      const rarity = Math.log(1 + (Math.max(0, entries - found) + 0.5) / (found + 0.5))
      // As FTS5 has it, which never goes down to 0.
      const rarityInTable = Math.max(1e-6, Math.log((all - found + 0.5) / (found + 0.5)))
      return [[rarity / rarityInTable, `"${spelled}"`]]
    })
  }

  return ({ partition, text, limit, filter }) => {
    const terms = weigh(partition, text)
    if (terms.length === 0) return []
    const each = 'SELECT rowid, rank, ? AS weight FROM memory_text WHERE memory_text MATCH ?'
    const scored = `SELECT rowid AS number, sum(-rank * weight) AS score
      FROM (${terms.map(() => each).join(' UNION ALL ')}) GROUP BY rowid`
    const values: readonly SQLInputValue[] = terms.flat()
    const condition = filterCondition(filter)
    // The best of the text index first, then what is known of them: cheap unless much is filtered out. A cross join
    // is done in the order in which it is written.
    const most = limit + spare
    const first = database.all(
      `SELECT e.id, t.score, ${condition.sql === '' ? '1' : `(1${condition.sql})`} AS wanted
       FROM (${scored} ORDER BY score DESC LIMIT ?) t
       CROSS JOIN memory_entries e ON e.number = t.number AND e.partition = ?`,
      ...condition.values,
      ...values,
      most,
      partition,
    )
    const wanted = first.filter((row) => row['wanted'] === 1).map(rankedOf)
    if (wanted.length >= limit || first.length < most) return wanted.sort(byRank).slice(0, limit)
    return database
      .all(
        `SELECT e.id, t.score FROM (${scored}) t JOIN memory_entries e ON e.number = t.number
         WHERE e.partition = ?${condition.sql} ORDER BY t.score DESC, e.id LIMIT ?`,
        ...values,
        partition,
        ...condition.values,
        limit,
      )
      .map(rankedOf)
  }
}

function rankedOf(row: Record<string, unknown>): Ranked {
  return { id: String(row['id']), score: Number(row['score']) }
}

/**
 * The number of all texts as FTS5 itself takes it into account: it keeps it, as a varint, at the start of its
 * record of averages. Counting rows would read all of them at each search.
 */
function countIndexed(database: Database): number {
  const record = database.get('SELECT block FROM memory_text_data WHERE id = 1')?.['block']
  if (!(record instanceof Uint8Array)) return 0
  let count = 0
  for (const byte of record.subarray(0, 8)) {
    count = count * 128 + (byte & 127)
    if (byte < 128) break
  }
  return count
}
