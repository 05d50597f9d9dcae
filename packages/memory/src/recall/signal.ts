import type { StoredEntry } from '../entry.ts'

/** Everything that has a say in what comes to mind, in the order in which reasons are given. */
export const recallSignals = [
  'text',
  'vector',
  'dates',
  'neighbours',
  'conversation',
  'links',
  'author',
  'recency',
  'importance',
  'correction',
  'questions',
  'substance',
] as const

/** One signal by name. */
export type RecallSignal = (typeof recallSignals)[number]

/** Why an entry was recalled. */
export interface RecallReason {
  readonly signal: RecallSignal
  /** Its place in the ranking of this signal, from 1. */
  readonly rank: number
  /** What the signal ranked by; comparable within one ranking only. */
  readonly score: number
}

/** An entry that may be recalled, with the partition it was read from. */
export interface Candidate {
  /** Unique across the partitions that are read. */
  readonly key: string
  readonly entry: StoredEntry
}

/** Candidates as one signal ranks them, best first. */
export interface Ranking {
  readonly signal: RecallSignal
  readonly ranked: readonly { readonly key: string; readonly score: number }[]
}

/** Sorts scores into a ranking: highest first, then by key; what is not above 0 is left out. */
export function rankingOf(signal: RecallSignal, scores: ReadonlyMap<string, number>): Ranking {
  const ranked = [...scores]
    .filter(([, score]) => score > 0)
    .map(([key, score]) => ({ key, score }))
    .sort((one, other) => other.score - one.score || (one.key < other.key ? -1 : 1))
  return { signal, ranked }
}

/** Which conversation of which partition a candidate stands in; undefined outside of any. */
export function conversationOf({ key, entry }: Candidate): string | undefined {
  const { sequence } = entry
  return sequence && `${key.slice(0, key.indexOf(':'))}:${sequence.sessionId}`
}
