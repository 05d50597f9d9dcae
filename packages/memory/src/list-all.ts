import type { StoredEntry } from './entry.ts'
import { memoryLimits } from './limits.ts'
import type { Scope } from './scope.ts'
import type { EntryFilter, MemoryStore } from './store.ts'

/** Every entry that a filter lets through, superseded ones included unless it says otherwise. @throws What the store throws. */
export async function listAll(
  store: MemoryStore,
  scope: Scope,
  filter: EntryFilter,
): Promise<readonly StoredEntry[]> {
  const entries: StoredEntry[] = []
  let cursor: string | undefined
  do {
    const page = await store.list(scope, {
      filter: { status: 'all', ...filter },
      limit: memoryLimits.page,
      ...(cursor !== undefined && { cursor }),
    })
    entries.push(...page.entries)
    cursor = page.next
  } while (cursor !== undefined)
  return entries
}
