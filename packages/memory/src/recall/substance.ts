import { type Candidate, type Ranking, rankingOf } from './signal.ts'

/** Characters of a message that make it say as much as any. */
const fullChars = 250

/**
 * How much is said, 0 to 1: the length of a message, up to 250 characters. A greeting or a word of thanks shares its
 * context with what was said before it, and says nothing itself. What stands in no conversation was made short, and
 * counts in full.
 */
export function rankSubstance(candidates: readonly Candidate[]): Ranking {
  const scores = candidates.map(({ key, entry }): [string, number] => {
    const { content, sequence } = entry
    return [key, sequence === undefined ? 1 : Math.min(1, content.length / fullChars)]
  })
  return rankingOf('substance', new Map(scores))
}
