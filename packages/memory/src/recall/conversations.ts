import { type Candidate, conversationOf, type Ranking, rankingOf } from './signal.ts'

/** The best results of a conversation that speak for it. */
const spokesmen = 3

/**
 * What was said in a conversation that has much of what is looked for: each entry gets the mean of the three
 * best scores of its conversation, those that are missing counting as 0.
 *
 * @param found - Scores of what was found, by key.
 */
export function rankConversations(
  candidates: readonly Candidate[],
  { found }: { found: ReadonlyMap<string, number> },
): Ranking {
  const scores = new Map<string, number>()
  for (const [conversation, entries] of Map.groupBy(candidates, conversationOf)) {
    if (conversation === undefined) continue
    const best = entries
      .map(({ key }) => found.get(key) ?? 0)
      .sort((one, other) => other - one)
      .slice(0, spokesmen)
    const mean = best.reduce((sum, score) => sum + score, 0) / spokesmen
    for (const { key } of entries) scores.set(key, mean)
  }
  return rankingOf('conversation', scores)
}
