// The one door to `ai`, and only for types: at run time this package needs nothing of it.

export type { Instructions, ModelMessage, SystemModelMessage, ToolSet } from 'ai'
