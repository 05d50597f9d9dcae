import type { ProviderOptions } from '@ai-sdk/provider-utils'
import type {
  CallWarning,
  FinishReason,
  LanguageModel,
  LanguageModelCallOptions,
  LanguageModelStreamPart,
  LanguageModelUsage,
  ModelMessage,
  ProviderMetadata,
  SystemModelMessage,
  ToolSet,
} from 'ai'

/** One model call: everything it needs, nothing it may keep. */
export interface ModelRequest {
  readonly model: LanguageModel
  readonly instructions: readonly SystemModelMessage[]
  readonly messages: readonly ModelMessage[]
  /** Without `execute`: the kernel runs tools itself. */
  readonly tools: ToolSet
  /** Tell the model to call this one. Soft: a model that does not is no failure. */
  readonly forcedTool: string | undefined
  readonly settings: ModelSettings
  readonly signal: AbortSignal
}

/** How the model is called; all of it goes to the AI SDK as it is. */
export interface ModelSettings extends LanguageModelCallOptions {
  readonly providerOptions?: ProviderOptions
  readonly headers?: Record<string, string | undefined>
  /** Retries of a failed request. Default 2, exponential from 2 s, `retry-after` honoured. */
  readonly maxRetries?: number
}

/** What a model call gives: the AI SDK's stream parts of one call. */
export type ModelPart = LanguageModelStreamPart<ToolSet>

/**
 * Makes one model call and yields its parts as they come. The port that keeps the AI SDK's call
 * layer out of the loop.
 *
 * A caller parses and validates tool calls (an invalid one has `invalid: true` and an `error`),
 * retries before the first part, ends with `model-call-end`, and reports a forced tool the model did
 * not call as an `error` part with the SDK's ToolChoiceViolationError. It throws, or yields an
 * `error` part, when the provider fails.
 */
export type ModelCaller = (request: ModelRequest) => AsyncIterable<ModelPart>

/** What frames one model call: how it ended and what it used. Prices are computed a call at a time. */
export interface ModelCallReport {
  readonly finishReason: FinishReason
  readonly rawFinishReason: string | undefined
  readonly usage: LanguageModelUsage
  readonly warnings: readonly CallWarning[]
  readonly providerMetadata: ProviderMetadata | undefined
  /** As the provider named them; undefined where it did not. */
  readonly response: {
    readonly id: string | undefined
    readonly modelId: string | undefined
    readonly timestamp: Date | undefined
  }
}
