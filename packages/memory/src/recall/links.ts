import { type Ranking, rankingOf } from './signal.ts'

/** A link between two candidates. */
export interface Tie {
  readonly from: string
  readonly to: string
  readonly weight: number
}

/**
 * Spreading activation: what was found passes a share of its score along its links, either way, and
 * what is reached passes on a share of that, for as many hops as there are lists of links. Several paths
 * to one entry add up.
 *
 * @param hops - The links followed in each hop.
 */
export function rankLinked(
  hops: readonly (readonly Tie[])[],
  { anchors, share }: { anchors: ReadonlyMap<string, number>; share: number },
): Ranking {
  const total = new Map<string, number>()
  let active = anchors
  for (const ties of hops) {
    const reached = new Map<string, number>()
    const pass = (from: string, to: string, weight: number): void => {
      const score = (active.get(from) ?? 0) * weight * share
      if (score > 0) reached.set(to, (reached.get(to) ?? 0) + score)
    }
    for (const { from, to, weight } of ties) {
      pass(from, to, weight)
      pass(to, from, weight)
    }
    for (const [key, score] of reached) total.set(key, (total.get(key) ?? 0) + score)
    active = reached
  }
  return rankingOf('links', total)
}
