import { always, type Condition, type Conditions } from './conditions.ts'
import { type Requirement, type RequirementGraph, shortestWay } from './requirement-graph.ts'

/** A way through the requirements, by skills that can all take part in one state. */
export interface ConsistentWay {
  readonly way: readonly Requirement[]
  /** The conditions under which its skills take part together; none when they always do. */
  readonly conditions: readonly Condition[]
}

/** A way; 'none' when there is none at all; 'undecided' when the effort ran out first. */
export type WayAnswer = ConsistentWay | 'none' | 'undecided'

/**
 * How many conditions may still be brought together; counted down. What holds in every state is
 * found without any.
 */
export interface Effort {
  left: number
}

/** Steps of search for one question. Most are answered by the first way that comes along. */
const stepsPerQuestion = 1_000

/** Where a search stands: at a tool, under the conditions that the way there asked for. */
interface Stand {
  readonly tool: string
  readonly conditions: readonly Condition[]
  readonly key: string
}

/** Finds ways whose conditions can hold together. What it answers is exact unless 'undecided'. */
export interface WayFinder {
  /**
   * The shortest way from a tool back to itself.
   *
   * @param isUseful - Whether a requirement can be part of it.
   */
  circle(tool: string, isUseful: (requirement: Requirement) => boolean): WayAnswer
  /**
   * A way from a tool into a dead end: to a requirement that is one, or around a circle.
   *
   * @param fixed - A condition that has to hold as well.
   * @param first - Some way, to be taken when its conditions can hold together.
   * @param isUseful - Whether a requirement can be part of it.
   * @param isEnd - Whether a requirement is a dead end.
   */
  deadEnd(
    tool: string,
    options: {
      fixed: Condition
      first: readonly Requirement[]
      isUseful: (requirement: Requirement) => boolean
      isEnd: (requirement: Requirement) => boolean
    },
  ): WayAnswer
}

/** Searches a graph; all questions share one effort. */
export function createWayFinder(
  graph: RequirementGraph,
  conditions: Conditions,
  effort: Effort,
): WayFinder {
  const asIs = (way: readonly Requirement[], fixed: Condition): ConsistentWay | undefined => {
    const needed = new Set([fixed, ...way.map(({ subject }) => subject.condition)])
    needed.delete(always)
    if (needed.size > Math.max(effort.left, 0)) return undefined
    effort.left -= needed.size
    return conditions.canHoldTogether(needed) ? { way, conditions: [...needed] } : undefined
  }
  const step = ({ conditions: sofar }: Stand, { to, subject }: Requirement): Stand | undefined => {
    const { condition } = subject
    if (condition === always || sofar.includes(condition)) return stand(to, sofar)
    // Pairs come up again and again, so their answers are known; most refusals are theirs.
    if (!sofar.every((one) => conditions.canHoldTogether([one, condition]))) return undefined
    const together = [...sofar, condition].sort((one, other) => one - other)
    return conditions.canHoldTogether(together) ? stand(to, together) : undefined
  }
  const allowance = () => {
    let steps = stepsPerQuestion
    return () => {
      steps -= 1
      effort.left -= 1
      return steps >= 0 && effort.left >= 0
    }
  }

  return {
    circle(tool, isUseful) {
      if (effort.left <= 0) {
        const isFree = (one: Requirement) => isUseful(one) && one.subject.condition === always
        const way = shortestWay(graph, tool, tool, isFree)
        return way === undefined ? 'undecided' : { way, conditions: [] }
      }
      const shortest = shortestWay(graph, tool, tool, isUseful)
      if (shortest === undefined) return 'none'
      return (
        asIs(shortest, always) ?? searchCircle(tool, isUseful, { graph, step, may: allowance() })
      )
    },
    deadEnd(tool, { fixed, first, isUseful, isEnd }) {
      const start = stand(tool, fixed === always ? [] : [fixed])
      return (
        asIs(first, fixed) ??
        searchDeadEnd(start, { isUseful, isEnd }, { graph, step, may: allowance() })
      )
    },
  }
}

interface Search {
  readonly graph: RequirementGraph
  /** Follows a requirement; undefined when its condition contradicts those so far. */
  readonly step: (from: Stand, requirement: Requirement) => Stand | undefined
  /** Takes one step of the effort; false when there is none left. */
  readonly may: () => boolean
}

/**
 * Breadth first over pairs of a tool and the conditions so far. A pair is passed over when its tool
 * was met under fewer conditions: whatever leads on from it leads on from there.
 */
function searchCircle(
  tool: string,
  isUseful: (requirement: Requirement) => boolean,
  { graph, step, may }: Search,
): WayAnswer {
  const queue: { at: Stand; way: readonly Requirement[] }[] = [{ at: stand(tool, []), way: [] }]
  const met = new Map<string, (readonly Condition[])[]>()
  // The queue grows while it is walked.
  for (const { at, way } of queue) {
    for (const requirement of graph.needs.get(at.tool) ?? []) {
      if (!isUseful(requirement)) continue
      if (!may()) return 'undecided'
      const next = step(at, requirement)
      if (next === undefined) continue
      const longer = [...way, requirement]
      if (next.tool === tool) return { way: longer, conditions: next.conditions }
      const before = met.get(next.tool) ?? []
      if (before.some((fewer) => fewer.every((one) => next.conditions.includes(one)))) continue
      met.set(next.tool, [...before, next.conditions])
      queue.push({ at: next, way: longer })
    }
  }
  return 'none'
}

/**
 * Depth first over the same pairs. Conditions only ever grow along a way, so one that comes back to
 * a pair on itself has gone around a circle whose conditions hold together.
 */
function searchDeadEnd(
  start: Stand,
  about: {
    isUseful: (requirement: Requirement) => boolean
    isEnd: (requirement: Requirement) => boolean
  },
  { graph, step, may }: Search,
): WayAnswer {
  const chain: { at: Stand; via?: Requirement; next: number }[] = [{ at: start, next: 0 }]
  const isOpen = new Map([[start.key, true]])
  for (let link = chain.at(-1); link !== undefined; link = chain.at(-1)) {
    const requirement = graph.needs.get(link.at.tool)?.[link.next]
    link.next += 1
    if (requirement === undefined) {
      chain.pop()
      isOpen.set(link.at.key, false)
      continue
    }
    if (!about.isUseful(requirement)) continue
    if (!may()) return 'undecided'
    const next = step(link.at, requirement)
    if (next === undefined) continue
    const state = isOpen.get(next.key)
    if (about.isEnd(requirement) || state === true) {
      const way = [...chain.flatMap(({ via }) => via ?? []), requirement]
      return { way, conditions: next.conditions }
    }
    if (state === false) continue
    isOpen.set(next.key, true)
    chain.push({ at: next, via: requirement, next: 0 })
  }
  return 'none'
}

function stand(tool: string, conditions: readonly Condition[]): Stand {
  return { tool, conditions, key: `${conditions.join()} ${tool}` }
}
