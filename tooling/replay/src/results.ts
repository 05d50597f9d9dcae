// What results cost: recorded conversations sent again, with a policy and without. It knows no kernel.

export { type Conversation, parseConversation } from './results/conversation.ts'
export {
  type HistoryPolicy,
  type OpenHistory,
  type Recall,
  sendEverything,
  type Wanted,
} from './results/history-policy.ts'
export { type Asking, type LivedThrough, liveThrough, type Need } from './results/live-through.ts'
export { type LostValue, lostValues } from './results/lost-values.ts'
export { ourPolicy } from './results/our-policy.ts'
export {
  type CachePrices,
  costOf,
  type ModelRequest,
  type RunCost,
  sonnetPrices,
} from './results/prompt-cache.ts'
export { type Fact, factOfThirdResult, type Reach, reachAtEnd } from './results/reach.ts'
export { readConversations, recordedData } from './results/read-conversations.ts'
export {
  type Needs,
  type Pair,
  type PopulationRow,
  type ResultsReport,
  type RunRatio,
  renderResults,
  reportOnResults,
} from './results/results-report.ts'
export { twentyResults } from './results/twenty-results.ts'
export { type ResultPart, resultText, wireText } from './results/wire-text.ts'
