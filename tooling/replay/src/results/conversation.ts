import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from 'ai'
import { z } from 'zod'
import { ReplayError } from '../errors.ts'
import type { RecordPlace } from '../parse-recording.ts'

/** A recorded conversation as the messages of an AI SDK app. */
export interface Conversation {
  readonly id: string
  /** What it is counted with, such as `coding` or `airline`. */
  readonly population: string
  /** A system message first, where the record or its policy file has one. */
  readonly messages: readonly ModelMessage[]
}

const text = z
  .string()
  .nullish()
  .transform((content) => content ?? '')

const runSchema = z.looseObject({
  id: z.string().min(1),
  domain: z.string().default('unknown'),
  policyRef: z.string().optional(),
  messages: z.array(
    z.looseObject({
      role: z.enum(['system', 'user', 'assistant', 'tool']),
      content: text,
      requestor: z.string().optional(),
      isError: z.boolean().optional(),
      toolCallId: z.string().optional(),
      toolCalls: z
        .array(
          z.looseObject({
            id: z.string(),
            name: z.string(),
            args: z.unknown(),
            requestor: z.string().optional(),
          }),
        )
        .nullish()
        .transform((calls) => calls ?? []),
    }),
  ),
})

type Written = z.infer<typeof runSchema>['messages'][number]

/**
 * Checks one record and writes it as messages: the results behind a message of the assistant are one tool
 * message. What runs on the user's own device (`requestor: 'user'`) and messages that hold nothing are left out.
 * Unlike `parseRecording` it takes a run whose last calls were never answered.
 *
 * @param policyOf - The text of the file that `policyRef` names; undefined where there is none.
 * @throws ReplayError `REPLAY_RECORD_INVALID`: no run, or a result that answers no call before it.
 */
export function parseConversation(
  value: unknown,
  { policyOf, ...place }: RecordPlace & { policyOf: (ref: string) => string | undefined },
): Conversation {
  const parsed = runSchema.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw invalid(place, issue?.path.join('.') ?? '', issue?.message ?? 'it is no run')
  }
  const { id, domain, policyRef, messages } = parsed.data
  const policy = policyRef === undefined ? undefined : policyOf(policyRef)
  return {
    id,
    population: domain.startsWith('mcp-') ? 'mcp' : domain,
    messages: [
      ...(policy === undefined ? [] : [{ role: 'system' as const, content: policy }]),
      ...messagesOf(messages, { ...place, run: id }),
    ],
  }
}

function messagesOf(written: readonly Written[], place: RunPlace): ModelMessage[] {
  const messages: ModelMessage[] = []
  const names = new Map<string, string>()
  for (const [index, message] of written.entries()) {
    const { role, content } = message
    if (role === 'tool') {
      if (message.requestor === 'user') continue
      const { toolCallId = '' } = message
      const toolName = names.get(toolCallId)
      if (toolName === undefined) throw invalid(place, `messages.${index}`, 'it answers no call')
      const isError = message.isError ?? content.startsWith('Error:')
      append(messages, {
        type: 'tool-result',
        toolCallId,
        toolName,
        output: { type: isError ? 'error-text' : 'text', value: content },
      })
      continue
    }
    if (role !== 'assistant') {
      if (content !== '') messages.push({ role, content })
      continue
    }
    const calls = message.toolCalls.filter(({ requestor }) => requestor !== 'user')
    for (const { id, name } of calls) names.set(id, name)
    if (content === '' && calls.length === 0) continue
    messages.push(assistant(content, calls))
  }
  return messages
}

function assistant(content: string, calls: Written['toolCalls']): AssistantModelMessage {
  return {
    role: 'assistant',
    content: [
      ...(content === '' ? [] : [{ type: 'text' as const, text: content }]),
      ...calls.map(({ id, name, args }) => ({
        type: 'tool-call' as const,
        ...{ toolCallId: id, toolName: name, input: args ?? {} },
      })),
    ],
  }
}

function append(messages: ModelMessage[], part: ToolModelMessage['content'][number]): void {
  const last = messages.at(-1)
  if (last?.role === 'tool') last.content.push(part)
  else messages.push({ role: 'tool', content: [part] })
}

interface RunPlace extends RecordPlace {
  readonly run?: string
}

function invalid(place: RunPlace, path: string, what: string): ReplayError {
  const { file, line, run } = place
  const where = [run ?? '', path].filter((part) => part !== '').join(', ')
  return new ReplayError(
    'REPLAY_RECORD_INVALID',
    `${file}:${line} cannot be replayed${where && ` (${where})`}: ${what}. Mend the line or remove it.`,
    { details: { ...place, path } },
  )
}
