import type { ModelMessage, SystemModelMessage, UserModelMessage } from 'ai'
import { toInstructions } from '../cache/place-markers.ts'
import type { AssembledPrompt } from './assemble-prompt.ts'

/** A request with its volatile text in place. */
export interface PlacedRequest {
  readonly instructions: readonly SystemModelMessage[]
  readonly messages: readonly ModelMessage[]
  /** Index of the message that carries the volatile text; undefined where none does. */
  readonly volatileAt: number | undefined
}

/** Tells the model that what follows is not the user's: it stands in the user's message. */
const heading = 'Context for this turn, from the application and not from the user:'

/**
 * Puts the volatile text of a prompt behind what the user said last, where the prompt keeps it out of
 * the system messages (`volatilePosition: 'user'`): the history in front of it is then a prefix that
 * the next turn begins with as well. The transcript never holds it. Where nobody has said anything it
 * stays a system message.
 *
 * The same message comes back at every step of a turn.
 */
export function placeVolatile(
  prompt: AssembledPrompt,
  messages: readonly ModelMessage[],
): PlacedRequest {
  const instructions = toInstructions(prompt)
  const { tail } = prompt
  if (tail === '') return { instructions, messages, volatileAt: undefined }
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const said = messages[at]
  if (said?.role !== 'user') {
    const volatile: SystemModelMessage = { role: 'system', content: tail }
    return { instructions: [...instructions, volatile], messages, volatileAt: undefined }
  }
  return { instructions, messages: messages.with(at, carrying(said, prompt)), volatileAt: at }
}

/** Kept by message and prompt: one object a turn, so that it is weighed once. */
const carriers = new WeakMap<ModelMessage, WeakMap<AssembledPrompt, UserModelMessage>>()

function carrying(said: UserModelMessage, prompt: AssembledPrompt): UserModelMessage {
  const known = carriers.get(said) ?? new WeakMap<AssembledPrompt, UserModelMessage>()
  carriers.set(said, known)
  const made = known.get(prompt) ?? append(said, `${heading}\n\n${prompt.tail}`)
  known.set(prompt, made)
  return made
}

function append(said: UserModelMessage, text: string): UserModelMessage {
  const parts = typeof said.content === 'string' ? [textPart(said.content)] : said.content
  return { ...said, content: [...parts.filter((part) => !isEmpty(part)), textPart(text)] }
}

function textPart(text: string) {
  return { type: 'text' as const, text }
}

/** Providers refuse an empty text beside another one. */
function isEmpty(part: Exclude<UserModelMessage['content'], string>[number]): boolean {
  return part.type === 'text' && part.text === ''
}
