import { bulletsForRule } from './bullets.ts'
import { rulesOf } from './rule.ts'
import type { Skill } from './skill.ts'

const heading = '## ENFORCED PRE-FLIGHT RULES'

/**
 * The text a model reads before it acts: a heading, then the bullets of every active skill.
 *
 * The same skills give the same bytes, whatever order a store returned them in: skills are put in
 * the order of their own text. A prompt prefix that holds this block therefore stays cached for
 * as long as the same skills are active.
 *
 * @param active - The skills of this turn, after `filterSkillsByStatePredicates`.
 * @returns Lines joined by `\n`, none at the end; `''` when no active skill has an action tool.
 * @throws PreflightError `PREFLIGHT_RULE_UNREADABLE` for a malformed skill made by hand.
 * @see PRE-08..13
 */
export function buildRulesBlock(active: readonly Skill[]): string {
  const texts = rulesOf(active).map((rule) => bulletsForRule(rule).join('\n'))
  if (texts.length === 0) return ''
  // Code-unit order: the locale of a machine must not change the bytes.
  return [heading, ...texts.sort()].join('\n')
}
