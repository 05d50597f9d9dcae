import type { TurnRecall } from '@symfonic/kernel/with-memory'
import type {
  CorrectionOutcome,
  Memory,
  MemoryBlock,
  RecalledEntry,
  StoredEntry,
} from '@symfonic/memory'
import { type Speaker, scopeOf } from '../desk/speaker.ts'

/** What was recalled for a turn, before the model was asked. */
export interface MemoryRecalledEvent {
  readonly type: 'memory-recalled'
  readonly speaker: Speaker
  readonly query: string
  /** Best first, each with the scope it was read from and the signals that brought it. */
  readonly items: readonly (KnownEntry & Pick<RecalledEntry, 'scope' | 'because'>)[]
  readonly tokens: number
}

/** What memory has of a turn, after its end. */
export interface MemoryLearnedEvent {
  readonly type: 'memory-learned'
  /** In the order in which they were said. */
  readonly entries: readonly KnownEntry[]
}

/** Somebody has asked what is known of them. */
export interface MemoryShownEvent {
  readonly type: 'memory-shown'
  readonly speaker: Speaker
  readonly blocks: readonly MemoryBlock[]
  /** Replaced ones included, the oldest first. */
  readonly entries: readonly KnownEntry[]
}

/** Somebody has asked why something was recalled in their last turn. */
export interface MemoryExplainedEvent {
  readonly type: 'memory-explained'
  readonly speaker: Speaker
  /** undefined where they had no turn yet. */
  readonly recalled: MemoryRecalledEvent | undefined
}

/** Somebody has put something right. */
export interface MemoryCorrectedEvent {
  readonly type: 'memory-corrected'
  readonly speaker: Speaker
  readonly content: string
  /** Of the entry that was meant; undefined where none, or several, begin like that. */
  readonly id: string | undefined
  readonly outcome: CorrectionOutcome
}

/** Somebody has had something forgotten. */
export interface MemoryForgottenEvent {
  readonly type: 'memory-forgotten'
  readonly speaker: Speaker
  /** How many entries were removed. */
  readonly removed: number
  /** How many are left, replaced ones included. */
  readonly left: number
}

/** What memory does beside the turns of the model. */
export type MemoryEvent =
  | MemoryRecalledEvent
  | MemoryLearnedEvent
  | MemoryShownEvent
  | MemoryExplainedEvent
  | MemoryCorrectedEvent
  | MemoryForgottenEvent

/** An entry as people are shown it. */
export type KnownEntry = Pick<StoredEntry, (typeof shownKeys)[number]>

const shownKeys = [
  ...(['id', 'layer', 'kind', 'label', 'subject', 'content', 'importance'] as const),
  ...(['occurredAt', 'recallCount', 'provenance', 'supersedes', 'supersededBy'] as const),
]

/** What the people at the desk may do with what is known of them, each with their own only. */
export interface OwnMemory {
  show(speaker: Speaker): Promise<MemoryShownEvent>
  /** @param id - Its beginning is enough. */
  correct(speaker: Speaker, id: string, content: string): Promise<MemoryCorrectedEvent>
  /** @param what - The beginning of an id, or `everything`. */
  forget(speaker: Speaker, what: string): Promise<MemoryForgottenEvent>
  /** What there is of one turn. */
  learnedIn(speaker: Speaker, turnId: string): Promise<MemoryLearnedEvent>
}

/** Opens a memory to the people whose it is. A platform is a place of its own, as it is for the turns. */
export function createOwnMemory(memory: Memory): OwnMemory {
  const list = async (speaker: Speaker) => {
    const filter = { status: 'all' } as const
    const page = await memory.list(scopeOf(speaker), { filter, order: 'oldest', limit: 1_000 })
    return page.entries.toSorted(saidBeforeNoted)
  }
  const find = async (speaker: Speaker, id: string) => {
    const found = (await list(speaker)).filter((entry) => entry.id.startsWith(id))
    return found.length === 1 ? found[0] : undefined
  }
  /** An entry, and all that it has replaced: what it was corrected from is not to stay behind. */
  const withReplaced = async (speaker: Speaker, entry: StoredEntry | undefined) => {
    const all = await list(speaker)
    const ids = new Set(entry ? [entry.id] : [])
    // A set that grows while it is walked is walked to its new end.
    for (const id of ids) {
      for (const { supersedes = [] } of all.filter((each) => each.id === id)) {
        for (const older of supersedes) ids.add(older)
      }
    }
    return [...ids]
  }
  return {
    show: async (speaker) => {
      const blocks = await memory.describeBlocks(scopeOf(speaker))
      return { type: 'memory-shown', speaker, blocks, entries: (await list(speaker)).map(known) }
    },
    correct: async (speaker, id, content) => {
      const meant = await find(speaker, id)
      const outcome: CorrectionOutcome = meant
        ? await memory.correct(scopeOf(speaker), { id: meant.id, content, author: speaker.user })
        : { corrected: false, reason: 'not-found' }
      return { type: 'memory-corrected', speaker, content, id: meant?.id, outcome }
    },
    forget: async (speaker, what) => {
      const selector =
        what === 'everything'
          ? ({ everything: true } as const)
          : { ids: await withReplaced(speaker, await find(speaker, what)) }
      const removed = await memory.forget(scopeOf(speaker), selector)
      return { type: 'memory-forgotten', speaker, removed, left: (await list(speaker)).length }
    },
    learnedIn: async (speaker, turnId) => {
      const filter = { turnId } as const
      const { entries } = await memory.list(scopeOf(speaker), { filter, order: 'oldest' })
      return { type: 'memory-learned', entries: entries.toSorted(saidBeforeNoted).map(known) }
    },
  }
}

/** What was recalled, as people are shown it. */
export function recalledFor(
  speaker: Speaker,
  { query, hydration: { items, tokens } }: Pick<TurnRecall, 'query' | 'hydration'>,
): MemoryRecalledEvent {
  const shown = items.map((item) => ({ ...known(item), scope: item.scope, because: item.because }))
  return { type: 'memory-recalled', speaker, query, items: shown, tokens }
}

function known(entry: StoredEntry): KnownEntry {
  const shown = shownKeys.flatMap((key) => (entry[key] === undefined ? [] : [[key, entry[key]]]))
  return Object.fromEntries(shown) as KnownEntry
}

/** What was said stands before what was noted of it, also where both carry the same millisecond. */
function saidBeforeNoted(one: StoredEntry, other: StoredEntry): number {
  const isNoted = ({ sequence }: StoredEntry) => Number(sequence === undefined)
  return one.occurredAt - other.occurredAt || isNoted(one) - isNoted(other)
}
