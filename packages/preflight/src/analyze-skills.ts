import { findCircles } from './analysis/circles.ts'
import { createConditions } from './analysis/conditions.ts'
import { createWayFinder } from './analysis/consistent-way.ts'
import { contradictionsIn } from './analysis/contradictions.ts'
import { findDeadTools } from './analysis/dead-tools.ts'
import { finding, inOrder, type SkillFinding } from './analysis/finding.ts'
import { duplicateLabelFindings } from './analysis/labels.ts'
import { createPathKeys, type PathKeys } from './analysis/path-keys.ts'
import { placesOf } from './analysis/places.ts'
import { redundantRuleFindings } from './analysis/redundant-rules.ts'
import { type Requirement, requirementGraph } from './analysis/requirement-graph.ts'
import { type Subject, subjectsOf } from './analysis/subject.ts'
import { unboundSkillFindings } from './analysis/unbound-skills.ts'
import { unknownToolFindings } from './analysis/unknown-tools.ts'
import { listText, skillsText } from './analysis/wording.ts'
import { PreflightError } from './errors.ts'
import { toolText } from './inert-text.ts'
import { kindOf } from './kind-of.ts'
import { listOfSkills } from './rule.ts'
import type { Skill } from './skill.ts'

/**
 * Looks for rules in a set of skills that cannot do what they were written for: skills that no state
 * selects, tools that no order of calls reaches, names that do not exist, rules that add nothing.
 *
 * Nothing is guessed: a skill is reported as never selected exactly when no state of plain data
 * satisfies all its predicates, and a tool as dead exactly when in some state the gate refuses it
 * whatever is called before. Skills that are never selected take no part in the other checks of
 * rules. The only question that may stay open is one whose state predicates allow too many
 * combinations; it is then reported as `CIRCLE_UNDECIDED`.
 *
 * @param skills - All skills that are loaded together, as `defineSkill` or `parseSkills` made them.
 * @param options.tools - The names of all tools there are. Without them names are not checked.
 * @returns Findings in the order of the skills; the same skills give the same findings. Empty when
 * there is nothing to say.
 * @throws PreflightError `PREFLIGHT_LIST_REQUIRED` when either is no list, `PREFLIGHT_RULE_UNREADABLE`
 * for a malformed skill made by hand, and PredicateError `PREDICATE_NOT_PARSED`.
 */
export function analyzeSkills(
  skills: readonly Skill[],
  options: { tools?: readonly string[] } = {},
): readonly SkillFinding[] {
  const pathKeys = createPathKeys()
  const conditions = createConditions(pathKeys)
  const subjects = subjectsOf(listOfSkills(skills), conditions)
  const tools = toolNames(options.tools)

  const isSelectable = ({ condition }: Subject) => conditions.canHoldTogether([condition])
  const selectable = subjects.filter(isSelectable)
  const graph = requirementGraph(selectable)
  const finder = createWayFinder(graph, conditions, { left: 5_000 })
  const circles = findCircles(graph, conditions, finder)
  const exists = (toolName: string) => tools === undefined || tools.has(toolName)
  const deadTools = findDeadTools(graph, { caught: circles.caught, exists, conditions, finder })

  return inOrder([
    ...subjects
      .filter((subject) => !isSelectable(subject))
      .flatMap((subject) => contradictionFindings(subject, pathKeys)),
    ...unboundSkillFindings(subjects),
    ...(tools === undefined ? [] : unknownToolFindings(subjects, tools)),
    ...circles.findings,
    ...deadTools.findings,
    ...undecidedFindings([...circles.undecided, ...deadTools.undecided]),
    ...duplicateLabelFindings(subjects),
    ...redundantRuleFindings(selectable, conditions, pathKeys),
  ])
}

/** Read from the skill's own predicates, so that paths are named as this skill writes them. */
function contradictionFindings(subject: Subject, pathKeys: PathKeys): readonly SkillFinding[] {
  const place = placesOf(subject.skill.precondition.predicates, pathKeys)
  return contradictionsIn(place).map(({ code, path, text }) =>
    finding(code, {
      skills: [subject],
      path,
      message: `${skillsText([subject])} is never selected: ${text}`,
    }),
  )
}

/** One for all of them: it says that the set is too tangled, not that each is wrong. */
function undecidedFindings(requirements: readonly Requirement[]): readonly SkillFinding[] {
  if (requirements.length === 0) return []
  const skills = [...new Set(requirements.map(({ subject }) => subject))]
  const tools = [...new Set(requirements.flatMap(({ from, to }) => [from, to]))]
  const message =
    `${skillsText(skills)}: whether ${listText(tools.map(toolText), 4)} wait for each other in some ` +
    'state was not decided, because the state predicates allow too many combinations. Remove ' +
    'requirements that go in a circle, or analyse fewer skills at a time.'
  return [finding('CIRCLE_UNDECIDED', { skills, tools, message })]
}

function toolNames(tools: readonly string[] | undefined): ReadonlySet<string> | undefined {
  if (tools === undefined) return undefined
  if (Array.isArray(tools)) return new Set(tools)
  throw new PreflightError(
    'PREFLIGHT_LIST_REQUIRED',
    `Tools must be a list of names, got ${kindOf(tools)}. Pass Object.keys(tools) of a set of tools.`,
    { details: { received: kindOf(tools) } },
  )
}
