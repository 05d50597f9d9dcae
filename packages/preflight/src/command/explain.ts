import { describeDrop, type PredicateExplanation } from '@symfonic/predicates'
import { firstActionTool } from '../first-action.ts'
import { indexByActionTool, judgeCall } from '../gate.ts'
import { type Plan, planFor } from '../plan-for.ts'
import { filterSkillsByStatePredicates } from '../select-skills.ts'
import type { Skill } from '../skill.ts'
import type { HistoryEntry } from '../tool-history.ts'
import type { PlacedSkill } from './skill-files.ts'

/** What holds in one state. */
export interface Explanation {
  readonly active: readonly PlacedSkill[]
  readonly dropped: readonly DroppedSkill[]
  /** The tool that would be forced, were first actions forced. */
  readonly firstAction: string | undefined
  readonly tool: ToolExplanation | undefined
}

/** A skill that takes no part, and why. */
export interface DroppedSkill extends PlacedSkill {
  /** The first of its predicates that does not hold. */
  readonly predicate: PredicateExplanation
  /** The same as the line in the debug log. */
  readonly line: string
}

/** What the gate says to a call of one tool, and what would change that. */
export interface ToolExplanation {
  readonly name: string
  readonly allowed: boolean
  /** What the model is told when it is refused. */
  readonly refusal: string | undefined
  readonly plan: Plan
}

/**
 * Says which skills take part in a state, and whether a tool may be called.
 *
 * @param options.called - Tools called successfully since the user last spoke.
 */
export function explain(
  skills: readonly PlacedSkill[],
  state: unknown,
  options: { tool: string | undefined; called: readonly string[] },
): Explanation {
  const all = skills.map(({ skill }) => skill)
  const { active, dropped } = filterSkillsByStatePredicates(all, state)
  const placed = new Map<Skill, PlacedSkill>(skills.map((one) => [one.skill, one]))
  const called = new Set(options.called)
  return {
    active: active.flatMap((skill) => placed.get(skill) ?? []),
    dropped: dropped.flatMap(({ item, explanation }) => {
      const one = placed.get(item)
      if (one === undefined) return []
      return { ...one, predicate: explanation, line: describeDrop(item.label, explanation) }
    }),
    firstAction: firstActionTool(active, called),
    tool: options.tool === undefined ? undefined : explainTool(options.tool),
  }

  function explainTool(name: string): ToolExplanation {
    const verdict = judgeCall(indexByActionTool(active), name, called)
    const history = options.called.map(
      (toolName): HistoryEntry => ({ type: 'tool-result', toolName, failed: false }),
    )
    return {
      name,
      allowed: verdict.allowed,
      refusal: verdict.allowed ? undefined : verdict.refusal.message,
      plan: planFor(name, all, state, history),
    }
  }
}
