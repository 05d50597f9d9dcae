import type { Subject } from './subject.ts'

/** One tool that needs another, by one skill. */
export interface Requirement {
  readonly from: string
  readonly to: string
  readonly subject: Subject
}

/** Which tools need which, by the skills that can take part at all. */
export interface RequirementGraph {
  /** What an action tool needs, in the order of the skills; a tool may be needed more than once. */
  readonly needs: ReadonlyMap<string, readonly Requirement[]>
  /** Every requirement, in the order of the skills. */
  readonly all: readonly Requirement[]
  /** Whether a requirement is part of a circle of at least two tools, whatever the conditions. */
  isKnotted(requirement: Requirement): boolean
}

/** Reads the rules of skills as a graph of tools. */
export function requirementGraph(subjects: readonly Subject[]): RequirementGraph {
  const needs = new Map<string, Requirement[]>()
  const all: Requirement[] = []
  for (const subject of subjects) {
    if (subject.rule === undefined) continue
    const { actionTool, required } = subject.rule
    const list = needs.get(actionTool) ?? []
    needs.set(actionTool, list)
    for (const to of required) {
      const requirement = { from: actionTool, to, subject }
      list.push(requirement)
      all.push(requirement)
    }
  }
  const knotOf = knots(needs)
  const knotted = new Set(
    all.filter(({ from, to }) => from !== to && knotOf.get(from) === knotOf.get(to)),
  )
  return { needs, all, isKnotted: (requirement) => knotted.has(requirement) }
}

/**
 * Numbers the tools so that two have the same number exactly when each is needed, directly or
 * through others, by the other. Tools that no two-way need joins have a number of their own.
 *
 * The walk is Tarjan's, on a stack of its own: a chain may be as long as the set of skills.
 */
function knots(needs: RequirementGraph['needs']): ReadonlyMap<string, number> {
  const knotOf = new Map<string, number>()
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const lower = (tool: string, candidate: number) =>
    lowest.set(tool, Math.min(lowest.get(tool) ?? candidate, candidate))

  for (const start of needs.keys()) {
    if (order.has(start)) continue
    const chain: { tool: string; next: number }[] = []
    const enter = (tool: string) => {
      order.set(tool, order.size)
      lower(tool, order.size - 1)
      open.push(tool)
      chain.push({ tool, next: 0 })
    }
    enter(start)
    for (let link = chain.at(-1); link !== undefined; link = chain.at(-1)) {
      const { tool } = link
      const requirement = needs.get(tool)?.[link.next]
      link.next += 1
      if (requirement !== undefined) {
        const { to } = requirement
        const seen = order.get(to)
        if (seen === undefined) enter(to)
        else if (!knotOf.has(to)) lower(tool, seen)
        continue
      }
      chain.pop()
      const low = lowest.get(tool) ?? 0
      const parent = chain.at(-1)
      if (parent !== undefined) lower(parent.tool, low)
      if (low !== order.get(tool)) continue
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        knotOf.set(member, low)
        if (member === tool) break
      }
    }
  }
  return knotOf
}

/**
 * The shortest way from one tool to another, by at least one requirement.
 *
 * @param isAllowed - Whether a requirement may be part of it.
 */
export function shortestWay(
  { needs }: RequirementGraph,
  from: string,
  to: string,
  isAllowed: (requirement: Requirement) => boolean,
): readonly Requirement[] | undefined {
  const reachedBy = new Map<string, Requirement>()
  const queue = [from]
  for (let position = 0; position < queue.length; position += 1) {
    for (const requirement of needs.get(queue[position] ?? '') ?? []) {
      if (reachedBy.has(requirement.to) || !isAllowed(requirement)) continue
      reachedBy.set(requirement.to, requirement)
      if (requirement.to === to) return wayBack(reachedBy, from, to)
      queue.push(requirement.to)
    }
  }
  return undefined
}

function wayBack(
  reachedBy: ReadonlyMap<string, Requirement>,
  from: string,
  to: string,
): readonly Requirement[] {
  const way: Requirement[] = []
  let last = reachedBy.get(to)
  while (last !== undefined) {
    way.push(last)
    last = last.from === from ? undefined : reachedBy.get(last.from)
  }
  return way.reverse()
}
