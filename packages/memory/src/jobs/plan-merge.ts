import { identityKind, type StoredEntry } from '../entry.ts'
import { memoryLimits } from '../limits.ts'
import { plainWords } from '../plain-words.ts'
import type { EntryPut } from '../store.ts'

/** Characters looked at before others have their turn: a few milliseconds. */
const charsBetweenPauses = 50_000

/** How `planMerge` goes about it. */
export interface PlanMergeOptions {
  /** Epoch milliseconds. */
  readonly now: number
  /** Lets others have their turn; whether to go on. By default nothing is waited for. */
  readonly pause?: () => Promise<boolean>
}

/**
 * Merges what says the same: of semantic entries of one kind, subject and label whose texts differ at most in case,
 * blanks, quotation marks and the full stop, the newest is kept, with the importance, strength, recalls and links of all; the
 * others are superseded by it. A word more or less may turn a fact into its opposite, in any language, so nothing else is
 * taken for the same. What a person wrote is not merged with what a model noted, and an agent's identity never
 * (MEM-48). Every change carries the version that was read.
 *
 * A list of long texts is gone through with pauses.
 *
 * @returns the changes; undefined when `pause` said to stop.
 */
export async function planMerge(
  entries: readonly StoredEntry[],
  { now, pause }: PlanMergeOptions,
): Promise<EntryPut[] | undefined> {
  const alike = new Map<string, StoredEntry[]>()
  let chars = 0
  for (const entry of entries) {
    const { layer, kind, subject, label, supersededBy, content, provenance } = entry
    if (layer !== 'semantic' || kind === identityKind || supersededBy !== undefined) continue
    const isWritten = provenance.source === 'author' || provenance.source === 'system'
    const saying = JSON.stringify([kind, subject, label, isWritten, plainWords(content)])
    const known = alike.get(saying)
    if (known === undefined) alike.set(saying, [entry])
    else known.push(entry)
    chars += content.length
    if (chars < charsBetweenPauses) continue
    chars = 0
    if (pause !== undefined && !(await pause())) return undefined
  }
  return [...alike.values()].flatMap((group) => {
    const [newest, ...older] = group.sort(byAge)
    return newest === undefined || older.length === 0 ? [] : mergePuts(newest, older, now)
  })
}

/** Newest first. */
function byAge(one: StoredEntry, other: StoredEntry): number {
  return other.createdAt - one.createdAt || (one.id < other.id ? -1 : 1)
}

function mergePuts(newest: StoredEntry, older: readonly StoredEntry[], now: number): EntryPut[] {
  const superseded = older.map(({ version, ...entry }): EntryPut => {
    const changed = { ...entry, supersededBy: newest.id, updatedAt: now }
    return { entry: changed, expectedVersion: version }
  })
  const { version, ...kept } = mergedOf(newest, older, now)
  return [...superseded, { entry: kept, expectedVersion: version }]
}

function mergedOf(newest: StoredEntry, older: readonly StoredEntry[], now: number): StoredEntry {
  const all = [newest, ...older]
  const merged = new Set(all.map(({ id }) => id))
  const links = new Map(
    all
      .flatMap((entry) => entry.links)
      .filter(({ to }) => !merged.has(to))
      .map((link) => [JSON.stringify([link.to, link.relation]), link]),
  )
  const supersedes = new Set([...(newest.supersedes ?? []), ...older.map(({ id }) => id)])
  return {
    ...newest,
    importance: Math.max(...all.map(({ importance }) => importance)),
    strength: Math.max(...all.map(({ strength }) => strength)),
    recallCount: all.reduce((sum, { recallCount }) => sum + recallCount, 0),
    links: [...links.values()].slice(0, memoryLimits.links),
    supersedes: [...supersedes].slice(-memoryLimits.supersedes),
    updatedAt: now,
  }
}
