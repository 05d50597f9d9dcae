/** How often results of a tool were replaced, and how often one was asked for again. */
export type RecallRates = Readonly<
  Record<string, { readonly replaced: number; readonly recalled: number }>
>

/** How many replaced results the prior counts for: a few surprises change little, a habit does. */
const priorWeight = 3

/**
 * Learns tool by tool how often a replaced result is asked for again, starting from a prior. A tool
 * whose results are always read again comes to an expectation of 1 and more, and stops being worth it.
 *
 * @param prior - Chance of a recall before anything is known, 0 to 1.
 * @param known - What other conversations have seen.
 */
export function createRecallRates(prior: number, known: RecallRates) {
  const counts = new Map<string, { replaced: number; recalled: number }>()
  for (const toolName of Object.keys(known)) {
    const { replaced, recalled } = known[toolName] ?? {}
    counts.set(toolName, { replaced: amount(replaced), recalled: amount(recalled) })
  }

  return {
    countReplaced(toolName: string): void {
      of(toolName).replaced += 1
    },
    countRecall(toolName: string): void {
      of(toolName).recalled += 1
    },
    /** Recalls to expect for one more replaced result of a tool. */
    expectedOf(toolName: string): number {
      const { replaced = 0, recalled = 0 } = counts.get(toolName) ?? {}
      return (recalled + prior * priorWeight) / (replaced + priorWeight)
    },
    /** What is known by now, with what was known before. */
    seen: (): RecallRates =>
      Object.fromEntries([...counts].map(([toolName, count]) => [toolName, { ...count }])),
  }

  function of(toolName: string) {
    const found = counts.get(toolName) ?? { replaced: 0, recalled: 0 }
    counts.set(toolName, found)
    return found
  }
}

/** A count from outside; what is none counts as nothing seen. */
function amount(count: unknown): number {
  return typeof count === 'number' && count >= 0 && count < Number.POSITIVE_INFINITY ? count : 0
}
