import { indexByActionTool, stepsBefore } from './gate.ts'
import { type Rule, rulesOf } from './rule.ts'
import type { Skill } from './skill.ts'
import { wasCalled } from './tool-history.ts'

/**
 * Which tool, if any, must be called next before the model may do anything else.
 *
 * The most important active skill with an action tool decides; among equals, the first given. Its
 * action tool is forced, but never before the gate would let it pass: while something is missing
 * ahead of it, the first missing step is forced instead. Ask anew before every model call: the
 * force moves on as steps succeed and ends once the action tool has been called (PRE-27).
 *
 * @param active - The skills of this turn, after `filterSkillsByStatePredicates` (PRE-26).
 * @param called - Tools called successfully this turn, as `toolsCalledThisTurn` gives them.
 * @returns The tool to force. undefined when no skill has an action tool, when the deciding one
 * has been called this turn, and when its requirements go in a circle: the gate would refuse
 * whatever could be forced, so nothing is.
 * @throws PreflightError `PREFLIGHT_RULE_UNREADABLE` for a malformed skill made by hand.
 * @see PRE-26, PRE-27, OPEN-PRE-7
 */
export function firstActionTool(
  active: readonly Skill[],
  called: ReadonlySet<string>,
): string | undefined {
  const rule = mostImportant(rulesOf(active))
  if (rule === undefined || wasCalled(called, rule.actionTool)) return undefined
  const { steps, circle } = stepsBefore(indexByActionTool(active), rule.actionTool, called)
  return circle.length > 0 ? undefined : (steps[0] ?? rule.actionTool)
}

function mostImportant(rules: readonly Rule[]): Rule | undefined {
  let first: Rule | undefined
  for (const rule of rules) {
    if (first === undefined || rule.importance > first.importance) first = rule
  }
  return first
}
