import type { LanguageModel, ToolSet } from 'ai'
import type { CacheOptions } from './cache/cache-settings.ts'
import type { Capability, ContextStrategy, Domain } from './capability.ts'
import type { Logger } from './logger.ts'
import type { ModelCaller, ModelSettings } from './model-caller.ts'
import type { PromptBlock } from './prompt/prompt-blocks.ts'
import type { PromptLayerMode, VolatilePosition } from './prompt/prompt-report.ts'
import type { ResponseRenderer } from './response-pipeline.ts'
import type { PatchListener } from './turn-state.ts'

/** What a kernel is made of. Only `model` is required. */
export interface KernelOptions {
  /** Any model of the AI SDK, or an id its gateway resolves. */
  readonly model: LanguageModel
  /** Tools of the AI SDK. The kernel executes them; the model only sees their schemas. */
  readonly tools?: ToolSet
  /** The kernel text: layer L0, the most stable part of the prompt. */
  readonly instructions?: string
  readonly capabilities?: readonly Capability[]
  /** Rewriters of the final text of `run`, in order (KERN-06 to KERN-11). */
  readonly onResponseRender?: readonly ResponseRenderer[]
  readonly limits?: Partial<Limits>
  /** Sampling, provider options, headers, retries: passed to every model call. */
  readonly settings?: ModelSettings
  /** How the prompt is made. */
  readonly prompt?: PromptOptions
  /** How it is cached. */
  readonly cache?: CacheOptions
  /** Name of the agent for the AI SDK's Agent interface. */
  readonly id?: string
  /** Default: silent. */
  readonly logger?: Logger
  /**
   * Told every change of a turn's state as patches. Costs about as much as the change again. When it
   * throws, the turn ends with `KERNEL_TURN_FAILED`.
   */
  readonly onStatePatch?: PatchListener
  /** Replaces the way models are called. Default: the AI SDK's generateText and its stream layer. */
  readonly callers?: Partial<ModelCallers>
}

/** How the prompts of a kernel are made. Everything is optional. */
export interface PromptOptions {
  /** Version of `instructions`, shown in the report. Default: made of their hash (OPEN-PROMPT-3). */
  readonly version?: string
  /** Default `stratigraphic`: a region for each layer, and volatile text in one of its own (PROMPT-02). */
  readonly layerMode?: PromptLayerMode
  /**
   * Where L2 goes. Default `system`, behind L1: simple, and what is cached of the messages is lost
   * whenever it changes. `user` puts it behind what the user said, outside of the transcript, and
   * keeps the history cached from turn to turn. Without layers it does nothing.
   */
  readonly volatilePosition?: VolatilePosition
  /** Default `stratified`. Under `jit` the prompt is flat and the tool `hydrate_context` is there. */
  readonly contextStrategy?: ContextStrategy
  /** The older switch, heeded while `contextStrategy` is not set (PROMPT-04). Default false. */
  readonly jitContext?: boolean
  /** What the agent is about. The description is rendered at the head of L1. */
  readonly domain?: Partial<Domain>
  /**
   * Lists the tool names in the prompt: these, or all that are registered for `true` and `[]`.
   * Default false: the definitions say it already.
   */
  readonly toolManifest?: boolean | readonly string[]
  /** Where the manifest stands. Default `cached`; `volatile` needs layers (PROMPT-21). */
  readonly manifestCachePosition?: 'cached' | 'volatile'
  /** Pieces of prompt as data (PROMPT-23). Default: none. */
  readonly blocks?: readonly PromptBlock[]
}

/** Bounds of a turn. */
export interface Limits {
  /** Model calls in a turn. Default 20. At the limit the turn ends with 'step-limit'. */
  readonly steps: number
  /** Longest silence of a model, in milliseconds. Default 300,000 (five minutes). */
  readonly modelTimeoutMs: number
  /**
   * Longest run of one tool, gate, guard, look-up of context, rendering of a section, rewrite of the
   * history, response stage or rewriter of the answer, in milliseconds. Default 300,000 (five minutes).
   */
  readonly toolTimeoutMs: number
  /** Longest turn, in milliseconds. Default: none. */
  readonly turnTimeoutMs: number | undefined
}

/** How models are called: blocking for `run`, streaming for `stream`. */
export interface ModelCallers {
  readonly generate: ModelCaller
  readonly stream: ModelCaller
}

/** What applies where nothing is said. */
export const defaultLimits: Limits = Object.freeze({
  steps: 20,
  modelTimeoutMs: 300_000,
  toolTimeoutMs: 300_000,
  turnTimeoutMs: undefined,
})
