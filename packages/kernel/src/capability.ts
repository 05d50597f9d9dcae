import type { FinishReason, LanguageModel, LanguageModelUsage, ModelMessage, ToolSet } from 'ai'
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
  /**
   * Looks up what bears on a query, such as memories. Asked before the prompt is assembled under the
   * `stratified` strategy, and by the tool `hydrate_context` under `jit` (PROMPT-06). Looked up anew
   * at each call (PROMPT-07). One that throws costs its own text.
   */
  readonly hydrate?: (request: HydrationRequest) => string | PromiseLike<string>
  /** Sources that declared prompt blocks draw from, by name (PROMPT-24). */
  readonly blockSources?: Readonly<Record<string, BlockSource>>
  /** Tools of its own. A name taken already is refused at construction. */
  readonly tools?: ToolSet
  /**
   * Prepares to judge the tool calls of one step. Asked after the model has answered and before a
   * tool runs; asked again when earlier calls of the step have finished. A gate that throws, or takes
   * longer than `limits.toolTimeoutMs`, refuses.
   */
  readonly gate?: (view: TurnView) => CallJudge
  /**
   * Prepares to ask, once for each call and last of all, whether it may run: after every gate has
   * allowed it, right before the tool is run. A guard that throws, or takes longer than
   * `limits.toolTimeoutMs`, refuses (PLUG-57, PLUG-60). Its `view.signal` fires when nobody waits for it
   * any more; a refusal that it gives at once then is the one the model reads.
   */
  readonly guard?: (view: TurnView) => CallJudge
  /**
   * Says what of the history a model call is sent, computed anew for each call from the untouched
   * transcript. Several capabilities chain. One that throws, gives no list, or takes longer than
   * `limits.toolTimeoutMs` is skipped. The messages are the transcript's own, those of the host's
   * history among them, which are not frozen: give new messages, and write into none.
   */
  readonly rewriteHistory?: (
    messages: readonly ModelMessage[],
    view: TurnView,
  ) => HistoryRewrite | PromiseLike<HistoryRewrite>
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
  /**
   * Prepares to say what is shown of the text of one model call, as it streams and in the records of
   * the steps. The transcript stays verbatim, and so does what the stages are given. Several
   * capabilities chain. One that throws hides the rest of that text.
   */
  readonly transformText?: (view: TurnView) => TextTransform
  /** Stages of the response pipeline. Several capabilities may serve one stage; they chain. */
  readonly stages?: { readonly [Stage in ResponseStageName]?: ResponseStage }
  /**
   * Told when a turn has come to its end, and not of one that was aborted or failed. Nobody waits for
   * what it promises but `kernel.flush`; what it throws is logged (MEM-40).
   */
  readonly onTurnEnd?: (outcome: TurnOutcome, view: TurnView) => unknown
}

/** The layers of a prompt, stable text first: kernel text, cached prefix, volatile suffix (PROMPT-01). */
export type PromptLayer = 'L0' | 'L1' | 'L2'

/** How long a provider keeps a cached prefix: five minutes or one hour. */
export type CacheTtl = '5m' | '1h'

/** A named piece of prompt (PROMPT-10). */
export interface PromptSection {
  /** Shown in the prompt report. */
  readonly name: string
  readonly layer: PromptLayer
  /** Lower comes first within the layer. Default 50; ties keep the order of declaration. */
  readonly priority?: number
  /** May a failure to render end the turn? Default false: the section costs itself, not the prompt. */
  readonly required?: boolean
  /**
   * Should the cached prefix be able to end behind this section, as well as at the end of its layer?
   * Default false. It gets a marker of its own if one is left (PROMPT-12). Nothing in L2 is cached.
   */
  readonly cacheBreakpoint?: boolean
  /** Estimated tokens beyond which a warning is logged, once for each kernel (PROMPT-14). Default: none. */
  readonly budgetTokens?: number
  /**
   * The text. An empty one leaves the section out. `view.signal` fires after `limits.toolTimeoutMs`; what
   * is given at once then still counts.
   */
  readonly render: (view: TurnView) => SectionText | PromiseLike<SectionText>
}

/** What a section renders: a text, or pieces that name who wrote them. */
export type SectionText = string | SectionPieces

/** A section's text in pieces. */
export interface SectionPieces {
  /** A blank line is put between them; empty ones are left out. */
  readonly pieces: readonly SectionPiece[]
  /** Lifetime wished for the marker behind the section, known once it is rendered (PROMPT-11). */
  readonly cacheTtl?: CacheTtl | undefined
  /** Authors whose part is missing, and why: for the prompt report. Default: none. */
  readonly leftOut?: readonly { readonly origin: string; readonly reason: string }[]
}

/** One author's part of a section. */
export interface SectionPiece {
  /** Whom to name when the piece breaks the cached prefix, such as a plugin. */
  readonly origin: string
  readonly text: string
}

/** A history as it is to be sent. */
export interface HistoryRewrite {
  /** Messages that stay as they are should be the very objects that were given. */
  readonly messages: readonly ModelMessage[]
  /** Plain data for the event `history-rewritten`; without it there is no event. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** What a capability is asked to look up. */
export interface HydrationRequest
  extends Pick<
    TurnView,
    'runId' | 'sessionId' | 'scope' | 'state' | 'messages' | 'signal' | 'logger'
  > {
  /** What the user said, or what the model asks for. */
  readonly query: string
  /** The model asks, by the tool `hydrate_context`; it reads what is thrown then (MEM-17). */
  readonly isAskedByModel?: boolean
}

/** Where a kind of prompt block gets its text. */
export interface BlockSource {
  /** Without a scope the block is left out, and one warning is logged (PROMPT-25). Default false. */
  readonly needsScope?: boolean
  /** @param options - What the block's declaration says to its source. */
  readonly render: (options: unknown, view: TurnView) => string | PromiseLike<string>
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
  /** The agent whose turn it is: the same in every turn of a kernel. */
  readonly agent: AgentView
  /** What the capabilities looked up for this turn; `''` for nothing, and always under `jit`. */
  readonly hydrated: string
  /** 0 while the prompt is assembled, then the number of the step, from 1. */
  readonly step: number
  /** The transcript so far, verbatim. While calls are judged it ends with the results already in. */
  readonly messages: readonly ModelMessage[]
  /** Names of the tools that succeeded since the last user message (DESIGN decision 6). */
  readonly called: ReadonlySet<string>
  readonly signal: AbortSignal
  readonly logger: Logger
}

/** An agent as capabilities see it. Frozen. */
export interface AgentView {
  readonly domain: Domain
  /** Names of all tools, those of capabilities included. */
  readonly tools: readonly string[]
  /** Tool names as the prompt may list them: declared, or derived from `tools` (PROMPT-16, PROMPT-17). */
  readonly toolManifest: readonly string[]
  readonly contextStrategy: ContextStrategy
}

/** What the agent is about. */
export interface Domain {
  /** Default `''`. */
  readonly name: string
  /** Rendered at the head of L1. Default `''`: nothing is. */
  readonly description: string
}

/**
 * How context comes into the prompt, chosen once for each kernel (PROMPT-04): looked up before the
 * model is called and layered (`stratified`), or asked for by the model with a tool (`jit`).
 */
export type ContextStrategy = 'stratified' | 'jit'

/** What a kernel is composed of, as capabilities see it. */
export interface CompositionView {
  readonly agent: AgentView
  readonly model: LanguageModel
  readonly settings: ModelSettings
  readonly logger: Logger
}

/** A tool call the model asks for. */
export interface ProposedCall {
  readonly toolCallId: string
  readonly toolName: string
  /**
   * Parsed and valid for the tool's schema. Plain data is frozen; the tool gets a copy of its own of
   * just this.
   */
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

/** Takes the text so far and gives the text to go on with. One that throws or hangs is skipped and logged. */
export type ResponseStage = (text: string, view: TurnView) => string | PromiseLike<string>

/** What a turn has come to, as capabilities see it: part of its result. */
export interface TurnOutcome {
  /** The answer after the response pipeline. */
  readonly text: string
  readonly finishReason: FinishReason | 'step-limit'
  /** The transcript, history included. */
  readonly messages: readonly ModelMessage[]
  /** What this turn added to it, the user's message first. Verbatim. */
  readonly added: readonly ModelMessage[]
  /** Sum over the steps. */
  readonly usage: LanguageModelUsage
}

/** Says what is shown of a text that arrives in pieces. */
export interface TextTransform {
  /** One more piece of it. @returns What can be shown now. */
  readonly push: (delta: string) => string
  /** The end of it. @returns What was held back and can be shown after all. */
  readonly end: () => string
}
