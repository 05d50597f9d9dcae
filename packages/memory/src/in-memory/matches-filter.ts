import type { MemoryEntry } from '../entry.ts'
import type { ParsedFilter } from '../parse-query.ts'
import type { RemoveSelector } from '../store.ts'

/** Whether a filter lets an entry through. */
export function matchesFilter(entry: MemoryEntry, filter: ParsedFilter): boolean {
  const { layers, label, kind, subject, source, sourceTag, turnId, sessionId, status } = filter
  const { occurredFrom, occurredBefore, dueUntil } = filter
  const isSuperseded = entry.supersededBy !== undefined
  return (
    (status === 'all' || isSuperseded === (status === 'superseded')) &&
    (layers === undefined || layers.includes(entry.layer)) &&
    (label === undefined || entry.label === label) &&
    (kind === undefined || entry.kind === kind) &&
    (subject === undefined || entry.subject === subject) &&
    (source === undefined || entry.provenance.source === source) &&
    (sourceTag === undefined || entry.provenance.sourceTag === sourceTag) &&
    (turnId === undefined || entry.provenance.turnId === turnId) &&
    (sessionId === undefined || entry.sequence?.sessionId === sessionId) &&
    (occurredFrom === undefined || entry.occurredAt >= occurredFrom) &&
    (occurredBefore === undefined || entry.occurredAt < occurredBefore) &&
    (dueUntil === undefined || (entry.dueAt !== undefined && entry.dueAt <= dueUntil))
  )
}

/** Whether a selector means an entry. */
export function matchesSelector(entry: MemoryEntry, selector: RemoveSelector): boolean {
  if ('ids' in selector) return selector.ids.includes(entry.id)
  if ('subject' in selector) return entry.subject === selector.subject
  if ('everything' in selector) return selector.everything
  const { sessionId, ...origin } = selector.source
  return (
    (sessionId === undefined || entry.sequence?.sessionId === sessionId) &&
    (['source', 'turnId', 'tool', 'author', 'sourceTag'] as const).every(
      (key) => origin[key] === undefined || entry.provenance[key] === origin[key],
    )
  )
}
