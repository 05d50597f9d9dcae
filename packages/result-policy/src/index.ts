// The public surface of @symfonic/result-policy. A name added here is a promise.

// Putting it together
export {
  createResultPolicy,
  type ResultPolicy,
  type ResultPolicyOptions,
} from './result-policy.ts'
export type {
  Applied,
  Conversation,
  ConversationOptions,
  Moment,
  SavingsReport,
} from './conversation.ts'
export {
  defaultSettings,
  defineSettings,
  type PolicySettings,
  type PolicySettingsSource,
  settingsFromState,
  type ToolRule,
} from './settings.ts'

// How a conversation is read
export {
  contentText,
  isViewable,
  type NeutralResult,
  restub,
  type ToolCallView,
  type ToolResultView,
  type Transcript,
} from './transcript.ts'
export { type PlainMessage, type PlainToolCall, plainTranscript } from './plain-transcript.ts'

// What is decided, and why
export type { DecisionReason, ResultDecision } from './decision.ts'
export { type NetSaving, type NetSavingInputs, netSaving, type Rates } from './net-saving.ts'
export { type GateInputs, gateInputs } from './gate-inputs.ts'

// What tokens cost
export {
  createPricing,
  type PriceOverrides,
  type Pricing,
  type PricingOptions,
  ratesOf,
} from './pricing.ts'
export type { RecallRates } from './recall-rates.ts'
export { type ModelPrice, modelPrices } from './price-table.ts'
export { charsPerToken, estimateTokens, type TokenEstimator } from './token-estimate.ts'

// What is left in place, and how it comes back
export { digestOf } from './digest.ts'
export { type StubFacts, writeStub } from './stub.ts'
export type { Ledger, LedgerPlace, RecordedResult, RecordOutcome } from './ledger.ts'
export { createInMemoryLedger, type InMemoryLedgerOptions } from './in-memory-ledger.ts'
export {
  describeRecall,
  type RecallAnswer,
  type RecallRequest,
  recallResult,
  recallToolName,
} from './recall.ts'

// Where lines go
export { type Logger, silentLogger } from './logger.ts'

// When something is malformed
export { ResultPolicyError, type ResultPolicyErrorCode } from './errors.ts'
