// Plugins in a plain AI SDK app: their text as instructions, their guards in its tools.

export { type GuardedCall, type GuardToolsOptions, guardTools } from './ai-sdk/guard-tools.ts'
export { type BuildInstructionsOptions, buildInstructions } from './ai-sdk/instructions.ts'
