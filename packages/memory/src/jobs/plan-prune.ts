import { effectiveStrength } from '../effective-strength.ts'
import type { StoredEntry } from '../entry.ts'

/** What has faded this far and was never recalled is let go. */
const weakest = 0.02

/** Importance from which nothing is let go. */
const keptFrom = 5

/**
 * The ids of what may be forgotten: episodes that have faded, were never recalled, and that nobody called
 * important. What is known, how things are done and what is yet to be done is never pruned.
 */
export function planPrune(
  entries: readonly StoredEntry[],
  options: { now: number; halfLifeMs: number },
): string[] {
  return entries
    .filter(
      (entry) =>
        entry.layer === 'episodic' &&
        entry.recallCount === 0 &&
        entry.importance <= keptFrom &&
        effectiveStrength(entry, options) < weakest,
    )
    .map(({ id }) => id)
}
