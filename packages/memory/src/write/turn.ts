import { conversationKey } from '../conversation-key.ts'
import { MemoryError } from '../errors.ts'
import { parseId } from '../parse-entry.ts'
import { readOptions, readSafely } from '../read-object.ts'

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

/** The last place a turn may be given: those behind it are never used up. */
const lastIndex = 1e12

const roles: readonly unknown[] = ['user', 'assistant', 'tool']

/**
 * Checks a turn from outside and copies what is read of it.
 *
 * @throws MemoryError - `MEMORY_ENTRY_INVALID` naming the field; `MEMORY_QUERY_INVALID` for more than 200 messages;
 * `MEMORY_OPTION_INVALID` for a key that does not exist.
 */
export function parseTurn(turn: MemoryTurn): MemoryTurn {
  return readSafely('turn', () => readTurn(turn), 'MEMORY_ENTRY_INVALID')
}

function readTurn(turn: MemoryTurn): MemoryTurn {
  const given = readOptions('turn', turn, turnKeys)
  const turnId = parseId('turnId', given.turnId)
  const sessionId = parseSession(given.sessionId) ?? turnId
  const { index, messages, recalled } = given
  if (!Array.isArray(messages) || messages.length > mostMessages) {
    throw new MemoryError(
      'MEMORY_QUERY_INVALID',
      `A turn has a list of at most ${mostMessages} messages. Tell a longer one in several turns.`,
      { details: { field: 'messages' } },
    )
  }
  if (index !== undefined && !(Number.isSafeInteger(index) && index >= 0 && index <= lastIndex)) {
    throw malformed('index', `It is a whole number from 0 to ${lastIndex}.`)
  }
  if (recalled !== undefined && !Array.isArray(recalled)) throw malformed('recalled', noTexts)
  return {
    turnId,
    sessionId,
    messages: Array.from(messages, parseMessage),
    ...(index !== undefined && { index }),
    ...(recalled !== undefined && { recalled: Array.from(recalled, parseRecalled) }),
  }
}

const turnKeys = ['turnId', 'sessionId', 'index', 'messages', 'recalled']
const noTexts = 'It is a list of the texts that were shown.'

function parseRecalled(text: unknown): string {
  if (typeof text === 'string') return text
  throw malformed('recalled', noTexts)
}

/** What a conversation is kept under. An empty id is none: the turn is then a conversation of its own. */
function parseSession(sessionId: unknown): string | undefined {
  if (sessionId === '') return undefined
  const isText = typeof sessionId === 'string'
  return parseId('sessionId', isText ? conversationKey(sessionId) : sessionId)
}

function parseMessage(message: TurnMessage): TurnMessage {
  const { role, text, speaker, at } = readOptions('messages', message, messageKeys)
  if (typeof text !== 'string' || !roles.includes(role)) {
    throw malformed('messages', 'A message has a role (user, assistant or tool) and a text.')
  }
  if (speaker !== undefined && typeof speaker !== 'string') {
    throw malformed('messages.speaker', 'A name is text. Leave it out for the role.')
  }
  // The range of a Date; beyond it no day can be told.
  if (at !== undefined && !(Number.isSafeInteger(at) && Math.abs(at) <= 8.64e15)) {
    throw malformed('messages.at', 'A time is a whole number of epoch milliseconds.')
  }
  return {
    role,
    text,
    ...(speaker !== undefined && speaker.trim() !== '' && { speaker }),
    ...(at !== undefined && { at }),
  }
}

const messageKeys = ['role', 'text', 'speaker', 'at']

function malformed(field: string, what: string): MemoryError {
  return new MemoryError('MEMORY_ENTRY_INVALID', `"${field}" of the turn was refused. ${what}`, {
    details: { field },
  })
}
