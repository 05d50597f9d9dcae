import type { NetSaving } from './net-saving.ts'

/** Why a result is sent whole, or as a stub. */
export type DecisionReason =
  /** Kept: the policy is switched off. */
  | 'disabled'
  /** Kept: shorter than `minChars`. */
  | 'small'
  /** Kept: its tool's rule is `never`, or it is what a recall answered. */
  | 'never'
  /** Kept: a model looks at it rather than reads it. */
  | 'viewable'
  /** Kept: it is an error, and not larger than `largeOffloadThresholdChars`. */
  | 'error'
  /** Kept: it has no text, as a value that holds itself. */
  | 'unreadable'
  /** Kept: its digest would not be shorter. */
  | 'no-shorter'
  /** Kept: the ledger would not take it, or could not be reached. */
  | 'not-recorded'
  /** Kept for now: nobody has read it yet, it may still be in use, or a rewrite would not pay yet. */
  | 'waiting'
  /** Kept: recalls would cost more than replacing it can save. An expired cache may change that. */
  | 'no-saving'
  /** Kept: the prices could not be asked. */
  | 'price-failed'
  /** Offloaded before it was ever sent: it is large, and that pays. */
  | 'large'
  /** Offloaded before it was ever sent: its tool's rule is `always`. */
  | 'always'
  /** Offloaded before it was ever sent: its tool gave the same text the last time; that, or its stub, stands above. */
  | 'repeated'
  /** Replaced after it was read: the rewrite pays. */
  | 'pays'
  /** Replaced after it was read: the cache had expired, so the rewrite was free. */
  | 'cache-cold'
  /** Replaced because a decision log says that it was before. */
  | 'decided-before'

/** What was decided about one result, with the numbers it was decided by. */
export interface ResultDecision {
  readonly action: 'keep' | 'stub' | 'offload'
  readonly reason: DecisionReason
  readonly toolCallId: string
  readonly toolName: string
  /** Length of the whole result in characters; 0 when it has no text. */
  readonly sizeChars: number
  /** The id in the ledger; undefined for results that are never candidates. */
  readonly id?: string
  /** Length of the stub in characters, once there is one. */
  readonly stubChars?: number
  /** The arithmetic of a replaced result, and of one kept for want of a saving. */
  readonly netSaving?: NetSaving
}
