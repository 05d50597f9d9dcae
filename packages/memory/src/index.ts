// The public surface of @symfonic/memory. A name added here is a promise. Databases, the AI SDK and
// the conformance suite are kept out, behind ./sqlite, ./postgres, ./ai-sdk and ./testing.

// Whose memory
export { parseScope, partitionKey, readableScopes, type Scope, scopeOfPartition } from './scope.ts'

// What is remembered
export {
  type ConversationPlace,
  type EntryDraft,
  type EntryLink,
  identityKind,
  type MemoryEntry,
  type Provenance,
  type ProvenanceSource,
  provenanceSources,
  type StoredEntry,
} from './entry.ts'
export { isMemoryLayer, type MemoryLayer, memoryLayers } from './layer.ts'
export { memoryLimits } from './limits.ts'
export type { PlainJson } from './plain-json.ts'
export { type ParseEntryOptions, parseEntry } from './parse-entry.ts'

// The memory of an agent
export { createMemory, type LayerHandle, type Memory } from './create-memory.ts'
export type { MemoryOptions } from './memory-settings.ts'
export type { HydrateOptions, Hydration } from './hydrate.ts'
export type { ConsolidationOutcome } from './consolidate.ts'
export type { MemoryTurn, TurnMessage } from './write/turn.ts'
export type { Correction, CorrectionOutcome } from './correct.ts'
export type { AuthoredSkill } from './skills.ts'
export type { MemoryBlock } from './blocks.ts'
export type { MemoryCounters } from './counters.ts'
export type { Embedder } from './embedder.ts'
export { type MemoryParts, needsConsolidator, selectOrchestrator } from './select-orchestrator.ts'
export { type JobOutcome, jobKinds, type RunJobOptions, runJob } from './jobs/run-job.ts'

// Recalling without the rest
export { type RecalledEntry, type RecallQuery, recall } from './recall/recall.ts'
export { defaultRecallSettings, type RecallSettings } from './recall/settings.ts'
export { type RecallReason, type RecallSignal, recallSignals } from './recall/signal.ts'
export { datesInQuery, dayInWords, type TimeSpan } from './recall/dates-in-query.ts'
export { effectiveStrength } from './effective-strength.ts'
export { estimateTokens } from './token-estimate.ts'

// Where it is kept
export type {
  EntryFilter,
  EntryPage,
  EntryPut,
  ListOptions,
  MemoryStore,
  PutOutcome,
  Ranked,
  RemoveSelector,
  SearchOptions,
  StoreCapabilities,
  StoredBlock,
  StoredLink,
  StoreWrite,
  WriteOutcome,
} from './store.ts'
export type { ClaimedJob, ClaimOptions, JobClaim, JobQueue, NewJob } from './job-queue.ts'

export { createInMemoryStore, type InMemoryStoreOptions } from './in-memory-store.ts'

// Writing a store
export {
  type ListPosition,
  listPosition,
  type ParsedFilter,
  type ParsedList,
  type ParsedWrite,
  parseClaim,
  parseClaimOptions,
  parseFilter,
  parseIds,
  parseJob,
  parseLimit,
  parseListOptions,
  parsePlaces,
  parseRadius,
  parseSearchOptions,
  parseSelector,
  parseTouch,
  parseWrite,
  writeCursor,
} from './parse-query.ts'
export { querySearchTerms, searchTerms } from './text/search-terms.ts'

// What a model notes, and what a user sees of it
export {
  createMemoryExtractionSection,
  extractionBudgetTokens,
  type MemoryExtractionSection,
  type MemoryExtractionSectionOptions,
} from './extraction/section.ts'
export {
  EXTRACTION_OPENAI_TEMPLATE,
  EXTRACTION_TEMPLATE,
  extractionTemplates,
} from './extraction/templates.ts'
export {
  type ExtractionTemplateName,
  type SelectedTemplate,
  type SelectTemplateOptions,
  selectExtractionTemplate,
} from './extraction/select-template.ts'
export {
  type ExtractionState,
  renderExtraction,
  type SplitExtraction,
  splitExtraction,
} from './extraction/render-extraction.ts'
export { type KnownEntity, renderKnownEntities } from './extraction/known-entities.ts'
export { extractionDelimiter } from './extraction/delimiter.ts'
export {
  createExtractionStripper,
  type ExtractionStripper,
  type Stripped,
  stripExtraction,
} from './extraction/stripper.ts'
export {
  type Extraction,
  type ParsedExtraction,
  parseExtractionBlocks,
  readExtraction,
} from './extraction/read-extraction.ts'
export {
  type CorrectionDirective,
  directiveKinds,
  type EntityDirective,
  type EpisodeDirective,
  type ExtractionDirective,
  type IntentionDirective,
  type RelationDirective,
  type StatementDirective,
} from './extraction/directive.ts'
export {
  type ExtractionFault,
  type ExtractionFaults,
  extractionLimits,
} from './extraction/faults.ts'

// What is never kept
export {
  createScrubber,
  type ScrubbedText,
  type Scrubber,
  type ScrubberOptions,
  scrubSecrets,
} from './scrub.ts'
export {
  compileCredentialPattern,
  defaultCredentialPatterns,
  scrubCredentialKeys,
} from './scrub-keys.ts'

// What a model is shown of memory
export {
  type RecalledItem,
  type RenderedRecall,
  type RenderRecalledOptions,
  recalledDelimiter,
  renderRecalled,
  withoutRecalled,
} from './render-recalled.ts'
export { fingerprintRecalled, type RecalledFingerprint } from './render-fingerprint.ts'

export { type RenderHydrationOptions, renderHydration } from './render-hydration.ts'
export { listKnownEntities } from './list-known-entities.ts'
export { type NamedModel, providerFamily } from './extraction/provider-family.ts'

// Skills from outside
export {
  type ProceduralCreateOutcome,
  parseProceduralCreateRequest,
  type RequestIssue,
} from './procedural-create-request.ts'
export type { ProceduralCreateRequest } from './procedural-wire-names.ts'

// Where lines go
export { type Logger, silentLogger } from './logger.ts'

// When something is malformed
export { MemoryError, type MemoryErrorCode } from './errors.ts'
