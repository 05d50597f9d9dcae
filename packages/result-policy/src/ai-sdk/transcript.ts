import type { ToolCallView, ToolResultView, Transcript } from '../transcript.ts'
import type { LanguageModelMiddleware, ModelMessage } from './sdk.ts'

type TransformParams = NonNullable<LanguageModelMiddleware['transformParams']>

/** A message of a prompt as a language model is given it. */
export type PromptMessage = Parameters<TransformParams>[0]['params']['prompt'][number]

/** A message of an app, or of a prompt below it: both hold tool results in the same shape. */
export type SdkMessage = ModelMessage | PromptMessage

/** Characters that an image or another file counts for: some 1,500 tokens. */
const fileChars = 6000
const filePlaceholder = ' '.repeat(fileChars)

/**
 * How to read and rewrite messages of the AI SDK (RES-04..14, OPEN-RES-4).
 *
 * A result's text is that of its output: `text` and `error-text` as they are, `json` and `error-json`
 * as JSON, `content` its texts in a row. A content part of any kind but `text` makes it viewable. A
 * rewritten result keeps its error-ness, its ids, its name and all provider options.
 *
 * What is not in the shape of the SDK is left as it is: a result without a readable output has no text,
 * any other part is counted where it can be.
 *
 * A result in an assistant message is of a tool that the provider ran. The provider wants it back as
 * it was, so it counts as a part of the message and is never rewritten.
 */
export const aiSdkTranscript: Transcript<SdkMessage> = Object.freeze({
  roleOf: ({ role }: SdkMessage) => role,
  textOf({ role, content }: SdkMessage) {
    if (typeof content === 'string') return content
    const parts = partsOf(content)
    return parts.map((part) => (role === 'tool' && isResult(part) ? '' : textOfPart(part))).join('')
  },
  resultsOf({ role, content }: SdkMessage) {
    return role === 'tool' ? partsOf(content).filter(isResult).map(viewOf) : []
  },
  callsOf({ role, content }: SdkMessage) {
    return role === 'assistant' ? partsOf(content).flatMap(callOf) : []
  },
  withTexts(message: SdkMessage, texts: ReadonlyMap<number, string>) {
    let position = -1
    const content = partsOf(message.content).map((part) => {
      if (!isResult(part)) return part
      position += 1
      const text = texts.get(position)
      const { output } = part
      if (text === undefined || !isPart(output)) return part
      return { ...part, output: withText(output, text) }
    })
    return { ...message, content } as SdkMessage
  },
})

/** What all parts and outputs have in common is their type; nothing else is sure. */
interface Part {
  readonly type: string
  readonly [field: string]: unknown
}

function partsOf(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : []
}

function isPart(part: unknown): part is Part {
  return (
    typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string'
  )
}

function isResult(part: unknown): part is Part {
  return isPart(part) && part.type === 'tool-result'
}

function callOf(part: unknown): ToolCallView[] {
  if (!isPart(part) || part.type !== 'tool-call') return []
  const { toolCallId, toolName, input } = part
  if (typeof toolCallId !== 'string' || typeof toolName !== 'string') return []
  return [{ toolCallId, toolName, input }]
}

function textOfPart(part: unknown): string {
  if (!isPart(part)) return ''
  switch (part.type) {
    case 'tool-result':
      return viewOf(part).text ?? ''
    case 'tool-approval-request':
    case 'tool-approval-response':
      return ''
    case 'tool-call': {
      const { toolName, input } = part
      return (typeof toolName === 'string' ? toolName : '') + inputText(input)
    }
    default: {
      const { text } = part
      return typeof text === 'string' ? text : filePlaceholder
    }
  }
}

/** Arguments outlive the messages around them as well. */
const inputs = new WeakMap<object, string>()

function inputText(input: unknown): string {
  if (typeof input !== 'object' || input === null) return jsonOf(input) ?? ''
  const known = inputs.get(input) ?? jsonOf(input) ?? ''
  inputs.set(input, known)
  return known
}

/** Outputs are immutable and outlive the messages around them, which the SDK makes anew. */
const texts = new WeakMap<Part, { readonly text: string | undefined }>()

function viewOf({ toolCallId, toolName, output }: Part): ToolResultView {
  const isNamed = typeof toolCallId === 'string' && typeof toolName === 'string'
  if (!isNamed || !isPart(output)) return unreadable
  const known = texts.get(output) ?? { text: textOfOutput(output) }
  texts.set(output, known)
  const { type, value } = output
  return {
    toolCallId,
    toolName,
    text: known.text,
    isViewable: type === 'content' && !partsOf(value).every(isText),
    isError: type.startsWith('error-') || type === 'execution-denied',
  }
}

/** How a result looks that is not in the shape of the SDK. */
const unreadable: ToolResultView = Object.freeze({
  toolCallId: '',
  toolName: '',
  text: undefined,
  isViewable: false,
  isError: false,
})

function isText(part: unknown): part is Part & { readonly text: string } {
  if (!isPart(part)) return false
  const { type, text } = part
  return type === 'text' && typeof text === 'string'
}

function textOfOutput({ type, value, reason }: Part): string | undefined {
  switch (type) {
    case 'text':
    case 'error-text':
      return typeof value === 'string' ? value : undefined
    case 'json':
    case 'error-json':
      return jsonOf(value)
    case 'content':
      if (!Array.isArray(value)) return undefined
      return partsOf(value)
        .filter(isText)
        .map(({ text }) => text)
        .join('')
    case 'execution-denied':
      return typeof reason === 'string' ? reason : ''
    default:
      // A kind of output that came later: it cannot be rewritten without knowing it.
      return undefined
  }
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // It holds itself, or a BigInt: no provider could be sent it either.
    return undefined
  }
}

/** The same output with another text. Provider options stay, those of a content part as well. */
function withText(output: Part, text: string): Part {
  if (output.type === 'content') {
    const { value } = output
    const part = partsOf(value).findLast((part) => isPart(part) && 'providerOptions' in part)
    return { ...output, value: [{ ...(isPart(part) && part), type: 'text', text }] }
  }
  const type = output.type.startsWith('error-') ? 'error-text' : 'text'
  return { ...output, type, value: text }
}
