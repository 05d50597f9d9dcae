import type { LanguageModel, ToolSet } from 'ai'
import type { Capability } from './capability.ts'
import type { Logger } from './logger.ts'
import type { ModelCaller, ModelSettings } from './model-caller.ts'
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
  /** Lifetime of the cached prompt layers. Default '5m'; false sends no cache markers. */
  readonly cacheTtl?: '5m' | '1h' | false
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

/** Bounds of a turn. */
export interface Limits {
  /** Model calls in a turn. Default 20. At the limit the turn ends with 'step-limit'. */
  readonly steps: number
  /** Longest silence of a model, in milliseconds. Default 300,000 (five minutes). */
  readonly modelTimeoutMs: number
  /** Longest run of one tool, in milliseconds. Default 300,000 (five minutes). */
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
