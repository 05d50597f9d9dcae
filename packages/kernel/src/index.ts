// The public surface of @symfonic/kernel. A name added here is a promise.

export type { AgentGenerateResult } from './agent-result.ts'
export type { AgentStreamResult } from './agent-stream-result.ts'
export { type AmbientTurn, currentTurn } from './ambient.ts'
// Writing a capability
export type {
  CallJudge,
  Capability,
  CompositionView,
  GateDecision,
  PromptLayer,
  PromptSection,
  ProposedCall,
  ResponseStage,
  ResponseStageName,
  TurnView,
} from './capability.ts'
export {
  defaultLimits,
  type KernelOptions,
  type Limits,
  type ModelCallers,
} from './kernel-options.ts'
export { KernelError, type KernelErrorCode } from './errors.ts'
// What happens in a turn
export type {
  ForcedToolIgnoredEvent,
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
export type { LayerReport, PromptReport } from './prompt-layers.ts'
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
