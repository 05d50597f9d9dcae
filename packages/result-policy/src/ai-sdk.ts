// The policy in a plain AI SDK app: as prepareStep, as middleware, and the tool that reads results again.

export {
  type CompactToolResults,
  type CompactToolResultsOptions,
  compactToolResults,
} from './ai-sdk/compact-tool-results.ts'
export { type RecallToolOptions, recallTool, recallTools } from './ai-sdk/recall-tool.ts'
export { aiSdkTranscript, type SdkMessage } from './ai-sdk/transcript.ts'
