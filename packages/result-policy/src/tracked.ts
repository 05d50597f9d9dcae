import type { ResultDecision } from './decision.ts'
import type { ReadMessage, ReadResult } from './read-message.ts'

/** One message of a conversation and what became of its results. */
export interface TrackedMessage {
  readonly reading: ReadMessage
  readonly results: readonly TrackedResult[]
}

/** One result and what became of it. */
export interface TrackedResult {
  readonly reading: ReadResult
  /** A short result that the same tool gave before, word for word, and that is still sent whole. */
  readonly isRepeat: boolean
  /** Its id in the ledger; undefined while it is not recorded, and for what is never replaced. */
  id: string | undefined
  /** The decision, once it is final; candidates that wait have none or a passing one. */
  decision: ResultDecision | undefined
  isReplaced: boolean
  /** The text that stands in its place, once it was needed. */
  stub: string | undefined
}
