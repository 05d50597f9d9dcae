/**
 * Every code of a finding, with how severe it is. An `error` is a rule that cannot do what it was
 * written for; a `warning` is a rule that does nothing, or may surprise.
 *
 * Codes are stable; messages are for people and may change. The order is that in which findings on
 * one skill are listed.
 */
export const findingSeverities = {
  /** One path must equal two different values. The skill is never selected. */
  NEVER_SELECTED_EQ_EQ: 'error',
  /** One path must equal and differ from one value. The skill is never selected. */
  NEVER_SELECTED_EQ_NEQ: 'error',
  /** One path must equal a value that is not in a list it must be in. The skill is never selected. */
  NEVER_SELECTED_EQ_IN: 'error',
  /** One path must be in lists that have no member in common. The skill is never selected. */
  NEVER_SELECTED_IN_IN: 'error',
  /** Every value that the lists of a path leave is ruled out by `neq`. The skill is never selected. */
  NEVER_SELECTED_IN_NEQ: 'error',
  /** A path must be in an empty list. The skill is never selected. */
  NEVER_SELECTED_IN_EMPTY: 'error',
  /**
   * No value that a path may have leaves room for a predicate further within, such as a number for
   * `a` and any predicate on `a.b`. The skill is never selected.
   */
  NEVER_SELECTED_VALUE_BLOCKS_PATH: 'error',
  /** A skill requires tools and has no action tool, so nothing enforces what it requires. */
  REQUIREMENT_WITHOUT_ACTION_TOOL: 'error',
  /** The action tool of a skill is not among the tools given. */
  UNKNOWN_ACTION_TOOL: 'error',
  /** A skill requires a tool that is not among the tools given: its action tool can never be called. */
  UNKNOWN_REQUIRED_TOOL: 'error',
  /** A skill requires its own action tool, which can therefore never be called. */
  REQUIRES_ITSELF: 'error',
  /**
   * Tools wait for each other, each for the next and the last for the first, by skills that can
   * take part together. None of the tools can be called when they do.
   */
  CIRCLE: 'error',
  /**
   * A skill requires a tool that can never be called, because that tool, or one it waits for,
   * belongs to a circle, requires itself or does not exist.
   */
  REQUIRES_DEAD_TOOL: 'error',
  /**
   * Tools wait for each other in a circle, but only by skills that can never all take part: their
   * state predicates contradict each other. Nothing is wrong until one of them changes.
   */
  CIRCLE_NEVER_CLOSES: 'warning',
  /**
   * Tools wait for each other, and whether that can happen in one state was not decided: the state
   * predicates allow too many combinations.
   */
  CIRCLE_UNDECIDED: 'warning',
  /** Several skills have one label, so a refusal or a log line does not say which is meant. */
  DUPLICATE_LABEL: 'warning',
  /** Several skills say the same: action tool, required tools, importance and states. */
  DUPLICATE_RULE: 'warning',
  /**
   * Whenever a skill takes part, another does too, with the same action tool, at least the same
   * required tools and no less importance. The skill changes nothing, except perhaps which of
   * equally important skills comes first.
   */
  SHADOWED_RULE: 'warning',
  /** A skill has no action tool and requires nothing, so it yields no rule. */
  BINDS_NOTHING: 'warning',
} as const

/** What a finding is about. @see SkillFinding */
export type SkillFindingCode = keyof typeof findingSeverities

/** A skill that a finding is about. */
export interface FoundSkill {
  /** Position in the list that was analysed, from 0. */
  readonly index: number
  /** As written. */
  readonly label: string
}

/** One thing that is wrong, or may be, in a set of skills. Frozen. */
export interface SkillFinding {
  readonly code: SkillFindingCode
  readonly severity: 'error' | 'warning'
  /** The skills it is about, the one to look at first in front; at least one. */
  readonly skills: readonly FoundSkill[]
  /** The path it is about, as written in the first skill. */
  readonly path?: string
  /**
   * The tools it is about: of a circle in the order in which each waits for the next, otherwise the
   * action tool first.
   */
  readonly tools?: readonly string[]
  /** For what happens only in some states, one of them, as plain data. */
  readonly state?: unknown
  /** What is wrong and what to do about it, for people. Names in it are written out safely. */
  readonly message: string
}

/** Makes a finding of its code and everything that is not decided by it. */
export function finding(
  code: SkillFindingCode,
  about: Omit<SkillFinding, 'code' | 'severity'>,
): SkillFinding {
  const { skills, tools } = about
  return Object.freeze({
    code,
    severity: findingSeverities[code],
    ...about,
    skills: Object.freeze(skills.map(({ index, label }) => Object.freeze({ index, label }))),
    ...(tools !== undefined && { tools: Object.freeze([...tools]) }),
  })
}

/** Findings in the order of their first skills, and for one skill in the order of the codes. */
export function inOrder(findings: readonly SkillFinding[]): readonly SkillFinding[] {
  const ranks = new Map(Object.keys(findingSeverities).map((code, rank) => [code, rank]))
  const rank = ({ code }: SkillFinding) => ranks.get(code) ?? 0
  const first = ({ skills }: SkillFinding) => skills[0]?.index ?? 0
  return Object.freeze(
    findings.toSorted((one, other) => first(one) - first(other) || rank(one) - rank(other)),
  )
}
