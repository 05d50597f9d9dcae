import { type Candidate, conversationOf, type Ranking, rankingOf } from './signal.ts'

/**
 * What was said next to what was found: each entry gets of every anchor in its conversation that
 * follows within the radius the score, times `share` for every step beyond the first. Of what stands before it,
 * likewise, but only without a `context`: with one, the words before are searched with the entry as it is.
 *
 * @param anchors - Scores of what was found, by key.
 * @param around - The anchors and what stands around them.
 */
export function rankNeighbours(
  around: readonly Candidate[],
  {
    anchors,
    radius,
    share,
  }: { anchors: ReadonlyMap<string, number>; radius: number; share: number },
): Ranking {
  const scores = new Map<string, number>()
  for (const [conversation, entries] of Map.groupBy(around, conversationOf)) {
    if (conversation === undefined) continue
    const found = new Map<number, number>()
    for (const { key, entry } of entries) {
      const index = entry.sequence?.index ?? 0
      found.set(index, Math.max(found.get(index) ?? 0, anchors.get(key) ?? 0))
    }
    for (const { key, entry } of entries) {
      const index = entry.sequence?.index ?? 0
      let score = 0
      for (let step = 1; step <= radius; step += 1) {
        const before = entry.context === undefined ? (found.get(index - step) ?? 0) : 0
        score += ((found.get(index + step) ?? 0) + before) * share ** (step - 1)
      }
      scores.set(key, score)
    }
  }
  return rankingOf('neighbours', scores)
}
