import type { ModelMessage, ToolContent, ToolModelMessage } from 'ai'
import { KernelError } from './errors.ts'
import { errorOutput, isFailure } from './tool-output.ts'

/**
 * A restored transcript, made fit to send: every tool call is answered before the next user or
 * assistant message, as providers demand. A call nobody answered (a crash, an aborted run of another
 * agent) gets an error result which says so. Nothing is dropped; with nothing to mend the given list
 * comes back.
 *
 * Ids are matched within one assistant message and the results behind it, since real providers reuse
 * ids later in a conversation.
 *
 * @throws KernelError `KERNEL_INPUT_INVALID` for a result without its call.
 */
export function answerEveryCall(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const mended: ModelMessage[] = []
  let open = new Map<string, string>()
  let mendedAny = false

  const close = () => {
    if (open.size === 0) return
    mendedAny = true
    mended.push(unansweredResults(open))
    open = new Map()
  }

  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      for (const part of message.content) {
        if (part.type !== 'tool-result') continue
        if (!open.delete(part.toolCallId)) throw orphan(index, part.toolCallId)
      }
    } else {
      close()
      if (message.role === 'assistant') open = callsIn(message)
    }
    mended.push(message)
  }
  close()
  return mendedAny ? mended : messages
}

/** Names of the tools that have succeeded since the last user message (DESIGN decision 6). */
export function calledSinceUser(messages: readonly ModelMessage[]): Set<string> {
  const called = new Set<string>()
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index]
    if (message === undefined || message.role === 'user') break
    if (message.role !== 'tool') continue
    for (const part of message.content) {
      if (part.type === 'tool-result' && !isFailure(part.output)) called.add(part.toolName)
    }
  }
  return called
}

function callsIn(message: Extract<ModelMessage, { role: 'assistant' }>): Map<string, string> {
  const calls = new Map<string, string>()
  if (typeof message.content === 'string') return calls
  for (const part of message.content) {
    if (part.type === 'tool-call' && !part.providerExecuted)
      calls.set(part.toolCallId, part.toolName)
  }
  return calls
}

function unansweredResults(open: ReadonlyMap<string, string>): ToolModelMessage {
  const content: ToolContent = []
  for (const [toolCallId, toolName] of open) {
    content.push({
      type: 'tool-result',
      toolCallId,
      toolName,
      output: errorOutput(
        'No result was recorded for this call; whether it ran is not known. Check before you repeat it.',
      ),
    })
  }
  return { role: 'tool', content }
}

function orphan(index: number, toolCallId: string): KernelError {
  return new KernelError(
    'KERNEL_INPUT_INVALID',
    `history[${index}] holds a result for the tool call "${toolCallId}", which no assistant message before it made. Give the history with call and result together.`,
    { details: { field: 'history', index, toolCallId } },
  )
}
