import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { type HistoryPolicy, resultText, wireText } from '@symfonic/replay/results'
import type { ModelMessage } from 'ai'
import { ClearToolUsesEdit } from 'langchain'

/**
 * LangChain's context editing: its own edit over LangChain messages, as its middleware applies it before each
 * model call. A result it clears is gone.
 *
 * @param name - What the table calls it.
 * @param config - As `ClearToolUsesEdit` takes it. Nothing: from 100,000 tokens on, keep the last three.
 */
export function langchainContextEditing(
  name: string,
  config?: ConstructorParameters<typeof ClearToolUsesEdit>[0],
): HistoryPolicy {
  const edit = new ClearToolUsesEdit(config)
  const model = new FakeListChatModel({ responses: [''] })
  return {
    name,
    open: () => ({
      prepare: async (history) => {
        const rows = history.flatMap(toRows)
        const messages = rows.map(({ message }) => message)
        await edit.apply({ messages, model, countTokens })
        // The edit takes away results without a call, of which there are none here.
        if (messages.length !== rows.length) throw new Error('The edit removed messages.')
        return withContents(history, messages)
      },
    }),
  }
}

function toRows(message: ModelMessage): { message: BaseMessage }[] {
  const { role, content } = message
  if (role === 'system') return [{ message: new SystemMessage(content) }]
  if (role === 'user') return [{ message: new HumanMessage(wireText(message)) }]
  if (role === 'assistant') {
    const parts = typeof content === 'string' ? [] : content
    const calls = parts.filter((part) => part.type === 'tool-call')
    const said = typeof content === 'string' ? content : textOf(parts)
    return [
      {
        message: new AIMessage({
          content: said,
          tool_calls: calls.map(({ toolCallId, toolName, input }) => ({
            ...{ id: toolCallId, name: toolName },
            args: Object(input),
          })),
        }),
      },
    ]
  }
  return content
    .filter((part) => part.type === 'tool-result')
    .map((part) => ({
      message: new ToolMessage({
        ...{ tool_call_id: part.toolCallId, name: part.toolName },
        content: resultText(part),
      }),
    }))
}

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map(({ type, text }) => (type === 'text' ? text : '')).join('')
}

/** The history with what the tool messages say now, in their order. */
function withContents(
  history: readonly ModelMessage[],
  messages: readonly BaseMessage[],
): ModelMessage[] {
  const contents = messages.filter(ToolMessage.isInstance).map(({ text }) => text)
  return history.map((message) => {
    if (message.role !== 'tool') return message
    return {
      ...message,
      content: message.content.map((part) =>
        part.type === 'tool-result'
          ? { ...part, output: { type: 'text' as const, value: contents.shift() ?? '' } }
          : part,
      ),
    }
  })
}

/** Characters by four, as its middleware counts by default. */
function countTokens(messages: BaseMessage[]): number {
  const chars = messages.map(
    (message) =>
      message.text.length +
      (AIMessage.isInstance(message) && message.tool_calls?.length
        ? JSON.stringify(message.tool_calls).length
        : 0),
  )
  return Math.ceil(chars.reduce((sum, length) => sum + length, 0) / 4)
}
