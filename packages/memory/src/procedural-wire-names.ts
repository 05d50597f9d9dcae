import type { PreconditionEntry } from '@symfonic/predicates'

/** An authored skill as a client creates it, checked and frozen. @see SKILL-08, SKILL-10 */
export interface ProceduralCreateRequest {
  /** The name shown in the pre-flight rules; 1 to 200 characters, white space around it taken off. */
  readonly label: string
  /** The skill's text; not blank. */
  readonly content: string
  /** Tools and state predicates as plain data, in one form however they were written; `[]` for none. */
  readonly precondition: readonly PreconditionEntry[]
  /** The tool the skill is about. */
  readonly actionTool?: string
  /** The procedure, step by step. */
  readonly steps?: readonly string[]
  /** 0 to 10. */
  readonly importance?: number
  /** The set it belongs to, such as `authored:support-team`. */
  readonly sourceTag?: string
}

/**
 * The keys of a create request in code, each with its spelling on the wire. This is the only place
 * that knows both.
 *
 * @see DESIGN decision 13, OPEN-SKILL-4, OPEN-SKILL-5
 */
const wireNames = {
  label: 'label',
  content: 'content',
  precondition: 'precondition',
  actionTool: 'action_tool',
  steps: 'steps',
  importance: 'importance',
  sourceTag: 'source_tag',
} as const satisfies Record<keyof ProceduralCreateRequest, string>

/** A key of a create request, as code spells it. */
export type RequestKey = keyof typeof wireNames

/** Every key with its spelling on the wire, in the order in which faults are reported. */
export const requestKeys = Object.freeze(Object.entries(wireNames) as [RequestKey, string][])

/** The spellings on the wire, for a message. */
export const wireSpellings: readonly string[] = Object.freeze(requestKeys.map(([, wire]) => wire))
