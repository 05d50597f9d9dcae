import { toolText } from '../inert-text.ts'
import { always, type Condition, type Conditions } from './conditions.ts'
import type { ConsistentWay, WayAnswer, WayFinder } from './consistent-way.ts'
import { createDeadEnds } from './dead-ends.ts'
import { exampleState } from './example-state.ts'
import { finding, type SkillFinding } from './finding.ts'
import type { Requirement, RequirementGraph } from './requirement-graph.ts'
import { circleText, listText, skillsText, valueText } from './wording.ts'

/** What was found out about requirements that nothing can meet. */
export interface DeadTools {
  readonly findings: readonly SkillFinding[]
  /** Requirements of which it was not decided whether something can always meet them. */
  readonly undecided: readonly Requirement[]
}

/**
 * Finds requirements that nothing can meet: on the tool itself, or on one that can not be called
 * because of what it waits for in turn. One on a tool that does not exist is for others to report.
 *
 * @param caught - Tools already known to be caught in a circle; what binds them to others in their
 * circle is not said again.
 * @param exists - Whether there is a tool of that name.
 */
export function findDeadTools(
  graph: RequirementGraph,
  options: {
    caught: ReadonlySet<string>
    exists: (toolName: string) => boolean
    conditions: Conditions
    finder: WayFinder
  },
): DeadTools {
  const { caught, exists, conditions, finder } = options
  const isEnd = ({ from, to }: Requirement) => from === to || !exists(to)
  const deadEnds = createDeadEnds(graph, isEnd)
  const answers = new Map<string, WayAnswer>()
  const ask = (tool: string, fixed: Condition): WayAnswer => {
    const first = deadEnds.wayFrom(tool)
    if (first === undefined) return 'none'
    const isUseful = (requirement: Requirement) =>
      isEnd(requirement) || deadEnds.leadTo(requirement.to)
    return finder.deadEnd(tool, { fixed, first, isUseful, isEnd })
  }

  const findings: SkillFinding[] = []
  const undecided: Requirement[] = []
  for (const requirement of graph.all) {
    const { from, to, subject } = requirement
    if (from === to) findings.push(itself(requirement))
    if (isEnd(requirement) || (caught.has(from) && graph.isKnotted(requirement))) continue
    const question = `${subject.condition} ${to}`
    const answer = answers.get(question) ?? ask(to, subject.condition)
    answers.set(question, answer)
    if (answer === 'undecided') undecided.push(requirement)
    else if (answer !== 'none') findings.push(dead(requirement, answer, exists, conditions))
  }
  return { findings, undecided }
}

function itself({ from, subject }: Requirement): SkillFinding {
  const message =
    `${skillsText([subject])} requires ${toolText(from)} before ${toolText(from)} itself, so it can ` +
    'never be called while the skill takes part. Remove the requirement, or do not offer the tool.'
  return finding('REQUIRES_ITSELF', { skills: [subject], tools: [from], message })
}

function dead(
  { from, to, subject }: Requirement,
  { way, conditions: needed }: ConsistentWay,
  exists: (toolName: string) => boolean,
  conditions: Conditions,
): SkillFinding {
  const isPermanent = way.every((requirement) => requirement.subject.condition === always)
  const state = isPermanent ? undefined : exampleState(conditions.placeOfAll(needed))
  const when = isPermanent ? 'can never be called' : 'cannot always be called'
  const where = isPermanent ? '' : `, as in the state ${valueText(state)}`
  const message =
    `${skillsText([subject])} requires ${toolText(to)} before ${toolText(from)}, and ${toolText(to)} ` +
    `${when}${where}: ${reasonText(way, exists)}. Mend that first, or remove the requirement.`
  return finding('REQUIRES_DEAD_TOOL', {
    skills: [subject],
    tools: [from, to],
    ...(!isPermanent && { state }),
    message,
  })
}

function reasonText(way: readonly Requirement[], exists: (toolName: string) => boolean): string {
  const last = way.at(-1)
  if (last === undefined) return ''
  if (!exists(last.to)) return `${chainText(way)}, which does not exist`
  if (last.from === last.to) return `${chainText(way)} itself`
  const start = way.findIndex(({ from }) => from === last.to)
  const circle = circleText(way.slice(start).map(({ from }) => from))
  return start === 0 ? circle : `${chainText(way.slice(0, start))}, and ${circle}`
}

function chainText(way: readonly Requirement[]): string {
  const tools = [...way.slice(0, 1).map(({ from }) => from), ...way.map(({ to }) => to)]
  return listText(tools.map(toolText), 12, ' needs ')
}
