import type { ModelMessage, ToolCallPart, ToolModelMessage } from 'ai'
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
 * @param field - What the caller calls the list: errors name it.

 * @throws KernelError `KERNEL_INPUT_INVALID` for a result without its call, and for what is no message.
 */
export function answerEveryCall(
  messages: readonly ModelMessage[],
  field = 'history',
): readonly ModelMessage[] {
  if (!Array.isArray(messages)) {
    const message = `${field} is not a list. Give messages of the AI SDK.`
    throw new KernelError('KERNEL_INPUT_INVALID', message, { details: { field } })
  }
  const mended: ModelMessage[] = []
  let open: ToolCallPart[] = []
  let theirs: ToolCallPart[] = []
  let mendedAny = false

  const close = () => {
    if (open.length > 0) {
      mendedAny = true
      mended.push(unansweredResults(open))
    }
    open = []
    theirs = []
  }

  for (const [index, message] of messages.entries()) {
    if (!isReadable(message)) throw unreadable(field, index)
    if (message.role === 'tool') {
      for (const part of message.content) {
        if (part.type !== 'tool-result') continue
        // One call a result: models repeat ids even within a message.
        const answered = open.findIndex((call) => call.toolCallId === part.toolCallId)
        if (answered >= 0) open.splice(answered, 1)
        // The SDK writes down here that a call of the provider's was denied.
        else if (!theirs.some((call) => call.toolCallId === part.toolCallId)) {
          throw orphan(field, index, part.toolCallId)
        }
      }
    } else {
      close()
      if (message.role === 'assistant') {
        const calls = callsIn(message)
        open = calls.filter((call) => !call.providerExecuted)
        theirs = calls.filter((call) => call.providerExecuted)
      }
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

/** Enough of a message to be read here; whoever takes a history in has checked it whole. */
function isReadable(message: Partial<ModelMessage> | null | undefined): boolean {
  const content: unknown = message?.content
  if (typeof content === 'string') return message?.role !== 'tool'
  return (
    Array.isArray(content) && content.every((part) => typeof part === 'object' && part !== null)
  )
}

function unreadable(field: string, index: number): KernelError {
  return new KernelError(
    'KERNEL_INPUT_INVALID',
    `${field}[${index}] is not a message of the AI SDK. Store and restore messages unchanged.`,
    { details: { field, index } },
  )
}

function callsIn({ content }: Extract<ModelMessage, { role: 'assistant' }>): ToolCallPart[] {
  return typeof content === 'string' ? [] : content.filter((part) => part.type === 'tool-call')
}

function unansweredResults(open: readonly ToolCallPart[]): ToolModelMessage {
  return {
    role: 'tool',
    content: open.map(({ toolCallId, toolName }) => ({
      type: 'tool-result',
      toolCallId,
      toolName,
      output: errorOutput(
        'No result was recorded for this call; whether it ran is not known. Check before you repeat it.',
      ),
    })),
  }
}

function orphan(field: string, index: number, toolCallId: string): KernelError {
  return new KernelError(
    'KERNEL_INPUT_INVALID',
    `${field}[${index}] holds a result for the tool call "${toolCallId}", which no assistant message before it made. Give the history with call and result together.`,
    { details: { field, index, toolCallId } },
  )
}
