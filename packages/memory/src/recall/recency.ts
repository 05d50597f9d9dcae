import { type Candidate, type Ranking, rankingOf } from './signal.ts'

/**
 * What happened or was recalled lately: one half after each half-life. What lies ahead counts as now.
 *
 * @param options.now - Epoch milliseconds.
 */
export function rankRecent(
  candidates: readonly Candidate[],
  { now, halfLifeMs }: { now: number; halfLifeMs: number },
): Ranking {
  const scores = candidates.map(({ key, entry }): [string, number] => {
    const last = Math.max(entry.occurredAt, entry.lastRecalledAt ?? entry.occurredAt)
    return [key, 2 ** (-Math.max(0, now - last) / halfLifeMs)]
  })
  return rankingOf('recency', new Map(scores))
}
