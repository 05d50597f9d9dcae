import type { Precondition } from '@symfonic/predicates'
import { distinct } from './distinct.ts'
import { PreflightError } from './errors.ts'
import { inertText } from './inert-text.ts'
import { kindOf } from './kind-of.ts'
import type { Skill } from './skill.ts'
import { isName } from './tool-history.ts'

/**
 * What one skill demands, read once and in one place. The rules block, the gate and the forced
 * first action all start from this reading, so that none of them can know a rule the others do not.
 */
export interface Rule {
  /** The skill's label, as written. */
  readonly label: string
  /** The tool the rule is about. */
  readonly actionTool: string
  /** Tools that must have succeeded before the action tool, in order, no duplicates. */
  readonly required: readonly string[]
  /** Higher goes first when a first action is forced. */
  readonly importance: number
}

/**
 * Reads one skill as a rule.
 *
 * @returns undefined when the skill has no action tool: such a skill binds nothing (PRE-11).
 * @throws PreflightError `PREFLIGHT_RULE_UNREADABLE` when the skill was made by hand and is
 * malformed. A rule that cannot be read is never skipped: skipping it would let calls pass.
 */
export function ruleOf(skill: Skill): Rule | undefined {
  const { tools } = preconditionOf(skill)
  const { label, actionTool, importance } = skill
  if (typeof label !== 'string') throw unreadable(skill, 'its label is not a text')
  if (actionTool === undefined) return undefined
  if (!isName(actionTool)) throw unreadable(skill, 'its action tool is not a name')
  const required = distinct(tools)
  // Not `every`, which steps over the holes of a list.
  for (const tool of required) {
    if (!isName(tool)) throw unreadable(skill, 'a tool it requires is not a name')
  }
  if (typeof importance !== 'number' || Number.isNaN(importance)) {
    throw unreadable(skill, 'its importance is not a number')
  }
  return { label, actionTool, required, importance }
}

/**
 * Reads every skill that has an action tool, in the order given.
 *
 * @throws PreflightError as `ruleOf` does, and `PREFLIGHT_LIST_REQUIRED` when `skills` is no list.
 */
export function rulesOf(skills: readonly Skill[]): readonly Rule[] {
  const rules: Rule[] = []
  for (const skill of listOfSkills(skills)) {
    const rule = ruleOf(skill)
    if (rule !== undefined) rules.push(rule)
  }
  return rules
}

/**
 * A list of skills as it was given.
 *
 * @throws PreflightError `PREFLIGHT_LIST_REQUIRED` for anything else: no list is not an empty list.
 */
export function listOfSkills(skills: readonly Skill[]): readonly Skill[] {
  if (Array.isArray(skills)) return skills
  throw new PreflightError(
    'PREFLIGHT_LIST_REQUIRED',
    `Skills must be a list, got ${kindOf(skills)}. Pass what parseSkills or a selection returned.`,
    { details: { received: kindOf(skills) } },
  )
}

/**
 * The precondition of a skill.
 *
 * @throws PreflightError `PREFLIGHT_RULE_UNREADABLE` when there is none, as `ruleOf` does.
 */
export function preconditionOf(skill: Skill): Precondition {
  const precondition: Precondition | undefined = skill?.precondition
  if (Array.isArray(precondition?.tools) && Array.isArray(precondition.predicates)) {
    return precondition
  }
  throw unreadable(skill, 'its precondition was not parsed')
}

function unreadable(skill: Skill, reason: string): PreflightError {
  const label = typeof skill?.label === 'string' ? skill.label : undefined
  const name = label === undefined ? '' : ` ${inertText(label, 80)}`
  return new PreflightError(
    'PREFLIGHT_RULE_UNREADABLE',
    `Skill${name} cannot be read as a rule: ${reason}. Make it with defineSkill or parseSkills.`,
    { details: { label, reason } },
  )
}
