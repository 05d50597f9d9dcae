import type { Precondition, PreconditionSource } from '@symfonic/predicates'

/** A skill as an author writes it. */
export interface SkillSource {
  /** Name shown to the model and in logs; not blank (SKILL-05). */
  label: string
  /** The skill's text. Nothing here reads it. */
  content?: string
  /** The tool the skill is about; not blank. Without one the skill yields no rule (PRE-11). */
  actionTool?: string
  /** Tools to call first, conditions on state, or both; none by default (SKILL-03). */
  precondition?: PreconditionSource
  /** Higher goes first when a first action is forced. A finite number, 0 by default. */
  importance?: number
  /** The procedure, step by step; `[]` by default. Nothing here reads it. */
  steps?: readonly string[]
  /** Where the skill comes from, for example `authored:support-team` (SKILL-04). */
  sourceTag?: string
}

/** A skill that has been checked. Frozen; an optional key is there only when it was given. */
export interface Skill {
  readonly label: string
  readonly content?: string
  readonly actionTool?: string
  readonly precondition: Precondition
  readonly importance: number
  readonly steps: readonly string[]
  readonly sourceTag?: string
}
