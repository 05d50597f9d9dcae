import type { ModelMessage, SystemModelMessage, UserModelMessage } from 'ai'
import { markerOn, withMarker, withoutMarker } from '../cache/limit-markers.ts'
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
 * stays a system message. A marker of the host's on the message stays behind what was said.
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

/** The volatile text of a prompt as a message of the user carries it. */
export function carriedText({ tail }: AssembledPrompt): string {
  return `${heading}\n\n${tail}`
}

/** Kept by message and prompt: one object a turn, so that it is weighed once. */
const carriers = new WeakMap<ModelMessage, WeakMap<AssembledPrompt, UserModelMessage>>()

function carrying(said: UserModelMessage, prompt: AssembledPrompt): UserModelMessage {
  const known = carriers.get(said) ?? new WeakMap<AssembledPrompt, UserModelMessage>()
  carriers.set(said, known)
  const made = known.get(prompt) ?? append(said, carriedText(prompt))
  known.set(prompt, made)
  return made
}

type UserPart = Exclude<UserModelMessage['content'], string>[number]

function append(said: UserModelMessage, text: string): UserModelMessage {
  const parts = typeof said.content === 'string' ? [textPart(said.content)] : said.content
  const own = parts.filter((part) => !isEmpty(part))
  const ttl = markerOn(said)
  if (ttl === undefined) return { ...said, content: [...own, textPart(text)] }
  const last = own.pop()
  // A marker on the whole message would end what is cached behind a text that changes.
  const marked = last === undefined || markerOn(last) ? last : withMarker(last, ttl)
  const content = [...own, ...(marked === undefined ? [] : [marked]), textPart(text)]
  return { ...withoutMarker(said), content }
}

function textPart(text: string): UserPart {
  return { type: 'text', text }
}

/** Providers refuse an empty text beside another one. */
function isEmpty(part: UserPart): boolean {
  return part.type === 'text' && part.text === ''
}
