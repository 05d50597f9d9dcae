import { effectiveStrength } from '../effective-strength.ts'
import { type Candidate, type Ranking, rankingOf } from './signal.ts'

/** What matters, 0 to 1: importance, weighed by how strong the memory still is. */
export function rankImportant(
  candidates: readonly Candidate[],
  { now, halfLifeMs }: { now: number; halfLifeMs: number },
): Ranking {
  const scores = candidates.map(({ key, entry }): [string, number] => {
    const strength = effectiveStrength(entry, { now, halfLifeMs })
    return [key, (entry.importance / 10) * (0.5 + 0.5 * strength)]
  })
  return rankingOf('importance', new Map(scores))
}
