import { evaluatePrecondition, parsePrecondition } from '@symfonic/predicates'
import type { StoredEntry } from './entry.ts'
import type { Scope } from './scope.ts'
import type { MemoryStore } from './store.ts'

/** Intentions that are looked at in one turn. */
const mostIntentions = 200

/**
 * The intentions of a scope that have come due: the time is past, and the state is as they ask, where they
 * ask for either. Those with a time come first, the earliest first.
 *
 * @param options.now - Epoch milliseconds.
 * @param options.state - What predicates are held against. Without a state no predicate holds.
 */
export async function listDue(
  store: MemoryStore,
  scope: Scope,
  { now, state }: { now: number; state?: unknown },
): Promise<readonly StoredEntry[]> {
  const layers = ['prospective'] as const
  const [timed, all] = await Promise.all([
    store.list(scope, { filter: { layers, dueUntil: now }, order: 'due', limit: mostIntentions }),
    store.list(scope, { filter: { layers }, limit: mostIntentions }),
  ])
  const timeless = all.entries.filter((entry) => {
    return entry.dueAt === undefined && entry.duePredicate !== undefined
  })
  return [...timed.entries, ...timeless].filter((entry) => {
    if (entry.duePredicate === undefined) return true
    return evaluatePrecondition(parsePrecondition(entry.duePredicate), state)
  })
}
