import type { Fused } from './fuse-rankings.ts'
import { questionShare } from './questions.ts'
import type { Candidate, Ranking, RecallReason, RecallSignal } from './signal.ts'

/** A candidate with its final score. */
export interface Weighed extends Candidate {
  readonly score: number
  readonly because: readonly RecallReason[]
}

/** What the signals say of the candidates. */
export interface Signals {
  /** What was searched for and found, fused. */
  readonly found: readonly Fused[]
  /** What is passed on by what was found: added, times the weight. */
  readonly spread: readonly Ranking[]
  /** Scores from 0 to 1 that raise what is there by that share of their weight. */
  readonly boosts: readonly Ranking[]
}

/**
 * The last word on the candidates: what was found, plus what came to them from others, raised by each boost, and
 * lowered by how much they only ask. A candidate that nothing brought is left out, whatever boosts it.
 *
 * @returns best first, then by key.
 */
export function weighCandidates(
  candidates: readonly Candidate[],
  { found, spread, boosts }: Signals,
  weights: Readonly<Record<RecallSignal, number>>,
): readonly Weighed[] {
  const sums = new Map<string, { score: number; because: RecallReason[] }>()
  for (const { key, score, because } of found) sums.set(key, { score, because: [...because] })
  for (const ranking of spread) {
    each(ranking, weights, (key, weight, reason) => {
      const sum = sums.get(key) ?? { score: 0, because: [] }
      sums.set(key, sum)
      sum.score += weight * reason.score
      sum.because.push(reason)
    })
  }
  for (const ranking of boosts) {
    // Where all are equal, nothing is told apart.
    if (ranking.ranked.length === candidates.length && isFlat(ranking)) continue
    each(ranking, weights, (key, weight, reason) => {
      const sum = sums.get(key)
      if (sum === undefined) return
      sum.score *= 1 + weight * reason.score
      sum.because.push(reason)
    })
  }
  return candidates
    .flatMap((candidate) => {
      const sum = sums.get(candidate.key)
      if (sum === undefined) return []
      const { questions } = weights
      const asks = questions > 0 ? questions * questionShare(candidate.entry.content) : 0
      return [{ ...candidate, because: sum.because, score: sum.score * Math.max(0, 1 - asks) }]
    })
    .sort((one, other) => other.score - one.score || (one.key < other.key ? -1 : 1))
}

function each(
  { signal, ranked }: Ranking,
  weights: Readonly<Record<RecallSignal, number>>,
  visit: (key: string, weight: number, reason: RecallReason) => void,
): void {
  const weight = weights[signal]
  if (!(weight > 0)) return
  let rank = 0
  let last = Number.NaN
  for (const [index, { key, score }] of ranked.entries()) {
    if (score !== last) rank = index + 1
    last = score
    visit(key, weight, { signal, rank, score })
  }
}

function isFlat({ ranked }: Ranking): boolean {
  return ranked[0]?.score === ranked.at(-1)?.score
}
