import { always, type Condition, type Conditions } from './conditions.ts'
import type { WayFinder } from './consistent-way.ts'
import { exampleState } from './example-state.ts'
import { finding, type SkillFinding } from './finding.ts'
import type { Requirement, RequirementGraph } from './requirement-graph.ts'
import { shortestWay } from './requirement-graph.ts'
import type { Subject } from './subject.ts'
import { circleText, skillsText, valueText } from './wording.ts'

/** What was found out about circles. */
export interface Circles {
  readonly findings: readonly SkillFinding[]
  /** Tools that are caught in a circle in some state. */
  readonly caught: ReadonlySet<string>
  /** Requirements of which it was not decided whether they belong to such a circle. */
  readonly undecided: readonly Requirement[]
}

/**
 * Finds tools that wait for each other. Each tool that can be caught in a circle is in at least one
 * `CIRCLE`; one that would be, did the state predicates allow it, in a `CIRCLE_NEVER_CLOSES`.
 * A tool that requires itself is not counted as a circle here.
 */
export function findCircles(
  graph: RequirementGraph,
  conditions: Conditions,
  finder: WayFinder,
): Circles {
  const findings: SkillFinding[] = []
  const caught = new Set<string>()
  const harmless = new Set<string>()
  const undecided: Requirement[] = []
  const suspects = new Set(graph.all.filter(graph.isKnotted).map(({ from }) => from))

  for (const tool of suspects) {
    if (caught.has(tool)) continue
    const answer = finder.circle(tool, graph.isKnotted)
    if (typeof answer === 'object') {
      for (const { from } of answer.way) caught.add(from)
      findings.push(closing(answer.way, answer.conditions, conditions))
      continue
    }
    if (answer === 'undecided') {
      undecided.push(...(graph.needs.get(tool) ?? []).filter(graph.isKnotted).slice(0, 1))
    } else if (!harmless.has(tool)) {
      const circle = shortestWay(graph, tool, tool, graph.isKnotted) ?? []
      for (const { from } of circle) harmless.add(from)
      findings.push(neverClosing(circle))
    }
  }
  return { findings, caught, undecided }
}

function closing(
  way: readonly Requirement[],
  needed: readonly Condition[],
  conditions: Conditions,
): SkillFinding {
  const about = aboutCircle(way)
  const circle = `${skillsText(about.skills)}: ${circleText(about.tools)}.`
  if (needed.every((condition) => condition === always)) {
    const message = `${circle} None of these tools can ever be called. Remove one of the requirements.`
    return finding('CIRCLE', { ...about, message })
  }
  const state = exampleState(conditions.placeOfAll(needed))
  const message =
    `${circle} None of these tools can be called while the skills take part together, as in the ` +
    `state ${valueText(state)}. Remove one of the requirements, or let the skills take part in ` +
    'different states.'
  return finding('CIRCLE', { ...about, state, message })
}

function neverClosing(way: readonly Requirement[]): SkillFinding {
  const about = aboutCircle(way)
  const message =
    `${skillsText(about.skills)}: ${circleText(about.tools)}. These skills never take part ` +
    'together, since their state predicates contradict each other, so nothing is stuck now. ' +
    'Remove one of the requirements if they may ever meet.'
  return finding('CIRCLE_NEVER_CLOSES', { ...about, message })
}

/** The tools of a circle in the order of waiting, and the skills, without repetition. */
function aboutCircle(way: readonly Requirement[]): { skills: Subject[]; tools: string[] } {
  return {
    skills: [...new Set(way.map(({ subject }) => subject))],
    tools: way.map(({ from }) => from),
  }
}
