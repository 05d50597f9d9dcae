import { type FilePart, generateId, type ModelMessage, modelMessageSchema, type TextPart } from 'ai'
import { KernelError } from './errors.ts'
import type { Scope } from './scope.ts'
import { answerEveryCall } from './transcript.ts'

/** What a turn is given (KERN-03). */
export interface TurnInput extends TurnOptions {
  /** What the user says. May be empty only beside attachments. */
  readonly query: string
  /** Files and further text, put behind the query in the user's message (KERN-14, KERN-15). */
  readonly attachments?: readonly (FilePart | TextPart)[]
  /** The transcript so far: `messages` of the last result. No system messages. */
  readonly history?: readonly ModelMessage[]
  /** Ends the turn early; see `turn-abort`. */
  readonly signal?: AbortSignal
}

/** What a turn may be told besides its messages. All of it is optional. */
export interface TurnOptions {
  /** Whose turn it is. Passed to capabilities and tools, never guessed. */
  readonly scope?: Scope
  /** Echoed on the result and in events. */
  readonly sessionId?: string
  /** Identity of the turn in every event and log line. Made when absent (KERN-43). */
  readonly runId?: string
  /** Runtime state for state predicates, such as `{ page_context: { platform: 'slack' } }`. */
  readonly state?: unknown
}

/** A turn's input, checked and completed. */
export interface TurnRequest {
  readonly runId: string
  readonly sessionId: string | undefined
  readonly scope: Scope | undefined
  readonly state: unknown
  readonly query: string
  readonly history: readonly ModelMessage[]
  /** The user's message of this turn, or nothing when the turn continues an answered tool call. */
  readonly asked: readonly ModelMessage[]
  readonly signal: AbortSignal | undefined
}

/**
 * Checks a turn's input at the boundary.
 *
 * @throws KernelError `KERNEL_INPUT_INVALID`; `details.field` says which field.
 */
export function parseTurnInput(input: TurnInput): TurnRequest {
  if (typeof input !== 'object' || input === null) {
    throw invalid('input', 'The turn input is not an object. Give at least { query }.')
  }
  const { query, attachments = [] } = input
  if (typeof query !== 'string') {
    throw invalid('query', `query is ${typeof query}. Give what the user said as a string.`)
  }
  if (query === '' && attachments.length === 0) {
    throw invalid('query', 'query is empty and there are no attachments. Give one of them.')
  }
  const user: ModelMessage = {
    role: 'user',
    content: attachments.length === 0 ? query : withAttachments(query, attachments),
  }
  return {
    ...parseTurnOptions(input),
    query,
    history: parseHistory(input.history ?? []),
    asked: parseMessages([user], 'attachments'),
    signal: input.signal,
  }
}

/**
 * The same for a conversation as the AI SDK's agents are given it: the last user message is this
 * turn's; a conversation that ends with tool results is continued.
 */
export function parseConversation(
  messages: readonly ModelMessage[],
  options: TurnOptions & { readonly signal?: AbortSignal | undefined },
): TurnRequest {
  const last = messages.at(-1)
  if (last === undefined) throw invalid('messages', 'There are no messages. Give at least one.')
  const continues = last.role !== 'user'
  return {
    ...parseTurnOptions(options),
    query: continues ? '' : textOf(last),
    history: parseHistory(continues ? messages : messages.slice(0, -1)),
    asked: continues ? [] : parseMessages([last], 'messages'),
    signal: options.signal,
  }
}

function parseTurnOptions(options: TurnOptions) {
  const { scope, sessionId, runId, state } = options
  if (scope !== undefined && (typeof scope?.tenantId !== 'string' || scope.tenantId === '')) {
    throw invalid('scope', 'scope has no tenantId. Name the tenant, or leave the scope out.')
  }
  if (sessionId !== undefined && typeof sessionId !== 'string') {
    throw invalid('sessionId', `sessionId is ${typeof sessionId}. Give a string.`)
  }
  return { scope, sessionId, runId: runId ? String(runId) : generateId(), state }
}

function parseHistory(history: readonly ModelMessage[]): readonly ModelMessage[] {
  if (!Array.isArray(history)) {
    throw invalid('history', 'history is not a list. Give the messages of the last result.')
  }
  const system = history.findIndex((message) => message?.role === 'system')
  if (system >= 0) {
    throw invalid(
      'history',
      `history[${system}] is a system message. Give its text as instructions or as a prompt section.`,
      { index: system },
    )
  }
  return answerEveryCall(parseMessages(history, 'history'))
}

function parseMessages(messages: readonly ModelMessage[], field: string): readonly ModelMessage[] {
  for (const [index, message] of messages.entries()) {
    const parsed = modelMessageSchema.safeParse(message)
    if (parsed.success) continue
    const [issue] = parsed.error.issues
    const path = issue?.path.join('.') ?? ''
    throw invalid(
      field,
      `${field}[${index}] is not a message of the AI SDK${path && ` (at ${path})`}: ${issue?.message}. Store and restore messages unchanged.`,
      { index, path },
    )
  }
  return messages
}

function withAttachments(query: string, attachments: readonly (FilePart | TextPart)[]) {
  const text: TextPart[] = query === '' ? [] : [{ type: 'text', text: query }]
  return [...text, ...attachments]
}

function textOf(message: ModelMessage): string {
  if (typeof message.content === 'string') return message.content
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

function invalid(field: string, message: string, details: Record<string, unknown> = {}) {
  return new KernelError('KERNEL_INPUT_INVALID', message, { details: { field, ...details } })
}
