import type { LanguageModel, ModelMessage, ToolSet } from 'ai'
import type { Logger } from './logger.ts'
import type { ModelSettings } from './model-caller.ts'
import type { Scope } from './scope.ts'

/**
 * Something a kernel can be composed with. A capability declares traits; the kernel asks whoever
 * declares one, in the order given, and never looks at the name. An object literal will do:
 *
 * ```ts no-run
 * const desk = { name: 'desk', sections: [{ name: 'today', layer: 'L2', render: () => 'It is Monday.' }] }
 * ```
 */
export interface Capability {
  /** Unique among the capabilities of a kernel; shown in events, logs and errors. */
  readonly name: string
  /** Text for the prompt, rendered once a turn. */
  readonly sections?: readonly PromptSection[]
  /** Tools of its own. A name taken already is refused at construction. */
  readonly tools?: ToolSet
  /**
   * Prepares to judge the tool calls of one step. Asked after the model has answered and before a
   * tool runs; asked again when earlier calls of the step have finished. A gate that throws refuses.
   */
  readonly gate?: (view: TurnView) => CallJudge
  /**
   * The tool the model must call next, asked live before every model call (PRE-27). undefined
   * leaves the choice to the model. The first capability that names a tool wins; one that throws
   * forces nothing.
   */
  readonly forcedTool?: (view: TurnView) => string | undefined
  /**
   * Told once, when the kernel is composed, what it is composed of: the place for start-up checks.
   * What it throws is logged and stops nothing (PRE-30).
   */
  readonly onCompose?: (view: CompositionView) => void
  /** Stages of the response pipeline. Several capabilities may serve one stage; they chain. */
  readonly stages?: { readonly [Stage in ResponseStageName]?: ResponseStage }
}

/** The layers of a prompt, stable text first: kernel text, cached prefix, volatile suffix (PROMPT-01). */
export type PromptLayer = 'L0' | 'L1' | 'L2'

/** A named piece of prompt (PROMPT-10). */
export interface PromptSection {
  /** Shown in the prompt report. */
  readonly name: string
  readonly layer: PromptLayer
  /** Lower comes first within the layer. Default 50; ties keep the order of declaration. */
  readonly priority?: number
  /** May a failure to render end the turn? Default false: the section costs itself, not the prompt. */
  readonly required?: boolean
  /** The text. An empty string leaves the section out. */
  readonly render: (view: TurnView) => string | PromiseLike<string>
}

/** A turn as capabilities see it: plain data, valid for the call it is handed to. */
export interface TurnView {
  readonly runId: string
  readonly sessionId: string | undefined
  readonly scope: Scope | undefined
  /** What the user said; empty when the turn continues an answered tool call. */
  readonly query: string
  /** The runtime state the host gave, as it is now. State predicates read it. */
  readonly state: unknown
  /** 0 while the prompt is assembled, then the number of the step, from 1. */
  readonly step: number
  /** The transcript so far, verbatim. While calls are judged it ends with the results already in. */
  readonly messages: readonly ModelMessage[]
  /** Names of the tools that succeeded since the last user message (DESIGN decision 6). */
  readonly called: ReadonlySet<string>
  readonly signal: AbortSignal
  readonly logger: Logger
}

/** What a kernel is composed of, as capabilities see it. */
export interface CompositionView {
  readonly model: LanguageModel
  readonly settings: ModelSettings
  readonly logger: Logger
}

/** A tool call the model asks for. */
export interface ProposedCall {
  readonly toolCallId: string
  readonly toolName: string
  /** Parsed and valid for the tool's schema. */
  readonly input: unknown
}

/** May this call run? A refusal's message is what the model reads as the tool's result. */
export type GateDecision =
  | {
      readonly allowed: true
      /**
       * The verdict may change with what earlier calls of the step come to. The call then waits for
       * those still running and is judged again. Default false: the call runs beside them.
       */
      readonly tentative?: boolean
    }
  | {
      readonly allowed: false
      /** What happened and what to do instead, for the model. */
      readonly message: string
      /** Plain data for events and reports, such as the missing steps. */
      readonly details?: Readonly<Record<string, unknown>>
    }

/** Judges one call of a step. */
export type CallJudge = (call: ProposedCall) => GateDecision | PromiseLike<GateDecision>

/** The stages between the loop's last text and the answer, in their locked order (KERN-05, LO-01). */
export type ResponseStageName = 'salvage' | 'extraction-stripping' | 'fabrication' | 'metacognition'

/** Takes the text so far and gives the text to go on with. One that throws is skipped and logged. */
export type ResponseStage = (text: string, view: TurnView) => string | PromiseLike<string>
