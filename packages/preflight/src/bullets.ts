import { inertText } from './inert-text.ts'
import { type Rule, ruleOf } from './rule.ts'
import type { Skill } from './skill.ts'

/**
 * The bullets of one skill: for each required tool a positive and a negative one, in that order.
 * A skill that requires no tool says instead that its action tool comes before answering. Text
 * depends on the skill alone, never on state (PRE-13).
 *
 * @returns One line per bullet, without line breaks; `[]` when the skill has no action tool.
 * @throws PreflightError `PREFLIGHT_RULE_UNREADABLE` for a malformed skill made by hand.
 * @see PRE-09, PRE-11, DESIGN decision 5
 */
export function bulletsForSkill(skill: Skill): readonly string[] {
  const rule = ruleOf(skill)
  return rule === undefined ? [] : bulletsForRule(rule)
}

/** The bullets of one rule, as `bulletsForSkill` gives them. */
export function bulletsForRule(rule: Rule): readonly string[] {
  const skill = inertText(rule.label)
  const action = inertText(rule.actionTool)
  if (rule.required.length === 0) {
    return [
      `- YOU MUST call \`${action}\` BEFORE answering (skill: ${skill}).`,
      `- DO NOT answer until \`${action}\` has been called ${successfully}.`,
    ]
  }
  return rule.required.flatMap((tool) => {
    const required = inertText(tool)
    return [
      `- YOU MUST call \`${required}\` BEFORE calling \`${action}\` (skill: ${skill}).`,
      `- DO NOT call \`${action}\` until \`${required}\` has been called ${successfully}.`,
    ]
  })
}

/** When a call counts, in the words the model reads (DESIGN decision 6). */
const successfully = 'successfully since the last user message'
