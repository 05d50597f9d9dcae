import { identityKind, type StoredEntry } from '../entry.ts'
import { memoryLimits } from '../limits.ts'
import type { EntryPut } from '../store.ts'
import { searchTerms } from '../text/search-terms.ts'

/** How alike two sets of words must be to be one memory: shared words by all words. */
const sameFrom = 0.9

/** Characters and words looked at before others have their turn: a few milliseconds. */
const effortBetweenPauses = 50_000

/** How `planMerge` goes about it. */
export interface PlanMergeOptions {
  /** Epoch milliseconds. */
  readonly now: number
  /** Lets others have their turn; whether to go on. By default nothing is waited for. */
  readonly pause?: () => Promise<boolean>
}

/**
 * Merges what says the same: of near-duplicates among semantic entries of one kind, subject and label the
 * oldest is kept, with the importance, strength, recalls and links of all; the others are superseded by it.
 * An agent's identity is never merged (MEM-48). Every change carries the version that was read.
 *
 * Compares each pair at most once, so give it a bounded list; a list of long texts is gone through with pauses.
 *
 * @returns the changes; undefined when `pause` said to stop.
 */
export async function planMerge(
  entries: readonly StoredEntry[],
  { now, pause }: PlanMergeOptions,
): Promise<EntryPut[] | undefined> {
  let effort = 0
  const isTimeToPause = (spent: number): boolean => {
    effort += spent
    if (effort < effortBetweenPauses) return false
    effort = 0
    return true
  }
  const mayGoOn = async (): Promise<boolean> => pause === undefined || (await pause())

  const said: Said[] = []
  for (const entry of entries) {
    const { layer, kind, subject, label, supersededBy, content } = entry
    if (layer !== 'semantic' || kind === identityKind || supersededBy !== undefined) continue
    const words = new Set(searchTerms(content))
    if (words.size === 0) continue
    // A number that differs is another fact, however long the rest is.
    const about = JSON.stringify([kind, subject, label, numbersIn(content)])
    said.push({ entry, words, about })
    if (isTimeToPause(content.length) && !(await mayGoOn())) return undefined
  }

  const puts: EntryPut[] = []
  for (const group of Map.groupBy(said, ({ about }) => about).values()) {
    const waiting = new Set(group.sort(byAge))
    for (const oldest of waiting) {
      waiting.delete(oldest)
      const alike: StoredEntry[] = []
      for (const other of waiting) {
        if (isAlike(oldest.words, other.words)) {
          alike.push(other.entry)
          waiting.delete(other)
        }
        if (isTimeToPause(oldest.words.size) && !(await mayGoOn())) return undefined
      }
      if (alike.length > 0) puts.push(...mergePuts(oldest.entry, alike, now))
    }
  }
  return puts
}

/** An entry with what it is compared by. */
interface Said {
  readonly entry: StoredEntry
  readonly words: ReadonlySet<string>
  /** Only entries that are about the same are compared. */
  readonly about: string
}

function byAge({ entry: one }: Said, { entry: other }: Said): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1)
}

function isAlike(ones: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  if (Math.min(ones.size, others.size) < sameFrom * Math.max(ones.size, others.size)) return false
  let shared = 0
  for (const word of ones) if (others.has(word)) shared += 1
  return shared / (ones.size + others.size - shared) >= sameFrom
}

function numbersIn(text: string): string {
  return (text.match(/\p{N}+/gu) ?? []).sort().join(' ')
}

function mergePuts(oldest: StoredEntry, alike: readonly StoredEntry[], now: number): EntryPut[] {
  const superseded = alike.map(({ version, ...entry }): EntryPut => {
    const changed = { ...entry, supersededBy: oldest.id, updatedAt: now }
    return { entry: changed, expectedVersion: version }
  })
  const { version, ...kept } = mergedOf(oldest, alike, now)
  return [...superseded, { entry: kept, expectedVersion: version }]
}

function mergedOf(oldest: StoredEntry, alike: readonly StoredEntry[], now: number): StoredEntry {
  const all = [oldest, ...alike]
  const merged = new Set(all.map(({ id }) => id))
  const links = new Map(
    all
      .flatMap((entry) => entry.links)
      .filter(({ to }) => !merged.has(to))
      .map((link) => [JSON.stringify([link.to, link.relation]), link]),
  )
  const supersedes = new Set([...(oldest.supersedes ?? []), ...alike.map(({ id }) => id)])
  return {
    ...oldest,
    importance: Math.max(...all.map(({ importance }) => importance)),
    strength: Math.max(...all.map(({ strength }) => strength)),
    recallCount: all.reduce((sum, { recallCount }) => sum + recallCount, 0),
    links: [...links.values()].slice(0, memoryLimits.links),
    supersedes: [...supersedes].slice(-memoryLimits.supersedes),
    updatedAt: now,
  }
}
