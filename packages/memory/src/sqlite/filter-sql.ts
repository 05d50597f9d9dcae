import type { SQLInputValue } from 'node:sqlite'
import type { ParsedFilter } from '../parse-query.ts'
import type { RemoveSelector } from '../store.ts'

/** A condition over the columns of `memory_entries` as `e`, and the values of its question marks. */
export interface Condition {
  readonly sql: string
  readonly values: readonly SQLInputValue[]
}

/** The condition that a filter stands for. Values are never part of the text. */
export function filterCondition(filter: ParsedFilter): Condition {
  const { layers, occurredFrom, occurredBefore, dueUntil, status } = filter
  return every([
    status === 'all' ? undefined : [`e.superseded_by IS ${status === 'current' ? '' : 'NOT '}NULL`],
    layers && [`e.layer IN (${marks(layers.length)})`, ...layers],
    equal('label', filter.label),
    equal('kind', filter.kind),
    equal('subject', filter.subject),
    equal('source', filter.source),
    equal('source_tag', filter.sourceTag),
    equal('turn_id', filter.turnId),
    equal('session_id', filter.sessionId),
    occurredFrom === undefined ? undefined : ['e.occurred_at >= ?', occurredFrom],
    occurredBefore === undefined ? undefined : ['e.occurred_at < ?', occurredBefore],
    dueUntil === undefined ? undefined : ['e.due_at <= ?', dueUntil],
  ])
}

/** The condition that a selector stands for. */
export function selectorCondition(selector: RemoveSelector): Condition {
  if ('ids' in selector) {
    return every([[`e.id IN (SELECT value FROM json_each(?))`, JSON.stringify(selector.ids)]])
  }
  if ('subject' in selector) return every([equal('subject', selector.subject)])
  if ('everything' in selector) return every([])
  const { source, turnId, tool, author, sourceTag, sessionId } = selector.source
  return every([
    equal('source', source),
    equal('turn_id', turnId),
    equal('tool', tool),
    equal('author', author),
    equal('source_tag', sourceTag),
    equal('session_id', sessionId),
  ])
}

type Clause = readonly [sql: string, ...values: SQLInputValue[]]

function equal(column: string, value: string | undefined): Clause | undefined {
  return value === undefined ? undefined : [`e.${column} = ?`, value]
}

function every(clauses: readonly (Clause | undefined)[]): Condition {
  const given = clauses.filter((clause) => clause !== undefined)
  return {
    sql: given.map(([sql]) => ` AND ${sql}`).join(''),
    values: given.flatMap(([, ...values]) => values),
  }
}

function marks(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ')
}
