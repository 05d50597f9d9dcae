import type { RecallSignal } from './signal.ts'

/** How recall weighs what it finds. Every number can be set; the defaults were measured on LoCoMo. */
export interface RecallSettings {
  /**
   * What each signal counts; 0 switches it off, and nothing is read for it. `text`, `vector` and `dates`
   * find, and are fused by rank. `neighbours`, `conversation` and `links` add so much of the scores that are
   * passed on. `author`, `recency`, `importance`, `correction` and `substance` raise a score by that share at
   * most. `questions` lowers it, for an entry that only asks, and what such an entry gives to what was said before it.
   */
  readonly weights: Readonly<Record<RecallSignal, number>>
  /** How flat the fusion is, from 0: rank counts `(rankOffset + 1) / (rankOffset + rank)`. */
  readonly rankOffset: number
  /** Results taken of each search, 1 to 500. */
  readonly candidates: number
  /** The best results whose neighbours and links are looked at, 0 to 100. */
  readonly anchors: number
  /** Steps to either side in a conversation, 0 to 10. */
  readonly neighbourRadius: number
  /** What a neighbour gets of its anchor's score, for each step beyond the first. */
  readonly neighbourShare: number
  /** Links followed one after another, 0 to 2. */
  readonly linkHops: number
  /** What a linked entry gets of its anchor's score, for each hop. */
  readonly linkShare: number
  /** How long it takes for a memory to fade to one half. */
  readonly halfLifeMs: number
}

/** The settings that recall has unless it is told others. */
export const defaultRecallSettings: RecallSettings = Object.freeze({
  weights: Object.freeze({
    text: 1,
    vector: 1,
    dates: 0.3,
    neighbours: 0.3,
    conversation: 0.5,
    links: 0.6,
    author: 0.5,
    recency: 0.05,
    importance: 0.1,
    correction: 1,
    questions: 0.5,
    substance: 0.3,
  }),
  rankOffset: 20,
  candidates: 100,
  anchors: 10,
  neighbourRadius: 2,
  neighbourShare: 0.5,
  linkHops: 2,
  linkShare: 0.5,
  halfLifeMs: 30 * 86_400_000,
})
