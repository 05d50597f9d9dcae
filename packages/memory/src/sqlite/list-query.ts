import { type MemoryLayer, memoryLayers } from '../layer.ts'
import type { ParsedFilter, ParsedList } from '../parse-query.ts'
import { type Condition, filterCondition } from './filter-sql.ts'

/**
 * The query of one page and one entry more, which tells whether there is another page.
 *
 * What is asked decides the index, because SQLite guesses without statistics: few rows share a session, a
 * turn or a subject, so those are sorted; otherwise each layer gives its own page in order and the pages are
 * merged, so that a page costs the same however much there is.
 */
export function listQuery(
  { filter, order, limit, after }: ParsedList,
  { columns, partition }: { columns: string; partition: number },
): Condition {
  const tuple = (prefix: string): readonly string[] =>
    order === 'due'
      ? [`${prefix}due_at`, `${prefix}id`]
      : [`${prefix}occurred_at`, `ifnull(${prefix}sequence_index, 0)`, `${prefix}id`]
  const direction = order === 'newest' ? 'DESC' : 'ASC'
  const sign = order === 'newest' ? '<' : '>'
  const place =
    after && (order === 'due' ? [after.time, after.id] : [after.time, after.index, after.id])
  const sorted = (prefix: string): string =>
    tuple(prefix)
      .map((column) => `${column} ${direction}`)
      .join(', ')

  const isDue = order === 'due' ? ' AND e.due_at IS NOT NULL' : ''

  const page = (source: string, condition: Condition): Condition => ({
    sql: `SELECT ${columns} FROM memory_entries e ${source} WHERE e.partition = ?${condition.sql}${isDue}
      ${place === undefined ? '' : `AND (${tuple('e.').join(', ')}) ${sign} (${place.map(() => '?').join(', ')})`}
      ORDER BY ${sorted('e.')} LIMIT ?`,
    values: [partition, ...condition.values, ...(place ?? []), limit + 1],
  })

  const index = narrowIndex(filter, order)
  if (index !== undefined) return page(`INDEXED BY ${index}`, filterCondition(filter))
  const { layers = memoryLayers, ...others } = filter
  const condition = filterCondition(others)
  const pages = layers.map((layer) =>
    page('INDEXED BY memory_entries_by_layer', inLayer(layer, condition)),
  )
  if (pages.length === 0) return page('', { sql: ' AND 0', values: [] })
  return {
    sql: `SELECT * FROM (${pages.map(({ sql }) => `SELECT * FROM (${sql})`).join(' UNION ALL ')})
      ORDER BY ${sorted('')} LIMIT ?`,
    values: [...pages.flatMap(({ values }) => values), limit + 1],
  }
}

function narrowIndex(filter: ParsedFilter, order: ParsedList['order']): string | undefined {
  if (filter.sessionId !== undefined) return 'memory_entries_by_place'
  if (filter.turnId !== undefined) return 'memory_entries_by_turn'
  if (filter.subject !== undefined) return 'memory_entries_by_subject'
  return order === 'due' || filter.dueUntil !== undefined ? 'memory_entries_by_due' : undefined
}

function inLayer(layer: MemoryLayer, { sql, values }: Condition): Condition {
  return { sql: ` AND e.layer = ?${sql}`, values: [layer, ...values] }
}
