import type { MemoryEntry, StoredEntry } from './entry.ts'
import { memoryLimits } from './limits.ts'
import { parseEntry } from './parse-entry.ts'
import { storableText } from './plain-json.ts'
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
  return byIndex(await listCopies(store, scope, sessionId)).slice(-workingMessages)
}

/** All that working memory holds of a conversation, in no order that means anything. */
export async function listCopies(
  store: MemoryStore,
  scope: Scope,
  sessionId: string,
): Promise<readonly StoredEntry[]> {
  const filter = { layers: ['working'], sessionId } as const
  return (await store.list(scope, { filter, limit: 4 * workingMessages })).entries
}

/** What working memory holds after a turn: its messages on top of what it held, and the oldest gone. */
export function planWorking(
  entries: readonly StoredEntry[],
  episodes: readonly MemoryEntry[],
): { put: readonly EntryPut[]; remove: readonly string[] } {
  const added = episodes.map((episode) => workingEntry(episode))
  const ids = new Set(added.map(({ id }) => id))
  const all = byIndex<MemoryEntry>([...entries.filter(({ id }) => !ids.has(id)), ...added])
  const kept = new Set(all.slice(-workingMessages).map(({ id }) => id))
  return {
    put: added.filter(({ id }) => kept.has(id)).map((entry) => ({ entry, ifExists: 'keep' })),
    remove: entries.filter(({ id }) => !kept.has(id) && !ids.has(id)).map(({ id }) => id),
  }
}

/** The turn that a working memory is refilled in, for want of those it was said in. */
export function refillTurnId(sessionId: string): string {
  return storableText(`refill:${sessionId}`.slice(0, memoryLimits.idChars))
}

/**
 * Which entries of their conversation are the working copies of some messages, or the messages that
 * working copies were made of. What was refilled is known by its words.
 */
export function isCopyOf(messages: readonly StoredEntry[]): (entry: StoredEntry) => boolean {
  const ids = new Set(messages.map(({ id }) => id))
  const copies = new Set(
    messages.filter((message) => !isWorking(message)).map(({ id }) => workingId(id)),
  )
  const sources = new Set(messages.filter(isWorking).map(({ id }) => id))
  const contents = new Set(messages.map(({ content }) => content))
  const refilled = new Set(messages.filter(isRefilled).map(({ content }) => content))
  return (entry) => {
    if (ids.has(entry.id) || entry.kind !== 'turn') return false
    if (!isWorking(entry)) {
      return sources.has(workingId(entry.id)) || refilled.has(entry.content)
    }
    return copies.has(entry.id) || (isRefilled(entry) && contents.has(entry.content))
  }
}

function isWorking({ layer }: MemoryEntry): boolean {
  return layer === 'working'
}

function isRefilled({ layer, provenance, sequence }: MemoryEntry): boolean {
  return (
    layer === 'working' &&
    sequence !== undefined &&
    provenance.turnId === refillTurnId(sequence.sessionId)
  )
}

/** The id of the working copy of a message. */
export function workingId(id: string): string {
  return storableText(`w_${id}`.slice(0, memoryLimits.idChars))
}

function workingEntry(episode: MemoryEntry): MemoryEntry {
  const { id, context: _, embedding: __, ...said } = episode
  return parseEntry({ ...said, id: workingId(id), layer: 'working' }, { now: said.createdAt })
}

function byIndex<Entry extends MemoryEntry>(entries: readonly Entry[]): readonly Entry[] {
  return [...entries].sort(
    (one, other) => (one.sequence?.index ?? 0) - (other.sequence?.index ?? 0),
  )
}
