import { deriveId } from '../derive-id.ts'
import type { MemoryEntry, StoredEntry } from '../entry.ts'
import { memoryLimits } from '../limits.ts'
import type { Scope } from '../scope.ts'
import type { MemoryStore, StoreWrite } from '../store.ts'
import { listCopies, workingId } from '../working.ts'
import type { MemoryTurn } from './turn.ts'

/** Where a turn goes in its conversation, as far as it was read. */
export interface TurnPlace {
  /** Of its first message. */
  readonly index: number
  /** What was said just before, oldest first. */
  readonly before: readonly string[]
  /** What working memory holds of the conversation. */
  readonly working: readonly StoredEntry[]
  /** Ids of its messages that are written already, and of their working copies. */
  readonly known: ReadonlySet<string>
  /** The id of its first message, where it opens the conversation. */
  readonly openingId: string | undefined
  /** What it comes behind. A host that gives the place itself answers for it. */
  readonly latest: StoredEntry | undefined
}

/**
 * Finds the place of a turn: behind what is known of its conversation, unless the host gave it.
 *
 * @param ids - Of its messages.
 */
export async function findPlace(
  store: MemoryStore,
  scope: Scope,
  { sessionId, index, turnId }: MemoryTurn,
  ids: readonly string[],
): Promise<TurnPlace> {
  const opening = deriveId({
    layer: 'episodic',
    kind: 'turn',
    label: JSON.stringify([sessionId]),
    content: '',
    provenance: { source: 'turn' },
  })
  const openings = [opening, workingId(opening)]
  // Before the conversation is read: whoever opens it meanwhile is met by the write.
  const there = await store.get(scope, [...openings, ...ids, ...ids.map(workingId)])
  // A conversation that was resumed elsewhere is known by its working layer only. That is read last: the copy of
  // a message that was read is then read as well, and so all choose the same entry to come behind.
  const filter = { layers: ['episodic'], kind: 'turn', sessionId } as const
  const { entries: latest } = await store.list(scope, { filter, limit: 32 })
  const working = await listCopies(store, scope, sessionId)
  const messages = working.length > 0 ? latest : await withLater(store, scope, sessionId, latest)
  const entries = [...working, ...messages]
  // Another process may have told this very turn between the two readings.
  const seen = [...there, ...entries]
  const opened = seen.find(({ id }) => openings.includes(id))
  const earlier = [...new Map(entries.map((entry) => [placeOf(entry), entry])).values()]
    .filter((entry) => {
      const isOwn = entry.provenance.turnId === turnId
      return !isOwn && (index === undefined || placeOf(entry) < index)
    })
    .sort((one, other) => placeOf(other) - placeOf(one))
  const [last] = earlier
  const own = opened?.provenance.turnId === turnId
  const opens = own || (index === undefined && entries.length === 0 && opened === undefined)
  return {
    index: index ?? (last === undefined ? 0 : placeOf(last) + 1),
    before: earlier
      .slice(0, 2)
      .map(({ content }) => content)
      .reverse(),
    working,
    known: new Set(seen.map(({ id }) => id)),
    openingId: opens ? opening : undefined,
    latest: index === undefined ? latestOf(entries, last) : undefined,
  }
}

/** The messages of a turn at their place: the one that opens a conversation has an id of that. */
export function atPlace(
  { openingId }: TurnPlace,
  episodes: readonly MemoryEntry[],
): readonly MemoryEntry[] {
  const [first, ...others] = episodes
  if (first === undefined || openingId === undefined) return episodes
  return [{ ...first, id: openingId }, ...others]
}

/** Whether a message is not written yet. */
export function isNewAt({ known }: TurnPlace, { id }: MemoryEntry): boolean {
  return !known.has(id) && !known.has(workingId(id))
}

/**
 * A write that commits only where no other process took the place since it was found. Whoever opens a conversation
 * writes the one id that opening it has; everybody else puts what they come behind once more, in the version that
 * they read, and so changes it for those who read it as well.
 */
export function guardPlace({ openingId, latest, known }: TurnPlace, write: StoreWrite): StoreWrite {
  const { put = [], remove = [] } = write
  if (latest === undefined) {
    const openings = openingId === undefined ? [] : [openingId, workingId(openingId)]
    return {
      ...write,
      put: put.map((each) => {
        const { entry } = each
        const isOpening = openings.includes(entry.id) && !known.has(entry.id)
        return isOpening ? { entry, expectedVersion: 0 } : each
      }),
    }
  }
  const { version: expectedVersion, ...entry } = latest
  const isChanged = put.some((each) => each.entry.id === entry.id)
  return {
    ...write,
    put: isChanged
      ? put.map((each) => (each.entry.id === entry.id ? { ...each, expectedVersion } : each))
      : [...put, { entry, expectedVersion }],
    // It goes with the next turn.
    remove: remove.filter((id) => id !== entry.id),
  }
}

/** Adds the messages that stand behind those of the latest times: a host may give them any. */
async function withLater(
  store: MemoryStore,
  scope: Scope,
  sessionId: string,
  latest: readonly StoredEntry[],
): Promise<readonly StoredEntry[]> {
  let entries = latest
  while (entries.length > 0) {
    const index = Math.max(...entries.map(placeOf))
    const place = { sessionId, index: index + step }
    const near = await store.neighbours(scope, [place], { radius: step })
    const later = near.filter((entry) => {
      return entry.kind === 'turn' && entry.layer === 'episodic' && placeOf(entry) > index
    })
    if (later.length === 0) break
    entries = [...entries, ...later]
  }
  return entries
}

/** Places that are looked at together. */
const step = memoryLimits.neighbourRadius

/** What all writers behind a place put again: its working copy, which nothing else changes, or the message itself. */
function latestOf(
  entries: readonly StoredEntry[],
  last: StoredEntry | undefined,
): StoredEntry | undefined {
  if (last === undefined) return undefined
  const there = entries.filter((entry) => {
    return placeOf(entry) === placeOf(last) && entry.provenance.turnId === last.provenance.turnId
  })
  return there.find(({ layer }) => layer === 'working') ?? there[0]
}

function placeOf({ sequence }: MemoryEntry): number {
  return sequence?.index ?? 0
}
