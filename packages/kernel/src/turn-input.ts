import {
  type FilePart,
  generateId,
  type ModelMessage,
  modelMessageSchema,
  type TextPart,
  type UserModelMessage,
} from 'ai'
import { KernelError } from './errors.ts'
import type { Scope } from './scope.ts'
import { answerEveryCall } from './transcript.ts'
import { isOurs } from './turn-state.ts'

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
  /**
   * The conversation this turn belongs to; echoed on the result and in events. What a turn is compared
   * with in `result.cache` is the last one of its session and scope, and `withResultPolicy` keeps the
   * bytes of its stubs from turn to turn of a session. A turn without one stands alone. Default: none.
   */
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
  /** Longest turn in milliseconds, besides the kernel's own limit. */
  readonly timeoutMs?: number | undefined
}

/**
 * Checks a turn's input at the boundary.
 *
 * @throws KernelError `KERNEL_INPUT_INVALID`; `details.field` says which field.
 */
export function parseTurnInput(input: TurnInput): TurnRequest {
  return reading('input', () => {
    if (typeof input !== 'object' || input === null) {
      throw invalid('input', 'The turn input is not an object. Give at least { query }.')
    }
    refuseUnknown('input', input, [...inputNames, 'signal', ...optionNames])
    const { attachments = [] } = input
    if (typeof input.query !== 'string') {
      throw invalid('query', `query is ${typeof input.query}. Give what the user said as a string.`)
    }
    // Providers refuse half a surrogate pair.
    const query = input.query.toWellFormed()
    if (!Array.isArray(attachments)) {
      throw invalid('attachments', 'attachments is not a list. Give files and texts in one.')
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
      history: answerEveryCall(parseTranscript(input.history ?? [], 'history')),
      asked: parseMessages([user], 'attachments'),
    }
  })
}

/**
 * The same for a conversation as the AI SDK's agents are given it: the last user message is this
 * turn's; a conversation that ends with tool results is continued.
 */
export function parseConversation(
  messages: readonly ModelMessage[],
  options: TurnOptions = {},
  signal?: AbortSignal,
): TurnRequest {
  return reading('messages', () => {
    const transcript = parseTranscript(messages, 'messages')
    const last = transcript.at(-1)
    if (last === undefined) throw invalid('messages', 'There are no messages. Give at least one.')
    const continues = last.role !== 'user'
    if (typeof options !== 'object' || options === null) {
      throw invalid(
        'options',
        `options is ${options === null ? 'null' : typeof options}. Give an object.`,
      )
    }
    refuseUnknown('options', options, optionNames)
    return {
      ...parseTurnOptions({ ...options, signal }),
      query: continues ? '' : textOf(last).toWellFormed(),
      history: answerEveryCall(continues ? transcript : transcript.slice(0, -1), 'messages'),
      asked: continues ? [] : [wellFormed(last)],
    }
  })
}

const inputNames = ['query', 'attachments', 'history']
const optionNames = ['scope', 'sessionId', 'runId', 'state']

/** A scope or a session under a misspelt name would be missing without a word. */
function refuseUnknown(field: string, given: object, known: readonly string[]) {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw invalid(
    field,
    `${field} has "${unknown.slice(0, 60)}", which is not known. Give only ${known.join(', ')}.`,
    { name: unknown },
  )
}

function parseTurnOptions(options: TurnOptions & { readonly signal?: AbortSignal | undefined }) {
  const { scope, sessionId, runId, state, signal } = options
  if (scope !== undefined && (typeof scope?.tenantId !== 'string' || scope.tenantId === '')) {
    throw invalid('scope', 'scope has no tenantId. Name the tenant, or leave the scope out.')
  }
  for (const name of ['namespace', 'userId'] as const) {
    const part: unknown = scope?.[name]
    if (part === undefined || typeof part === 'string') continue
    throw invalid(
      'scope',
      `scope.${name} is ${part === null ? 'null' : typeof part}. Give a string, or leave it out.`,
    )
  }
  if (sessionId !== undefined && typeof sessionId !== 'string') {
    throw invalid('sessionId', `sessionId is ${typeof sessionId}. Give a string.`)
  }
  if (signal && typeof signal.addEventListener !== 'function') {
    throw invalid('signal', 'signal is not an AbortSignal. Give that of an AbortController.')
  }
  return { scope, sessionId, runId: runId ? String(runId) : generateId(), state, signal }
}

function parseTranscript(messages: readonly ModelMessage[], field: string) {
  if (!Array.isArray(messages)) {
    throw invalid(field, `${field} is not a list. Give messages of the AI SDK.`)
  }
  const system = messages.findIndex((message) => message?.role === 'system')
  if (system >= 0) {
    throw invalid(
      field,
      `${field}[${system}] is a system message. Give its text as instructions or as a prompt section.`,
      { index: system },
    )
  }
  return parseMessages(messages, field)
}

function parseMessages(messages: readonly ModelMessage[], field: string): readonly ModelMessage[] {
  for (const [index, message] of messages.entries()) {
    if (isOurs(message)) continue
    const parsed = modelMessageSchema.safeParse(message)
    if (parsed.success) continue
    const issue = closest(parsed.error.issues)
    const path = issue.path.join('.')
    throw invalid(
      field,
      `${field}[${index}] is not a message of the AI SDK${path && ` (at ${path})`}: ${issue.message}. Store and restore messages unchanged.`,
      { index, path },
    )
  }
  return messages
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** Of a union: what is wrong with each of its shapes. */
  readonly errors?: readonly (readonly Issue[])[]
}

/** A message has one of several shapes. The complaint of the shape it misses by least says most. */
function closest([first, ...more]: readonly Issue[]): Issue & { readonly misses: number } {
  const { path = [], message = 'it has no shape', errors = [] } = first ?? {}
  const inner = errors
    .map(closest)
    .sort((a, b) => a.misses - b.misses || b.path.length - a.path.length)[0]
  return {
    path: [...path, ...(inner?.path ?? [])],
    message: inner?.message ?? message,
    misses: more.length + (inner?.misses ?? 1),
  }
}

function withAttachments(query: string, attachments: readonly (FilePart | TextPart)[]) {
  const text: TextPart[] = query === '' ? [] : [{ type: 'text', text: query }]
  return [...text, ...attachments.map(wellFormedPart)]
}

function wellFormed(said: UserModelMessage): UserModelMessage {
  const { content } = said
  if (typeof content === 'string') {
    return content.isWellFormed() ? said : { ...said, content: content.toWellFormed() }
  }
  const parts = content.map(wellFormedPart)
  return parts.every((part, index) => part === content[index]) ? said : { ...said, content: parts }
}

function wellFormedPart<Part extends { readonly type: string }>(part: Part): Part {
  // Not checked yet: what is no part of a message is refused as such later.
  const text: unknown = (part as { readonly text?: unknown } | null)?.text
  if (part?.type !== 'text' || typeof text !== 'string' || text.isWellFormed()) return part
  return { ...part, text: text.toWellFormed() }
}

function textOf(message: ModelMessage): string {
  if (typeof message.content === 'string') return message.content
  return message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

/** What cannot even be looked at (a getter that throws, nesting without end) is invalid as well. */
function reading<Value>(field: string, read: () => Value): Value {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof KernelError) throw cause
    const reason = cause instanceof Error ? cause.message : 'it throws'
    throw invalid(field, `${field} cannot be read: ${reason}. Give plain data.`, {}, cause)
  }
}

function invalid(
  field: string,
  message: string,
  details: Record<string, unknown> = {},
  cause?: unknown,
) {
  return new KernelError('KERNEL_INPUT_INVALID', message, {
    details: { field, ...details },
    cause,
  })
}
