import {
  createInMemoryLedger,
  createResultPolicy,
  type PolicySettingsSource,
  recallToolName,
} from '@symfonic/result-policy'
import { aiSdkTranscript, compactToolResults, recallTool } from '@symfonic/result-policy/ai-sdk'
import { asSchema } from 'ai'
import type { HistoryPolicy } from './history-policy.ts'

/** The model whose prices decide; `sonnetPrices` are its own. */
const modelName = 'claude-sonnet-4-5'

/** Longer than a model may search for; the beginning of a value finds the rest as well. */
const maxSearchChars = 200

/**
 * `@symfonic/result-policy` as it comes, save that it is told the model: its ledger in memory, its `prepareStep`
 * and its recall tool.
 *
 * @param settings - What departs from the defaults.
 */
export function ourPolicy(settings: PolicySettingsSource = {}): HistoryPolicy {
  const place = { scopeKey: 'replay', thread: 'recorded run' }
  const { description, inputSchema } = recallTool(createInMemoryLedger(), place)
  return {
    name: 'symfonic result-policy',
    toolText: JSON.stringify([recallToolName, description, asSchema(inputSchema).jsonSchema]),
    open: ({ id }) => {
      const ledger = createInMemoryLedger()
      const whose = { ...place, thread: id }
      const policy = createResultPolicy(
        { modelName, ...settings },
        { transcript: aiSdkTranscript, ledger },
      )
      const { prepareStep } = compactToolResults(policy, whose)
      const tool = recallTool(ledger, whose)
      return {
        prepare: async (history) => {
          const { messages } = await prepareStep({ messages: [...history] })
          return messages
        },
        recall: async ({ value, stub }) => {
          const resultId = /\bid (r_[0-9a-f]+)/.exec(stub)?.[1]
          if (resultId === undefined) return undefined
          const input = { id: resultId, search: value.slice(0, maxSearchChars) }
          const about = { toolCallId: 'recall', messages: [], context: undefined }
          return {
            toolName: recallToolName,
            input,
            text: String(await tool.execute?.(input, about)),
          }
        },
      }
    },
  }
}
