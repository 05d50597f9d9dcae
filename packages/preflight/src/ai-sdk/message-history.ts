import { type HistoryEntry, toolsCalledThisTurn } from '../tool-history.ts'
import type { ModelMessage } from './sdk.ts'
import { isSuccess } from './tool-output.ts'

/**
 * The tools that succeeded since the last user message, read from messages of the AI SDK.
 *
 * A result counts when the model reads it as one: errors and denials do not, nor does anything that
 * cannot be recognised. Results of tools that a provider runs stand in assistant messages and count
 * as well.
 *
 * @returns A new set; the caller may add to it.
 * @see DESIGN decision 6
 */
export function calledThisTurn(messages: readonly ModelMessage[]): Set<string> {
  return toolsCalledThisTurn(resultsSinceUser(messages))
}

function resultsSinceUser(messages: readonly ModelMessage[]): HistoryEntry[] {
  const results: HistoryEntry[] = []
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    // Messages come from stores: no shape is sure.
    const message = messages[index] as Partial<ModelMessage> | null | undefined
    if (message?.role === 'user') break
    if (!Array.isArray(message?.content)) continue
    for (const part of message.content) {
      if (part?.type !== 'tool-result') continue
      const { toolName, output } = part
      results.push({ type: 'tool-result', toolName, failed: !isSuccess(output) })
    }
  }
  return results
}
