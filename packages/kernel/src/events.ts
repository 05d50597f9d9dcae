import type { LanguageModelStreamPart, ModelMessage, ToolSet } from 'ai'
import type { PromptReport } from './prompt/prompt-report.ts'
import type { Scope } from './scope.ts'
import type { RefusedCall, StepRecord, TurnResult } from './turn-state.ts'

/**
 * Everything that happens in a turn, in order: one stream, of which `run` is a fold. A turn begins
 * with `turn-start` and ends with exactly one of `turn-end`, `turn-abort` and `turn-error`.
 *
 * What a model or a tool produces comes in the AI SDK's own stream parts (`text-delta`,
 * `reasoning-delta`, `tool-call`, `tool-result`, `tool-error` and so on), unchanged. Events are frozen,
 * and so is the input of a call: nobody who reads them changes what others read, or what is run.
 */
export type TurnEvent =
  | TurnStartEvent
  | ContextHydratedEvent
  | PromptAssembledEvent
  | StepStartEvent
  | HistoryRewrittenEvent
  | ModelOutputPart
  | ToolRefusedEvent
  | ForcedToolIgnoredEvent
  | StepEndEvent
  | TurnEndEvent
  | TurnAbortEvent
  | TurnErrorEvent

/** The turn has begun. Nothing was sent to a model yet. */
export interface TurnStartEvent {
  readonly type: 'turn-start'
  readonly runId: string
  readonly sessionId: string | undefined
  readonly scope: Scope | undefined
  readonly query: string
}

/** Context was looked up: before the prompt is assembled, or because the model asked (PROMPT-09). */
export interface ContextHydratedEvent {
  readonly type: 'context-hydrated'
  readonly query: string
  /** Characters found in all. */
  readonly chars: number
  /** What each capability gave, in milliseconds and characters; `error` where it failed. */
  readonly sources: readonly {
    readonly capability: string
    readonly chars: number
    readonly durationMs: number
    readonly error?: string
  }[]
}

/** The system prompt of the turn is fixed. */
export interface PromptAssembledEvent {
  readonly type: 'prompt-assembled'
  readonly report: PromptReport
}

/** A model call is about to be made. */
export interface StepStartEvent {
  readonly type: 'step-start'
  /** From 1. */
  readonly step: number
  /** The tool the model is told to call, if one is forced. */
  readonly forcedTool: string | undefined
}

/** A capability has said what of the history the model call of this step is sent. */
export interface HistoryRewrittenEvent {
  readonly type: 'history-rewritten'
  readonly step: number
  readonly capability: string
  /** What it has to say of it, such as what was saved. */
  readonly details: Readonly<Record<string, unknown>>
}

/** The AI SDK's stream parts that describe output, without those that frame a model call. */
export type ModelOutputPart = Exclude<
  LanguageModelStreamPart<ToolSet>,
  {
    type: 'model-call-start' | 'model-call-response-metadata' | 'model-call-end' | 'error' | 'ping'
  }
>

/** A gate or a guard refused a call; it did not run. The model reads `message` as the result (PRE-17). */
export interface ToolRefusedEvent extends RefusedCall {
  readonly type: 'tool-refused'
}

/** A tool was forced and the model answered without calling it. The turn goes on with its answer. */
export interface ForcedToolIgnoredEvent {
  readonly type: 'forced-tool-ignored'
  readonly step: number
  readonly toolName: string
}

/** A model call and its tool calls are done. */
export interface StepEndEvent {
  readonly type: 'step-end'
  readonly record: StepRecord
}

/** The turn is done. `result` is what `run` returns. */
export interface TurnEndEvent {
  readonly type: 'turn-end'
  readonly result: TurnResult
}

/** The turn was stopped by its signal, its time limit or a consumer that left. */
export interface TurnAbortEvent {
  readonly type: 'turn-abort'
  readonly runId: string
  readonly reason: unknown
  /** History and what this turn added; every call has its result. */
  readonly messages: readonly ModelMessage[]
}

/** The turn failed. */
export interface TurnErrorEvent {
  readonly type: 'turn-error'
  readonly runId: string
  readonly error: unknown
  /** History and what this turn added; every call has its result. */
  readonly messages: readonly ModelMessage[]
}
