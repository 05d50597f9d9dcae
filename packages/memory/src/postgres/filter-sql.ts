import type { ParsedFilter } from '../parse-query.ts'
import type { RemoveSelector } from '../store.ts'

/** Collects the values of a statement; `add` answers the `$n` that stands for one. */
export interface Values {
  readonly list: unknown[]
  add(value: unknown): string
}

/** Starts with the values that a statement begins with, as `$1`, `$2`, … */
export function createValues(...list: unknown[]): Values {
  return {
    list,
    add(value) {
      list.push(value)
      return `$${list.length}`
    },
  }
}

/** A filter as a condition on the columns of `entries`. */
export function filterCondition(filter: ParsedFilter, values: Values): string {
  const conditions: string[] = []
  const ask = (value: unknown, condition: (placeholder: string) => string): void => {
    if (value !== undefined) conditions.push(condition(values.add(value)))
  }
  if (filter.status === 'current') conditions.push('superseded_by IS NULL')
  if (filter.status === 'superseded') conditions.push('superseded_by IS NOT NULL')
  ask(filter.layers, (at) => `layer = ANY(${at}::text[])`)
  ask(storable(filter.label), (at) => `label = ${at}`)
  ask(storable(filter.kind), (at) => `kind = ${at}`)
  ask(storable(filter.subject), (at) => `subject = ${at}`)
  ask(filter.source, (at) => `source = ${at}`)
  ask(storable(filter.sourceTag), (at) => `source_tag = ${at}`)
  ask(storable(filter.turnId), (at) => `turn_id = ${at}`)
  ask(storable(filter.sessionId), (at) => `session_id = ${at}`)
  ask(filter.occurredFrom, (at) => `occurred_at >= ${at}`)
  ask(filter.occurredBefore, (at) => `occurred_at < ${at}`)
  ask(filter.dueUntil, (at) => `due_at <= ${at}`)
  return conditions.length === 0 ? 'TRUE' : conditions.join(' AND ')
}

/** A selector as a condition on the columns of `entries`. */
export function selectorCondition(selector: RemoveSelector, values: Values): string {
  if ('ids' in selector) return `id = ANY(${values.add(selector.ids)}::text[])`
  if ('subject' in selector) return `subject = ${values.add(storable(selector.subject))}`
  if ('everything' in selector) return 'TRUE'
  const columns = [
    ['source', selector.source.source],
    ['turn_id', selector.source.turnId],
    ['tool', selector.source.tool],
    ['author', selector.source.author],
    ['source_tag', selector.source.sourceTag],
    ['session_id', selector.source.sessionId],
  ] as const
  return columns
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => `${column} = ${values.add(storable(value))}`)
    .join(' AND ')
}

/**
 * A text no column can hold matches no row, and the server would refuse it: the private value NULL
 * equals nothing.
 */
function storable(text: string | undefined): string | null | undefined {
  return text !== undefined && (text.includes('\u0000') || !text.isWellFormed()) ? null : text
}
