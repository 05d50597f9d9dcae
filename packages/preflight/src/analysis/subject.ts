import { evaluatePredicate } from '@symfonic/predicates'
import { preconditionOf, type Rule, ruleOf } from '../rule.ts'
import type { Skill } from '../skill.ts'
import type { Condition, Conditions } from './conditions.ts'

/** One skill under analysis, read once for all checks. */
export interface Subject {
  /** Position in the list. */
  readonly index: number
  readonly label: string
  readonly skill: Skill
  /** undefined when the skill has no action tool. */
  readonly rule: Rule | undefined
  readonly condition: Condition
}

/**
 * Reads skills for analysis.
 *
 * @throws PreflightError `PREFLIGHT_RULE_UNREADABLE` and PredicateError `PREDICATE_NOT_PARSED` for
 * what was made by hand and cannot be read.
 */
export function subjectsOf(skills: readonly Skill[], conditions: Conditions): readonly Subject[] {
  const subjects: Subject[] = []
  // Not `map`, which steps over the holes of a list.
  for (const [index, skill] of skills.entries()) {
    const rule = ruleOf(skill)
    const { predicates } = preconditionOf(skill)
    for (const predicate of predicates) evaluatePredicate(predicate, undefined)
    subjects.push({ index, label: skill.label, skill, rule, condition: conditions.of(predicates) })
  }
  return subjects
}
