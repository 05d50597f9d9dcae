import type { Ranking, RecallReason, RecallSignal } from './signal.ts'

/** One result of a fusion. */
export interface Fused {
  readonly key: string
  readonly score: number
  /** One for each signal that ranked it. */
  readonly because: readonly RecallReason[]
}

/**
 * Fuses rankings by rank. The first of a ranking gets the signal's weight, the others less: half of it goes
 * down with the rank, by `(rankOffset + 1) / (rankOffset + rank)`, and half with the score, measured by the
 * best one. Scores of different signals have nothing in common, so they are never added; but within one
 * ranking a best result that stands far above the second says more than its rank does. Equal scores share
 * a rank. A signal without a weight is left out.
 *
 * @returns every key that was ranked, best first, then by key.
 */
export function fuseRankings(
  rankings: readonly Ranking[],
  { weights, rankOffset }: { weights: Readonly<Record<RecallSignal, number>>; rankOffset: number },
): readonly Fused[] {
  const fused = new Map<string, { score: number; because: RecallReason[] }>()
  for (const { signal, ranked } of rankings) {
    const weight = weights[signal]
    const best = ranked[0]?.score ?? 0
    if (!(weight > 0)) continue
    let rank = 0
    let last = Number.NaN
    for (const [index, { key, score }] of ranked.entries()) {
      if (score !== last) rank = index + 1
      last = score
      const byRank = (rankOffset + 1) / (rankOffset + rank)
      const byScore = best > 0 ? Math.max(0, score / best) : 0
      const sum = fused.get(key) ?? { score: 0, because: [] }
      fused.set(key, sum)
      sum.score += (weight * (byRank + byScore)) / 2
      sum.because.push({ signal, rank, score })
    }
  }
  return [...fused]
    .map(([key, { score, because }]) => ({ key, score, because }))
    .sort((one, other) => other.score - one.score || (one.key < other.key ? -1 : 1))
}
