import { conversationKey } from '../conversation-key.ts'
import { MemoryError } from '../errors.ts'
import { parseId } from '../parse-entry.ts'

/** One exchange of a conversation, as a host tells it. */
export interface MemoryTurn {
  /** Names the turn. A turn told again under the same name is written once. */
  readonly turnId: string
  /** Names the conversation, however long; with an empty id, the turn is one of its own. */
  readonly sessionId: string
  /** The place of the first message in the conversation; after what is known of it by default. */
  readonly index?: number
  readonly messages: readonly TurnMessage[]
  /** What the turn was shown from memory, beside what `hydrate` gave in this process. It is not learned again. */
  readonly recalled?: readonly string[]
}

/** One message of a turn. */
export interface TurnMessage {
  /** Only what the assistant says is read for extraction blocks. */
  readonly role: 'user' | 'assistant' | 'tool'
  readonly text: string
  /** The name of the speaker, or of the tool; the role by default. */
  readonly speaker?: string
  /** Epoch milliseconds; the time of writing by default. */
  readonly at?: number
}

/** Messages of one turn. */
const mostMessages = 200

const roles: readonly unknown[] = ['user', 'assistant', 'tool']

/**
 * Checks a turn from outside and copies what is read of it.
 *
 * @throws MemoryError - `MEMORY_ENTRY_INVALID` naming the field; `MEMORY_QUERY_INVALID` for more than 200 messages.
 */
export function parseTurn(turn: MemoryTurn): MemoryTurn {
  const turnId = parseId('turnId', turn?.turnId)
  const sessionId = parseSession(turn.sessionId) ?? turnId
  const { index, messages, recalled } = turn
  if (!Array.isArray(messages) || messages.length > mostMessages) {
    throw new MemoryError(
      'MEMORY_QUERY_INVALID',
      `A turn has a list of at most ${mostMessages} messages. Tell a longer one in several turns.`,
      { details: { field: 'messages' } },
    )
  }
  if (index !== undefined && !(Number.isSafeInteger(index) && index >= 0)) {
    throw malformed('index', 'It is a whole number from 0.')
  }
  return {
    turnId,
    sessionId,
    messages: messages.map(parseMessage),
    ...(index !== undefined && { index }),
    ...(recalled !== undefined && { recalled: recalled.map(String) }),
  }
}

/** What a conversation is kept under. An empty id is none: the turn is then a conversation of its own. */
function parseSession(sessionId: unknown): string | undefined {
  if (sessionId === '') return undefined
  const isText = typeof sessionId === 'string'
  return parseId('sessionId', isText ? conversationKey(sessionId) : sessionId)
}

function parseMessage(message: TurnMessage): TurnMessage {
  if (typeof message?.text !== 'string' || !roles.includes(message.role)) {
    throw malformed('messages', 'A message has a role (user, assistant or tool) and a text.')
  }
  const { role, text, speaker, at } = message
  if (at !== undefined && !Number.isSafeInteger(at)) {
    throw malformed('messages.at', 'A time is a whole number of epoch milliseconds.')
  }
  return {
    role,
    text,
    ...(typeof speaker === 'string' && speaker.trim() !== '' && { speaker }),
    ...(at !== undefined && { at }),
  }
}

function malformed(field: string, what: string): MemoryError {
  return new MemoryError('MEMORY_ENTRY_INVALID', `"${field}" of the turn was refused. ${what}`, {
    details: { field },
  })
}
