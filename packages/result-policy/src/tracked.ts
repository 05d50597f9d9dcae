import type { ResultDecision } from './decision.ts'
import type { ReadMessage, ReadResult, Replacement } from './read-message.ts'

/** One message of a conversation and what became of its results. */
export interface TrackedMessage {
  readonly reading: ReadMessage
  readonly results: readonly TrackedResult[]
}

/** One result and what became of it. */
export interface TrackedResult {
  readonly reading: ReadResult
  /** Where its tool had just given the same text: the first result of that row. */
  readonly repeatOf: TrackedResult | undefined
  /** What may stand in its place, or why nothing may: a line where it repeats, else what was read. */
  readonly replacement: Replacement
  /** Its id in the ledger; undefined while it is not recorded, and for what is never replaced. */
  id: string | undefined
  /** The decision, once it is final; candidates that wait have none or a passing one. */
  decision: ResultDecision | undefined
  isReplaced: boolean
}
