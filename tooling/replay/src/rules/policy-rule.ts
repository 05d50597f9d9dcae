import { defineSkill, type Skill } from '@symfonic/preflight'

/** A rule of a policy, as authored: one rule, the tools it governs, and when it stands. */
export interface PolicyRule {
  /** What the list of ordering rules and its oracle call it. */
  readonly id: string
  /** What to do, in a few words; with the tool's name behind it, the model reads it as the skill's name. */
  readonly label: string
  /** The rule in full, in our words. */
  readonly content: string
  /** One skill is made for each, since a skill is about one tool. */
  readonly tools: readonly string[]
  /** The step that would mend a call which breaks the rule, and the state in which it is broken. */
  readonly precondition: readonly (string | StatePredicate)[]
}

/** A condition on the state, as a precondition writes it. */
export interface StatePredicate {
  readonly state: {
    readonly path: string
    readonly op: 'eq' | 'neq' | 'in' | 'exists'
    readonly value?: unknown
  }
}

/** A rule of a policy that `eq`, `neq`, `in` and `exists` cannot say. */
export interface InexpressibleRule {
  /** What the list of ordering rules and its oracle call it. */
  readonly id: string
  /** What it would take. */
  readonly reason: string
}

/**
 * The skills of some rules, one for each tool of each rule, tagged with the rule.
 *
 * @param desk - Where the rules stand: the skills are active while the state says that it is this
 * desk. Tools of different desks share names, and a skill knows its tool by nothing else.
 */
export function skillsOf(rules: readonly PolicyRule[], desk: string): Skill[] {
  return rules.flatMap((rule) =>
    rule.tools.map((tool) =>
      defineSkill({
        label: labelOf(rule, tool),
        content: rule.content,
        actionTool: tool,
        precondition: [...rule.precondition, { state: { path: 'desk', op: 'eq', value: desk } }],
        sourceTag: `${desk}:${rule.id}`,
      }),
    ),
  )
}

/**
 * The rules behind the skills that a refusal names.
 *
 * @param labels - `skills` of a refusal.
 * @returns Ids in the order of `rules`, no duplicates; labels of other skills are passed over.
 */
export function rulesBehind(rules: readonly PolicyRule[], labels: readonly string[]): string[] {
  const named = new Set(labels)
  const broken = rules.filter((rule) => rule.tools.some((tool) => named.has(labelOf(rule, tool))))
  return [...new Set(broken.map(({ id }) => id))]
}

/** A refusal names skills by label, so each label is made for one rule and one tool. */
function labelOf({ label }: PolicyRule, tool: string): string {
  return `${label}: ${tool}`
}
