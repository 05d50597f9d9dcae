import type { ModelMessage } from 'ai'

/**
 * A call and its result, as a transcript has them. For tests of what is reduced from a transcript.
 *
 * @param answer - Text stays as it is, other data becomes JSON text.
 * @param failed - Default false: the call has succeeded.
 */
export function madeCall(
  toolName: string,
  input: unknown,
  answer: unknown,
  failed = false,
): ModelMessage[] {
  const value = typeof answer === 'string' ? answer : JSON.stringify(answer)
  const output = { type: failed ? 'error-text' : 'text', value } as const
  const about = { toolCallId: 'a', toolName }
  return [
    { role: 'assistant', content: [{ type: 'tool-call', ...about, input }] },
    { role: 'tool', content: [{ type: 'tool-result', ...about, output }] },
  ]
}
