import { isDeepStrictEqual } from 'node:util'
import type { ModelMessage } from 'ai'
import type { RecordedStep, Recording } from './recording.ts'

/**
 * A message in the format of the record, stripped to what a conversation is: who spoke, what was
 * said, called and answered. `isError` is there when it is true.
 */
export type RecordMessage =
  | { readonly role: 'user'; readonly content: string }
  | {
      readonly role: 'assistant'
      readonly content: string
      readonly toolCalls?: readonly {
        readonly id: string
        readonly name: string
        readonly args: unknown
      }[]
    }
  | {
      readonly role: 'tool'
      readonly content: string
      readonly toolCallId: string
      readonly toolName: string
      readonly isError?: true
    }

/** A result that stands in the place of a recorded one, such as a refusal. */
export interface ReplacedResult {
  readonly messageIndex: number
  readonly callId: string
  /** What the model read instead, marked as an error. */
  readonly message: string
}

/**
 * The conversation of a recording, message by message; results in the order of their calls.
 *
 * @param replaced - Calls that were answered otherwise than recorded.
 */
export function recordOf(
  { opening, turns }: Recording,
  replaced: readonly ReplacedResult[] = [],
): RecordMessage[] {
  return [
    ...opening.map((content): RecordMessage => ({ role: 'assistant', content })),
    ...turns.flatMap(({ asked, steps }) => [
      ...asked.map((content): RecordMessage => ({ role: 'user', content })),
      ...steps.flatMap((step) => messagesOf(step, replaced)),
    ]),
  ]
}

/**
 * A transcript of a kernel in the format of the record. Texts of one message are joined; an output
 * of type `text` or `error-text` is the result word for word, any other is written as JSON.
 */
export function toRecord(transcript: readonly ModelMessage[]): RecordMessage[] {
  return transcript.flatMap((message): RecordMessage[] => {
    switch (message.role) {
      case 'user':
        return [{ role: 'user', content: textOf(message.content) }]
      case 'assistant': {
        const { content } = message
        const parts = typeof content === 'string' ? [] : content
        const toolCalls = parts.flatMap((part) =>
          part.type === 'tool-call'
            ? [{ id: part.toolCallId, name: part.toolName, args: part.input }]
            : [],
        )
        const calls = toolCalls.length > 0 ? { toolCalls } : {}
        return [{ role: 'assistant', content: textOf(content), ...calls }]
      }
      case 'tool':
        return message.content.flatMap((part) =>
          part.type === 'tool-result' ? [toResult(part)] : [],
        )
      default:
        // A kernel keeps no system messages in its transcript.
        return []
    }
  })
}

/** The first place where two conversations part; undefined when they are the same. */
export interface Divergence {
  /** Index of the message, from 0, in the conversations compared. */
  readonly index: number
  readonly expected: RecordMessage | undefined
  readonly actual: RecordMessage | undefined
}

/** Compares two conversations, deeply and strictly. */
export function firstDivergence(
  expected: readonly RecordMessage[],
  actual: readonly RecordMessage[],
): Divergence | undefined {
  const length = Math.max(expected.length, actual.length)
  for (let index = 0; index < length; index += 1) {
    if (isDeepStrictEqual(expected[index], actual[index])) continue
    return { index, expected: expected[index], actual: actual[index] }
  }
  return undefined
}

function messagesOf(
  { messageIndex, content, calls }: RecordedStep,
  replaced: readonly ReplacedResult[],
): RecordMessage[] {
  const toolCalls = calls.map(({ id, name, args }) => ({ id, name, args }))
  return [
    { role: 'assistant', content, ...(calls.length > 0 && { toolCalls }) },
    ...calls.map(({ id, name, result }): RecordMessage => {
      const other = replaced.find((one) => one.messageIndex === messageIndex && one.callId === id)
      return toolMessage(id, name, other?.message ?? result.content, other ? true : result.isError)
    }),
  ]
}

type Part = Exclude<ModelMessage['content'], string>[number]
type ResultPart = Extract<Part, { type: 'tool-result' }>

function toResult({ toolCallId, toolName, output }: ResultPart): RecordMessage {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return toolMessage(toolCallId, toolName, output.value, output.type === 'error-text')
    case 'execution-denied':
      return toolMessage(toolCallId, toolName, output.reason ?? '', true)
    default:
      return toolMessage(
        toolCallId,
        toolName,
        JSON.stringify(output.value),
        output.type === 'error-json',
      )
  }
}

function toolMessage(toolCallId: string, toolName: string, content: string, isError: boolean) {
  const failed = isError ? { isError } : {}
  return { role: 'tool', content, toolCallId, toolName, ...failed } as const
}

function textOf(content: string | readonly Part[]): string {
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}
