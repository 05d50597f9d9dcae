import { effectiveStrength } from '../effective-strength.ts'
import type { StoredEntry } from '../entry.ts'
import { plainWords } from '../plain-words.ts'
import { questionShare } from '../recall/questions.ts'

/** What has faded this far and was never recalled is let go. */
const weakest = 0.02

/** What was said again since is let go when it has faded this far: a message, after one half-life. */
const weakestEcho = 0.25

/** Characters from which a message says the same wherever it stands: a bare "yes" means what was asked before it. */
const shortestEcho = 20

/** Longer messages are not repeated by people, and take long to compare. */
const longestEcho = 2_000

/** Importance from which nothing is let go. */
const keptFrom = 5

/**
 * The ids of what may be forgotten, of what nobody called important: episodes that have faded and were never
 * recalled; and, much earlier, those that the same speaker said again later in the same words, unless they are as short as
 * a yes or no. Of copies that were recalled the latest stays. What is known, how things are done and what is yet to be done is
 * never pruned.
 */
export function planPrune(
  entries: readonly StoredEntry[],
  options: { now: number; halfLifeMs: number },
): string[] {
  const echoes = echoesAmong(entries)
  return entries
    .filter((entry) => {
      if (entry.layer !== 'episodic' || entry.importance > keptFrom) return false
      const strength = effectiveStrength(entry, options)
      if (echoes.has(entry.id)) return strength < weakestEcho
      return entry.recallCount === 0 && strength < weakest
    })
    .map(({ id }) => id)
}

/** The ids of what was said again later, in the same words, by the same. */
function echoesAmong(entries: readonly StoredEntry[]): ReadonlySet<string> {
  /** Whether one that was said later was recalled. */
  const said = new Map<string, boolean>()
  const echoes = new Set<string>()
  for (const entry of entries.toSorted((one, other) => other.occurredAt - one.occurredAt)) {
    const { id, layer, kind, label, subject, provenance, content, supersededBy, recallCount } =
      entry
    if (layer !== 'episodic' || supersededBy !== undefined || content.length > longestEcho) continue
    if (content.length < shortestEcho && questionShare(content) < 1) continue
    const { source, author, tool } = provenance
    const saying = JSON.stringify([kind, label, subject, source, author, tool, plainWords(content)])
    const later = said.get(saying)
    // Of copies that were recalled, one is left.
    if (later === true || (later === false && recallCount === 0)) echoes.add(id)
    said.set(saying, later === true || recallCount > 0)
  }
  return echoes
}
