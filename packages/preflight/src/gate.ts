import { distinct } from './distinct.ts'
import { grouped } from './grouped.ts'
import { type MissingSteps, missingSteps } from './missing-steps.ts'
import { describeRefusal } from './refusal-message.ts'
import { type Rule, rulesOf } from './rule.ts'
import type { Skill } from './skill.ts'
import { wasCalled } from './tool-history.ts'

/**
 * The rules of one step, by action tool, each list in the order of its skills. A tool that is not
 * in it is free (PRE-16).
 */
export interface GateIndex {
  readonly byAction: ReadonlyMap<string, readonly Rule[]>
}

/** Why a call may not be executed, and what would change that. */
export interface Refusal {
  /** The tool whose call is refused; `''` when the call had no readable name. */
  readonly toolName: string
  /** The tools to call first, in order, no duplicates. */
  readonly missing: readonly string[]
  /** Labels of the skills that are not satisfied, as written, no duplicates. */
  readonly skills: readonly string[]
  /** The text for the model in the place of a result, at most 2,000 characters. */
  readonly message: string
}

/** What the gate says to one proposed call. */
export type GateVerdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly refusal: Refusal }

/**
 * Indexes the active skills by action tool. Build it once per step.
 *
 * @param active - The skills of this turn, after `filterSkillsByStatePredicates`.
 * @throws PreflightError `PREFLIGHT_RULE_UNREADABLE` for a malformed skill made by hand: the gate
 * does not open because a rule cannot be read.
 * @see PRE-16
 */
export function indexByActionTool(active: readonly Skill[]): GateIndex {
  const gating = rulesOf(active).filter(({ required }) => required.length > 0)
  return Object.freeze({ byAction: grouped(gating, ({ actionTool }) => actionTool) })
}

/**
 * Judges one proposed call. When several skills have the same action tool, all must be satisfied.
 *
 * Judge the calls of a step in the order given, and add each tool that has succeeded to `called`
 * before judging the next: a required tool earlier in the same step then satisfies a later call
 * (DESIGN decision 6).
 *
 * @param called - Tools called successfully this turn, as `toolsCalledThisTurn` gives them. A
 * record that cannot be read counts as empty.
 * @see PRE-16..18
 */
export function judgeCall(
  index: GateIndex,
  toolName: string,
  called: ReadonlySet<string>,
): GateVerdict {
  if (typeof toolName !== 'string' || toolName === '') return refusalOfNameless()
  const broken = index.byAction.get(toolName)?.filter((rule) => !isSatisfied(rule, called)) ?? []
  if (broken.length === 0) return allowed
  const { steps, circle } = stepsBefore(index, toolName, called)
  const skills = distinct(broken.map((rule) => rule.label))
  return refuse(toolName, steps, skills, describeRefusal({ toolName, steps, circle, skills }))
}

/** The steps that an index still wants before a tool; the same walk serves gate and forced action. */
export function stepsBefore(
  index: GateIndex,
  toolName: string,
  called: ReadonlySet<string>,
): MissingSteps {
  return missingSteps(
    toolName,
    (tool) => requiredTogether(index.byAction.get(tool) ?? []),
    (tool) => wasCalled(called, tool),
  )
}

function requiredTogether(rules: readonly Rule[]): readonly string[] {
  const [only] = rules
  return rules.length === 1 && only ? only.required : rules.flatMap((rule) => rule.required)
}

function isSatisfied(rule: Rule, called: ReadonlySet<string>): boolean {
  return rule.required.every((tool) => wasCalled(called, tool))
}

const allowed: GateVerdict = Object.freeze({ allowed: true })

function refuse(
  toolName: string,
  missing: readonly string[],
  skills: readonly string[],
  message: string,
): GateVerdict {
  const refusal = Object.freeze({
    toolName,
    missing: Object.freeze(missing),
    skills: Object.freeze(skills),
    message,
  })
  return Object.freeze({ allowed: false, refusal })
}

/** A call that names no tool cannot be held against the rules, so it does not pass. */
function refusalOfNameless(): GateVerdict {
  return refuse(
    '',
    [],
    [],
    'This call was refused because it names no tool. Call a tool by its name.',
  )
}
