// The public surface of @symfonic/kernel. A name added here is a promise.

export type { AgentGenerateResult } from './agent-result.ts'
export type { AgentStreamResult } from './agent-stream-result.ts'
export { type AmbientTurn, currentTurn } from './ambient.ts'
// How the prompt is cached
export type { CacheOptions } from './cache/cache-settings.ts'
export type { TokenEstimator } from './cache/estimate-tokens.ts'
export {
  lastStableTurnBoundary,
  type MessagesCachePolicy,
  type MessagesCacheRequest,
  type MessagesCacheStrategy,
  messagesCacheStrategyFor,
  rollingLadder,
} from './cache/messages-cache.ts'
export { type CacheBreak, type CacheReport, describeBreak } from './cache/prefix-watch.ts'
export type { PlacedMarker } from './cache/limit-markers.ts'
export type { TurnCacheReport } from './cache/turn-cache-report.ts'
// Writing a capability
export type {
  AgentView,
  BlockSource,
  CacheTtl,
  CallJudge,
  Capability,
  CompositionView,
  ContextStrategy,
  Domain,
  GateDecision,
  HistoryRewrite,
  HydrationRequest,
  PromptLayer,
  PromptSection,
  ProposedCall,
  ResponseStage,
  ResponseStageName,
  SectionPiece,
  SectionPieces,
  SectionText,
  TextTransform,
  TurnOutcome,
  TurnView,
} from './capability.ts'
export {
  defaultLimits,
  type KernelOptions,
  type Limits,
  type ModelCallers,
  type PromptOptions,
} from './kernel-options.ts'
export { KernelError, type KernelErrorCode } from './errors.ts'
// What happens in a turn
export type {
  ContextHydratedEvent,
  ForcedToolIgnoredEvent,
  HistoryRewrittenEvent,
  ModelOutputPart,
  PromptAssembledEvent,
  StepEndEvent,
  StepStartEvent,
  ToolRefusedEvent,
  TurnAbortEvent,
  TurnEndEvent,
  TurnErrorEvent,
  TurnEvent,
  TurnStartEvent,
} from './events.ts'
// Composing and running
export { createKernel, type Kernel } from './kernel.ts'
// Logging, and when something is wrong
export { type Logger, silentLogger } from './logger.ts'
// Calling models another way
export type {
  ModelCaller,
  ModelCallReport,
  ModelPart,
  ModelRequest,
  ModelSettings,
} from './model-caller.ts'
export type { Observer, Observers, TurnEventOf } from './observers.ts'
// What a prompt is made of, and what changed in it
export {
  comparePrompts,
  type PromptChange,
  type PromptComparison,
} from './prompt/compare-prompts.ts'
export {
  type BlockInjector,
  createBlockInjector,
  type PromptBlock,
} from './prompt/prompt-blocks.ts'
export type {
  LayerReport,
  PromptLayerMode,
  PromptReport,
  RenderFailure,
  SectionReport,
  ToolReport,
  ToolsReport,
  VolatilePosition,
} from './prompt/prompt-report.ts'
export { type ResponseRenderer, responseStages } from './response-pipeline.ts'
export type { Scope } from './scope.ts'
export { generateCaller, streamCaller } from './sdk-model-caller.ts'
export { toTextStreamParts } from './text-stream-parts.ts'

// Keeping transcripts
export { answerEveryCall, calledSinceUser } from './transcript.ts'
export type { TurnInput, TurnOptions } from './turn-input.ts'
// What a turn comes to
export type {
  PatchListener,
  PendingCall,
  RefusedCall,
  StepRecord,
  TurnFinishReason,
  TurnResult,
} from './turn-state.ts'
