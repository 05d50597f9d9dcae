import type { StoredEntry } from './entry.ts'
import { memoryLimits } from './limits.ts'
import type { Scope } from './scope.ts'
import type { EntryFilter, MemoryStore } from './store.ts'

/** The entries that a filter lets through, page by page, superseded ones included unless it says otherwise. @throws What the store throws. */
export async function* listPages(
  store: MemoryStore,
  scope: Scope,
  filter: EntryFilter,
): AsyncGenerator<readonly StoredEntry[]> {
  let cursor: string | undefined
  do {
    const page = await store.list(scope, {
      filter: { status: 'all', ...filter },
      limit: memoryLimits.page,
      ...(cursor !== undefined && { cursor }),
    })
    yield page.entries
    cursor = page.next
  } while (cursor !== undefined)
}

/** Everything of `listPages` at once. @throws What the store throws. */
export async function listAll(
  store: MemoryStore,
  scope: Scope,
  filter: EntryFilter,
): Promise<readonly StoredEntry[]> {
  const entries: StoredEntry[] = []
  for await (const page of listPages(store, scope, filter)) entries.push(...page)
  return entries
}
