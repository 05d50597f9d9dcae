import type { MemoryEntry, StoredEntry } from './entry.ts'
import { parseEntry } from './parse-entry.ts'
import type { Scope } from './scope.ts'
import type { EntryPut, MemoryStore } from './store.ts'

/** Messages of a conversation that working memory holds. */
const workingMessages = 12

/** The tail of a conversation, oldest first. */
export async function listWorking(
  store: MemoryStore,
  scope: Scope,
  sessionId: string,
): Promise<readonly StoredEntry[]> {
  const filter = { layers: ['working'], sessionId } as const
  const { entries } = await store.list(scope, { filter, limit: 4 * workingMessages })
  return byIndex(entries).slice(-workingMessages)
}

/** What working memory holds after a turn: its messages on top, and the oldest gone. */
export async function planWorking(
  store: MemoryStore,
  scope: Scope,
  sessionId: string,
  episodes: readonly MemoryEntry[],
): Promise<{ put: readonly EntryPut[]; remove: readonly string[] }> {
  const filter = { layers: ['working'], sessionId } as const
  const { entries } = await store.list(scope, { filter, limit: 4 * workingMessages })
  const added = episodes.map((episode) => workingEntry(episode))
  const ids = new Set(added.map(({ id }) => id))
  const all = byIndex<MemoryEntry>([...entries.filter(({ id }) => !ids.has(id)), ...added])
  const kept = new Set(all.slice(-workingMessages).map(({ id }) => id))
  return {
    put: added.filter(({ id }) => kept.has(id)).map((entry) => ({ entry, ifExists: 'keep' })),
    remove: entries.filter(({ id }) => !kept.has(id) && !ids.has(id)).map(({ id }) => id),
  }
}

function workingEntry(episode: MemoryEntry): MemoryEntry {
  const { id, context: _, embedding: __, ...said } = episode
  return parseEntry(
    { ...said, id: `w_${id}`.slice(0, 200), layer: 'working' },
    { now: said.createdAt },
  )
}

function byIndex<Entry extends MemoryEntry>(entries: readonly Entry[]): readonly Entry[] {
  return [...entries].sort(
    (one, other) => (one.sequence?.index ?? 0) - (other.sequence?.index ?? 0),
  )
}
