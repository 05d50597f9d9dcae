// Memory in a plain AI SDK app: as middleware, as hooks of an agent, as tools, and embeddings for it.

export { type CreateEmbedderOptions, createEmbedder } from './ai-sdk/create-embedder.ts'
export {
  type AgentCall,
  type AgentCallEnd,
  type MemoryForAgent,
  type MemoryForAgentOptions,
  memoryForAgent,
} from './ai-sdk/memory-for-agent.ts'
export { type MemoryMiddlewareOptions, memoryMiddleware } from './ai-sdk/memory-middleware.ts'
export {
  type MemoryToolPlace,
  type MemoryTools,
  type MemoryToolsOptions,
  memoryTools,
} from './ai-sdk/memory-tools.ts'
export type { MemoryPlace, MemoryTurnPlace, TurnMemoryOptions } from './ai-sdk/turn-memory.ts'
