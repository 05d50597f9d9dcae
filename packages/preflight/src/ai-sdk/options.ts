import type { Refusal } from '../gate.ts'
import type { Skill } from '../skill.ts'
import type {
  Instructions,
  ModelMessage,
  PrepareStepFunction,
  ToolApprovalConfiguration,
  ToolSet,
} from './sdk.ts'

/** A tool call the model asks for. Its input is parsed and valid for the tool's schema. */
export interface ProposedCall {
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
}

/** What is being decided, and on which history. Functions among the options are asked with it. */
export interface PreflightMoment {
  /**
   * The conversation as the model saw it for this step, without system messages. While a call is
   * judged it ends with what earlier calls of the same step have come to by then.
   */
  readonly messages: readonly ModelMessage[]
  /** The call being judged; undefined while rules are told or a first action is chosen. */
  readonly toolCall: ProposedCall | undefined
}

/**
 * The skills, or a function that is asked for them live (PRE-23). It must not return a promise. With
 * a function, every call of a step waits for those before it: one of them may bring a rule about it.
 */
export type PreflightSkills = readonly Skill[] | ((moment: PreflightMoment) => readonly Skill[])

/** A call that was not let through. */
export interface PreflightRefusal {
  readonly toolCall: ProposedCall
  /** Why, and what the model is told. `missing` and `skills` are empty when it could not be decided. */
  readonly refusal: Refusal
  /** What held the call: the wrapped `execute`, or `toolApproval`. */
  readonly by: 'execute' | 'approval'
  /** What went wrong, when the rules could not be asked; else undefined. */
  readonly cause: unknown
}

/** How the rules take part in an AI SDK app. Everything is optional. */
export interface PreflightOptions<
  TOOLS extends ToolSet = ToolSet,
  RUNTIME_CONTEXT extends Record<string, unknown> = Record<string, unknown>,
> {
  /** The app's own instructions. The rules become one more system message behind them. */
  readonly instructions?: Instructions | undefined
  /** Mark the rules for Anthropic's prompt cache, with this lifetime. Default: no marker. */
  readonly cacheTtl?: '5m' | '1h' | undefined
  /**
   * What the state predicates read: a value, which is read once, or a function, which is asked
   * whenever something is decided. A function must not return a promise; load beforehand. With one,
   * calls wait for earlier calls of their step (`wrapTools`), since those may change what it reads.
   */
  readonly state?: object | ((moment: PreflightMoment) => unknown) | null | undefined
  /**
   * The tools that count as called, asked live. Default: those that succeeded since the last user
   * message (DESIGN decision 6).
   */
  readonly called?: ((moment: PreflightMoment) => ReadonlySet<string>) | undefined
  /** Make the model call the first action tool first (PRE-26). Default false; see `prepareStep`. */
  readonly forceFirstAction?: boolean | undefined
  /** Hold the model to the rules (PRE-19). Default true; false only tells them. */
  readonly enforce?: boolean | undefined
  /** The app's own `prepareStep`. It goes first; what it throws is thrown. */
  readonly prepareStep?: PrepareStepFunction<TOOLS, RUNTIME_CONTEXT> | undefined
  /** The app's own `toolApproval`, asked about calls that the rules let through. */
  readonly toolApproval?: ToolApprovalConfiguration<TOOLS, RUNTIME_CONTEXT> | undefined
  /** Told about every call that was not let through. What it throws is ignored. */
  readonly onRefusal?: ((refused: PreflightRefusal) => unknown) | undefined
  /** Gets a debug line per dropped skill (PRE-05) and a warning per failure. Default: silent. */
  readonly logger?: { debug(line: string): void; warn(line: string): void } | undefined
}
