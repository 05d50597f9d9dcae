import type { StoredEntry } from '../entry.ts'
import { plainWords } from '../plain-words.ts'
import type { Candidate } from './signal.ts'

/** Equal for entries of one scope that say the same, by the same, about the same: recall shows one of them. */
export function sayingOf({ layer, label, subject, content, provenance }: StoredEntry): string {
  const { author, tool } = provenance
  return JSON.stringify([layer, label, subject, author, tool, plainWords(content)])
}

/**
 * The first that say different things. What was asked nineteen times, and what was answered to it, would else take the
 * place of everything. Case, blanks, quotation marks and the full stop make no difference; what somebody else said, or
 * what is about somebody else, is not the same.
 *
 * @param candidates - Best first: of those that say the same the first is kept.
 * @param limit - How many are wanted at most.
 */
export function saidOnce<Each extends Candidate>(
  candidates: readonly Each[],
  limit: number,
): readonly Each[] {
  const said = new Map<string, Each>()
  for (const candidate of candidates) {
    if (said.size >= limit) break
    const { key, entry } = candidate
    const saying = key.slice(0, key.indexOf(':') + 1) + sayingOf(entry)
    if (!said.has(saying)) said.set(saying, candidate)
  }
  return [...said.values()]
}
