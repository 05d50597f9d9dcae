import { contentText, isViewable, type ToolResultView, type Transcript } from './transcript.ts'

/**
 * A message in the neutral shape of chat logs. A tool message answers one call.
 */
export interface PlainMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  /** A text, or a list of parts such as `{ type: 'text', text }`. */
  readonly content?: unknown
  /** The calls of an assistant message. */
  readonly toolCalls?: readonly PlainToolCall[] | undefined
  /** Which call a tool message answers. */
  readonly toolCallId?: string | undefined
  readonly toolName?: string | undefined
  /** Whether the tool failed. Default: it did not. */
  readonly isError?: boolean | undefined
}

/** One call of an assistant message. */
export interface PlainToolCall {
  readonly id: string
  readonly name: string
  readonly args?: unknown
}

/** How to read messages in the neutral shape (RES-04..14). */
export const plainTranscript: Transcript<PlainMessage> = Object.freeze({
  roleOf: ({ role }: PlainMessage) => role,
  textOf({ role, content, toolCalls = [] }: PlainMessage) {
    const said = role === 'tool' ? '' : contentText(content)
    return said + toolCalls.map(({ name, args }) => name + contentText(args)).join('')
  },
  resultsOf(message: PlainMessage) {
    return message.role === 'tool' ? [resultOf(message)] : []
  },
  callsOf({ role, toolCalls = [] }: PlainMessage) {
    if (role !== 'assistant') return []
    return toolCalls.map(({ id, name, args }) => ({ toolCallId: id, toolName: name, input: args }))
  },
  withTexts(message: PlainMessage, texts: ReadonlyMap<number, string>) {
    const content = texts.get(0)
    return content === undefined ? message : { ...message, content }
  },
})

function resultOf(message: PlainMessage): ToolResultView {
  const { toolCallId = '', toolName = '', content, isError = false } = message
  return {
    toolCallId,
    toolName,
    text: contentText(content),
    isViewable: isViewable(content),
    isError,
  }
}
