import { grouped } from '../grouped.ts'
import { type Requirement, type RequirementGraph, shortestWay } from './requirement-graph.ts'

/** Which tools lead to a dead end, whatever the conditions of the skills on the way. */
export interface DeadEnds {
  /** Whether a dead end can be reached from a tool. */
  leadTo(toolName: string): boolean
  /**
   * A shortest way from a tool to a dead end, with the requirement that is one, or with a circle,
   * at its end.
   */
  wayFrom(toolName: string): readonly Requirement[] | undefined
}

/**
 * Walks the graph backwards from all dead ends at once.
 *
 * @param isEnd - Whether a requirement is a dead end in itself. Circles are, besides.
 */
export function createDeadEnds(
  graph: RequirementGraph,
  isEnd: (requirement: Requirement) => boolean,
): DeadEnds {
  const single = new Map<string, readonly Requirement[]>()
  const knotted = new Set<string>()
  for (const requirement of graph.all) {
    const { from } = requirement
    if (isEnd(requirement)) single.set(from, [requirement])
    else if (graph.isKnotted(requirement)) knotted.add(from)
  }
  const neededBy = grouped(graph.all, ({ to }) => to)

  const towards = new Map<string, Requirement>()
  const met = new Set([...single.keys(), ...knotted])
  // The set grows while it is walked.
  for (const tool of met) {
    for (const requirement of neededBy.get(tool) ?? []) {
      if (met.has(requirement.from)) continue
      met.add(requirement.from)
      towards.set(requirement.from, requirement)
    }
  }

  const endAt = (tool: string): readonly Requirement[] | undefined => {
    const known = single.get(tool)
    if (known !== undefined || !knotted.has(tool)) return known
    const circle = shortestWay(graph, tool, tool, graph.isKnotted) ?? []
    single.set(tool, circle)
    return circle
  }
  const wayFrom = (start: string): readonly Requirement[] | undefined => {
    const way: Requirement[] = []
    for (let tool = start; met.has(tool); ) {
      const end = endAt(tool)
      if (end !== undefined) return [...way, ...end]
      const next = towards.get(tool)
      if (next === undefined) break
      way.push(next)
      tool = next.to
    }
    return undefined
  }
  return { leadTo: (tool) => met.has(tool), wayFrom }
}
