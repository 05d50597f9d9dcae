import { compareRecall, type RecallGoal } from '../recall/compare-recall.ts'
import { readConversations } from '../recall/conversations.ts'
import type { ComputedSuite } from '../suite.ts'

/** Six long conversations of two people and what one may ask about them; some questions have no answer. */
export const memoryLocomo = recallSuite('locomo', { factor: 1.15, apart: 'adversarial' })

/** Three users who tell about themselves, and what an assistant should know afterwards. */
export const memoryBfcl = recallSuite('bfcl-memory', { factor: 0.98 })

function recallSuite(data: 'locomo' | 'bfcl-memory', goal: RecallGoal): ComputedSuite {
  return {
    name: data === 'locomo' ? 'memory/locomo' : 'memory/bfcl',
    async compute() {
      const conversations = readConversations(data)
      if (conversations === undefined) {
        return { text: `skipped: the folder shared/data/${data} is not there.`, ratios: [] }
      }
      return compareRecall(conversations, goal)
    },
  }
}
