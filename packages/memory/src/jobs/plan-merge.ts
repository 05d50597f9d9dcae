import { identityKind, type StoredEntry } from '../entry.ts'
import { memoryLimits } from '../limits.ts'
import type { EntryPut } from '../store.ts'
import { searchTerms } from '../text/search-terms.ts'

/** How alike two sets of words must be to be one memory: shared words by all words. */
const sameFrom = 0.9

/**
 * Merges what says the same: of near-duplicates among semantic entries of one kind, subject and label the
 * oldest is kept, with the importance, strength, recalls and links of all; the others are superseded by it.
 * An agent's identity is never merged (MEM-48). Every change carries the version that was read.
 *
 * Compares each pair at most once, so give it a bounded list.
 */
export function planMerge(entries: readonly StoredEntry[], { now }: { now: number }): EntryPut[] {
  const words = new Map(entries.map((entry) => [entry, new Set(searchTerms(entry.content))]))
  const mergeable = entries
    .filter(({ layer, kind, supersededBy }) => {
      return layer === 'semantic' && kind !== identityKind && supersededBy === undefined
    })
    .sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1))
  const taken = new Set<StoredEntry>()
  const puts: EntryPut[] = []
  for (const [index, oldest] of mergeable.entries()) {
    if (taken.has(oldest)) continue
    const alike = mergeable.slice(index + 1).filter((other) => {
      return !taken.has(other) && isOfOneKind(oldest, other) && isAlike(words, oldest, other)
    })
    if (alike.length === 0) continue
    for (const { version, ...entry } of alike) {
      puts.push({
        entry: { ...entry, supersededBy: oldest.id, updatedAt: now },
        expectedVersion: version,
      })
    }
    for (const each of alike) taken.add(each)
    const { version, ...kept } = mergedOf(oldest, alike, now)
    puts.push({ entry: kept, expectedVersion: version })
  }
  return puts
}

function isOfOneKind(one: StoredEntry, other: StoredEntry): boolean {
  return one.kind === other.kind && one.subject === other.subject && one.label === other.label
}

function isAlike(
  words: ReadonlyMap<StoredEntry, ReadonlySet<string>>,
  one: StoredEntry,
  other: StoredEntry,
): boolean {
  const [ones, others] = [words.get(one), words.get(other)]
  if (ones === undefined || others === undefined || ones.size === 0) return false
  let shared = 0
  for (const word of ones) if (others.has(word)) shared += 1
  if (shared / (ones.size + others.size - shared) < sameFrom) return false
  // A number that differs is another fact, however long the rest is.
  return numbersIn(one.content) === numbersIn(other.content)
}

function numbersIn(text: string): string {
  return (text.match(/\p{N}+/gu) ?? []).sort().join(' ')
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
