// The public surface of @symfonic/plugins. A name added here is a promise.

// Writing a plugin
export type { DomainPlugin, GuardAnswer, GuardCall, GuardRefusal } from './plugin.ts'
export {
  type ContributionPosition,
  type ContributionSource,
  defineContribution,
  type PluginContribution,
  withOrigin,
} from './contribution.ts'
export { buildRenderState, type RenderContext, type RenderState } from './render-state.ts'

// Letting it in
export {
  type Admission,
  createPluginRoster,
  type PluginAdmitted,
  type PluginRefused,
  type PluginRoster,
  type PluginRosterOptions,
  type RefusalReason,
  type RefusalReasonCode,
} from './admission.ts'
export type { LivePlugins, PluginSource } from './plugin-source.ts'

// Prompt text
export {
  type CollectOptions,
  collectContributions,
  type LeftOutPlugin,
  type PlacedContribution,
} from './collect.ts'
export {
  joinLayers,
  type RenderedLayer,
  type RenderedLayers,
  type RenderedPiece,
  renderLayers,
} from './render.ts'
export { type CacheTtl, strongestCacheTtl } from './cache-ttl.ts'
export {
  createPluginPromptSection,
  type PluginPromptSection,
  type PluginPromptSectionOptions,
} from './prompt-section.ts'
export { createOnceLatch, type OnceLatch } from './warn-once.ts'

// Asking before something happens
export {
  createGuard,
  type Guard,
  type GuardContext,
  type GuardDecision,
  type GuardOptions,
  type GuardOutcome,
  type GuardRequest,
  type GuardVerdict,
} from './guard.ts'
export { describeGuardRefusal, guardRequestFor, type ProposedCall } from './tool-call.ts'

// Where lines go
export { type Logger, silentLogger } from './logger.ts'

// When something is malformed
export { PluginError, type PluginErrorCode } from './errors.ts'
