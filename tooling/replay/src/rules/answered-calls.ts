import type { TurnView } from '@symfonic/kernel'

/** A call that has succeeded. */
export interface AnsweredCall {
  readonly toolName: string
  readonly input: unknown
  /** The result as data: text that is JSON is parsed, other text stays text. */
  readonly answer: unknown
}

/**
 * The calls of a transcript that have succeeded, in order. Failures, refusals and denials are left
 * out: they show nothing and change nothing.
 *
 * A result belongs to the message of the assistant before it; its id alone would not do, since
 * recorded runs use ids again.
 */
export function answeredCalls(messages: TurnView['messages']): AnsweredCall[] {
  const answered: AnsweredCall[] = []
  let inputs = new Map<string, unknown>()
  for (const { role, content } of messages) {
    if (typeof content === 'string') continue
    if (role === 'assistant') inputs = new Map()
    for (const part of content) {
      if (part.type === 'tool-call') inputs.set(part.toolCallId, part.input)
      if (part.type !== 'tool-result') continue
      const { toolCallId, toolName, output } = part
      if (output.type !== 'text' && output.type !== 'json') continue
      const answer = output.type === 'text' ? parsed(output.value) : output.value
      answered.push({ toolName, input: inputs.get(toolCallId), answer })
    }
  }
  return answered
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
