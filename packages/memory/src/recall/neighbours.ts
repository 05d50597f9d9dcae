import { questionShare } from './questions.ts'
import { type Candidate, conversationOf, type Ranking, rankingOf } from './signal.ts'

/**
 * What was said next to what was found: each entry gets of every anchor in its conversation that
 * follows within the radius the score, times `share` for every step beyond the first, and less where the anchor asks: the
 * answer to it is not before it. Of what stands before the entry it gets the whole, but only without a `context`: with
 * one, the words before are searched with the entry as it is.
 *
 * @param anchors - Scores of what was found, by key.
 * @param around - The anchors and what stands around them.
 * @param options.asking - How much of its score an anchor that only asks does not give back, 0 to 1.
 */
export function rankNeighbours(
  around: readonly Candidate[],
  {
    anchors,
    radius,
    share,
    asking,
  }: { anchors: ReadonlyMap<string, number>; radius: number; share: number; asking: number },
): Ranking {
  const scores = new Map<string, number>()
  for (const [conversation, entries] of Map.groupBy(around, conversationOf)) {
    if (conversation === undefined) continue
    const found = new Map<number, number>()
    const back = new Map<number, number>()
    for (const { key, entry } of entries) {
      const score = anchors.get(key) ?? 0
      if (score === 0) continue
      const index = entry.sequence?.index ?? 0
      const kept = asking > 0 ? Math.min(1, asking * questionShare(entry.content)) : 0
      found.set(index, Math.max(found.get(index) ?? 0, score))
      back.set(index, Math.max(back.get(index) ?? 0, score * (1 - kept)))
    }
    for (const { key, entry } of entries) {
      const index = entry.sequence?.index ?? 0
      let score = 0
      for (let step = 1; step <= radius; step += 1) {
        const before = entry.context === undefined ? (found.get(index - step) ?? 0) : 0
        score += ((back.get(index + step) ?? 0) + before) * share ** (step - 1)
      }
      scores.set(key, score)
    }
  }
  return rankingOf('neighbours', scores)
}
