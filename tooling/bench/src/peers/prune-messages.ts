import type { HistoryPolicy } from '@symfonic/replay/results'
import { pruneMessages } from 'ai'

/** How many calls with their results stay: a message each. */
const keptPairs = 3

/** `pruneMessages` of the AI SDK: all but the last three calls go, with their results. They are gone. */
export const pruneAllButThree: HistoryPolicy = {
  name: 'AI SDK pruneMessages, last 3',
  open: () => ({
    prepare: (history) =>
      pruneMessages({
        messages: [...history],
        toolCalls: `before-last-${2 * keptPairs}-messages`,
      }),
  }),
}
