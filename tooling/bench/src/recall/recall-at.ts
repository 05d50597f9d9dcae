/** How many results are looked at. */
const depths = [5, 10, 20] as const

/** One question and what was found for it, best first. */
export interface Trial {
  readonly category: string
  readonly conversation: string
  readonly evidence: readonly string[]
  readonly found: readonly string[]
}

/**
 * Recall of some trials: the share of a question's evidence that is among the first results, averaged over
 * the questions.
 */
export function recallOf(trials: readonly Trial[]): number[] {
  return depths.map((depth) => {
    const sum = trials.reduce((all, { evidence, found }) => {
      const first = new Set(found.slice(0, depth))
      return all + evidence.filter((id) => first.has(id)).length / evidence.length
    }, 0)
    return sum / trials.length
  })
}
