import type { EntryDraft, MemoryEntry, StoredEntry } from '../entry.ts'
import { parseEntry } from '../parse-entry.ts'
import type { Scope } from '../scope.ts'
import type { EntryPut, MemoryStore, WriteOutcome } from '../store.ts'

/** The scope of behaviours that need only one. */
export const here: Scope = { tenantId: 'acme', userId: 'ann' }

/** The time by which samples are written. */
export const noon = Date.UTC(2026, 4, 8, 12)

/** An entry that says its id, with what a behaviour needs of it. */
export function sample(id: string, draft: Partial<EntryDraft> = {}): MemoryEntry {
  return parseEntry(
    {
      id,
      layer: 'semantic',
      content: `what ${id} says`,
      provenance: { source: 'turn' },
      ...draft,
    },
    { now: noon },
  )
}

/** Puts entries that must get in. */
export async function put(
  store: MemoryStore,
  scope: Scope,
  entries: readonly MemoryEntry[],
  how: Omit<EntryPut, 'entry'> = {},
): Promise<Extract<WriteOutcome, { committed: true }>> {
  const outcome = await store.write(scope, { put: entries.map((entry) => ({ entry, ...how })) })
  if (!outcome.committed) throw new Error(`A plain put was not committed: ${outcome.reason}`)
  return outcome
}

/** The ids of what was answered, in order. */
export function idsOf(answered: readonly { readonly id: string }[]): string[] {
  return answered.map(({ id }) => id)
}

/** Everything of a scope that `export` gives. */
export async function exported(store: MemoryStore, scope: Scope): Promise<StoredEntry[]> {
  const entries: StoredEntry[] = []
  for await (const entry of store.export(scope)) entries.push(entry)
  return entries
}
