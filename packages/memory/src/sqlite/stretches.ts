import type { ConversationPlace } from '../entry.ts'
import { compareText } from '../top-list.ts'

/** A piece of a conversation, both ends included. */
export interface Stretch {
  readonly sessionId: string
  readonly from: number
  readonly to: number
}

/** The pieces of conversations within reach of any place, merged where they meet, in order. */
export function stretchesAround(
  places: readonly ConversationPlace[],
  reach: number,
): readonly Stretch[] {
  const sorted = [...places].sort(
    (one, other) => compareText(one.sessionId, other.sessionId) || one.index - other.index,
  )
  const merged: Stretch[] = []
  for (const { sessionId, index } of sorted) {
    const [from, to] = [Math.max(0, index - reach), index + reach]
    const last = merged.at(-1)
    if (last?.sessionId === sessionId && from <= last.to + 1) {
      merged[merged.length - 1] = { ...last, to }
    } else merged.push({ sessionId, from, to })
  }
  return merged
}
