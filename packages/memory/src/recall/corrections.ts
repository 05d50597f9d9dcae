import { type Candidate, type Ranking, rankingOf } from './signal.ts'

/**
 * What took the place of something else, 1 or nothing: it holds now, while what was said before it still says
 * the old thing in the words of the question.
 */
export function rankCorrections(candidates: readonly Candidate[]): Ranking {
  const scores = candidates.map(({ key, entry }): [string, number] => {
    return [key, (entry.supersedes?.length ?? 0) > 0 ? 1 : 0]
  })
  return rankingOf('correction', new Map(scores))
}
