import { distinct } from './distinct.ts'
import { PreflightError } from './errors.ts'
import { indexByActionTool, stepsBefore } from './gate.ts'
import { kindOf } from './kind-of.ts'
import type { Rule } from './rule.ts'
import { filterSkillsByStatePredicates } from './select-skills.ts'
import type { Skill } from './skill.ts'
import { type HistoryEntry, toolsCalledThisTurn } from './tool-history.ts'

/** One tool of a plan. */
export interface PlanStep {
  readonly toolName: string
  /** Labels of the skills that demand it here, as written, no duplicates. */
  readonly skills: readonly string[]
}

/** How a tool can be reached from where the turn stands. */
export type Plan =
  /**
   * The tools to call before it, in this order; none when it may be called now. Each is allowed
   * when its turn comes, provided that those before it have succeeded, and none can be left out.
   */
  | { readonly reachable: true; readonly steps: readonly PlanStep[] }
  /** No order of calls reaches it, because these tools wait for each other: each for the next one. */
  | { readonly reachable: false; readonly circle: readonly PlanStep[] }

/**
 * Which tools are still to be called before a tool, in an order that satisfies every rule that
 * holds in this state. It asks the same filter and walks the same rules as the gate.
 *
 * @param toolName - The tool to reach; one that no skill is about needs no steps.
 * @param skills - All skills; those whose state predicates do not hold take no part.
 * @param state - The runtime state of the turn, any plain value.
 * @param history - What has happened, oldest first; only the current turn counts.
 * @throws PreflightError `PREFLIGHT_TOOL_NAME_REQUIRED` when `toolName` names nothing, and what
 * `filterSkillsByStatePredicates`, `indexByActionTool` and `toolsCalledThisTurn` throw.
 * @see PRE-03, PRE-16..18, DESIGN decision 6
 */
export function planFor(
  toolName: string,
  skills: readonly Skill[],
  state: unknown,
  history: Iterable<HistoryEntry>,
): Plan {
  if (typeof toolName !== 'string' || toolName === '') throw nameless(toolName)
  const index = indexByActionTool(filterSkillsByStatePredicates(skills, state).active)
  const { steps, circle } = stepsBefore(index, toolName, toolsCalledThisTurn(history))
  const rulesOn = (tool: string) => index.byAction.get(tool) ?? []
  if (circle.length > 0) {
    const waiting = (position: number) => circle.at(position - 1) ?? ''
    const around = circle.map((tool, position) =>
      planStep(tool, labelsByRequired(rulesOn(waiting(position)))),
    )
    return Object.freeze({ reachable: false, circle: Object.freeze(around) })
  }
  const labels = labelsByRequired([...steps, toolName].flatMap(rulesOn))
  const inOrder = steps.map((tool) => planStep(tool, labels))
  return Object.freeze({ reachable: true, steps: Object.freeze(inOrder) })
}

/** For each tool that the rules require, the labels of their skills. */
function labelsByRequired(rules: readonly Rule[]): ReadonlyMap<string, readonly string[]> {
  const labels = new Map<string, string[]>()
  for (const { label, required } of rules) {
    for (const tool of required) {
      const others = labels.get(tool)
      if (others === undefined) labels.set(tool, [label])
      else others.push(label)
    }
  }
  return labels
}

function planStep(toolName: string, labels: ReadonlyMap<string, readonly string[]>): PlanStep {
  return Object.freeze({ toolName, skills: Object.freeze(distinct(labels.get(toolName) ?? [])) })
}

function nameless(toolName: unknown): PreflightError {
  const received = toolName === '' ? 'an empty text' : kindOf(toolName)
  return new PreflightError(
    'PREFLIGHT_TOOL_NAME_REQUIRED',
    `A plan leads to a tool, got ${received} for its name. Pass the name as it is registered.`,
    { details: { received } },
  )
}
