/** What stands between a tool and a call of it. Both lists are empty when nothing does. */
export interface MissingSteps {
  /** Tools to call first, in an order in which each is allowed when its turn comes. */
  readonly steps: readonly string[]
  /**
   * Tools that wait for each other, in the order they do, when there are such among the steps.
   * No order of calls can then reach the tool.
   */
  readonly circle: readonly string[]
}

/**
 * Walks the requirements of a tool, and of what it requires, down to tools that may be called now.
 *
 * Each tool is visited once, without recursion, so circles and long chains end. A tool that waits
 * for itself through others is not among its own steps; one that requires itself directly is its
 * own last step, for there is nothing else to name.
 *
 * @param requiredBy - Tools that must come before the given one; `[]` for an unbound tool.
 * @param isDone - Whether a tool has been called this turn, which ends the walk there.
 */
export function missingSteps(
  toolName: string,
  requiredBy: (toolName: string) => readonly string[],
  isDone: (toolName: string) => boolean,
): MissingSteps {
  const steps: string[] = []
  let circle: readonly string[] = []
  const direct = requiredBy(toolName)
  // The chain of tools being walked, each with the position of the requirement to look at next.
  const chain = [{ toolName, required: direct, next: 0 }]
  // Every tool met so far, and whether it is still in the chain.
  const isOpen = new Map([[toolName, true]])

  for (let link = chain.at(-1); link !== undefined; link = chain.at(-1)) {
    const required = link.required[link.next]
    link.next += 1
    if (required === undefined) {
      chain.pop()
      isOpen.set(link.toolName, false)
      if (chain.length > 0) steps.push(link.toolName)
    } else if (isDone(required)) {
      // Nothing to do: it has been called, whatever it required itself.
    } else if (!isOpen.has(required)) {
      isOpen.set(required, true)
      chain.push({ toolName: required, required: requiredBy(required), next: 0 })
    } else if (isOpen.get(required) && circle.length === 0) {
      circle = from(required, chain)
    }
  }
  if (direct.includes(toolName) && !isDone(toolName)) steps.push(toolName)
  return { steps, circle }
}

function from(toolName: string, chain: readonly { toolName: string }[]): readonly string[] {
  const names = chain.map((link) => link.toolName)
  return names.slice(names.indexOf(toolName))
}
