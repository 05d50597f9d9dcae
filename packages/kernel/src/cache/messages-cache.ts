import type { ModelMessage } from 'ai'
import type { Logger } from '../logger.ts'

/**
 * Chooses where the messages of a request may end a cached prefix. Given as an object it replaces the
 * kernel's own (PROMPT-32).
 */
export interface MessagesCacheStrategy {
  /** Shown in logs. */
  readonly name: string
  /** How many markers it can use at most. */
  readonly slots: number
  /**
   * Indexes of messages that should end with a marker, the most useful first; more than
   * `request.slots` of them are cut off. One that throws places none.
   */
  readonly boundaries: (request: MessagesCacheRequest) => readonly number[]
}

/** A request whose messages are about to be sent. */
export interface MessagesCacheRequest {
  readonly messages: readonly ModelMessage[]
  /** Markers that are left for messages, at least 1. */
  readonly slots: number
  /** The shortest prefix the model caches, in tokens. */
  readonly minimumTokens: number
  /** Estimated tokens from the first tool to the end of a message. */
  readonly prefixTokens: (index: number) => number
}

/** What can be chosen by name. Default `stable-boundary`; `off` marks no message. */
export type MessagesCachePolicy = 'off' | 'stable-boundary' | 'rolling' | 'window-aware'

/** The names, for checks. */
export const messagesCachePolicies: readonly MessagesCachePolicy[] = [
  'off',
  'stable-boundary',
  'rolling',
  'window-aware',
]

/**
 * One marker, on the latest closed message of the user or the assistant whose prefix the model caches
 * at all (PROMPT-27). Closed: something follows, and no call in it waits for its result (OPEN-PROMPT-7).
 */
export const lastStableTurnBoundary: MessagesCacheStrategy = Object.freeze({
  name: 'last-stable-turn-boundary',
  slots: 1,
  boundaries: ({ messages, minimumTokens, prefixTokens }: MessagesCacheRequest) => {
    for (let index = messages.length - 2; index >= 0; index -= 1) {
      if (!isClosed(messages, index)) continue
      return prefixTokens(index) >= minimumTokens ? [index] : []
    }
    return []
  },
})

/**
 * The end of this request, and the ends of the requests before it: what the last model call wrote is
 * read by this one, whatever number of blocks a step adds (PROMPT-29). With one slot it is the single
 * marker of `lastStableTurnBoundary` (PROMPT-30).
 */
export const rollingLadder: MessagesCacheStrategy = Object.freeze({
  name: 'rolling-ladder',
  slots: 2,
  boundaries: (request: MessagesCacheRequest) => {
    const { messages, slots, minimumTokens, prefixTokens } = request
    if (slots < 2) return lastStableTurnBoundary.boundaries(request)
    const frontiers: number[] = []
    for (let index = messages.length - 1; index >= 0 && frontiers.length < slots; index -= 1) {
      if (isFrontier(messages, index) && prefixTokens(index) >= minimumTokens) frontiers.push(index)
    }
    return frontiers
  },
})

/**
 * The strategy a policy stands for; undefined for `off` (PROMPT-26). `window-aware` is accepted, is
 * not there yet, says so once and is the default meanwhile (PROMPT-31).
 */
export function messagesCacheStrategyFor(
  policy: MessagesCachePolicy | MessagesCacheStrategy,
  logger: Logger,
): MessagesCacheStrategy | undefined {
  if (typeof policy === 'object') return policy
  if (policy === 'window-aware') {
    logger.info(
      `the messages cache policy "window-aware" is not available yet; "${lastStableTurnBoundary.name}" is used`,
    )
  }
  if (policy === 'off') return undefined
  return policy === 'rolling' ? rollingLadder : lastStableTurnBoundary
}

function isClosed(messages: readonly ModelMessage[], index: number): boolean {
  const message = messages[index]
  if (message === undefined || index === messages.length - 1) return false
  if (message.role === 'user') return true
  if (message.role !== 'assistant' || !canBeMarked(message)) return false
  if (typeof message.content === 'string') return true
  const open = new Set<string>()
  for (const part of message.content) {
    if (part.type === 'tool-call' && !part.providerExecuted) open.add(part.toolCallId)
  }
  for (let behind = index + 1; open.size > 0; behind += 1) {
    const next = messages[behind]
    if (next?.role !== 'tool') return false
    for (const part of next.content) if (part.type === 'tool-result') open.delete(part.toolCallId)
  }
  return true
}

/** Where a request has ended, or ends: in front of an answer, or at the very end. */
function isFrontier(messages: readonly ModelMessage[], index: number): boolean {
  const role = messages[index]?.role
  if (role !== 'user' && role !== 'tool') return false
  const next = messages[index + 1]
  return next === undefined || next.role === 'assistant'
}

/** A marker on a message stands on its last part, and thoughts take none. */
function canBeMarked({ content }: Extract<ModelMessage, { role: 'assistant' }>): boolean {
  if (typeof content === 'string') return content !== ''
  const last = content.at(-1)
  return (
    last !== undefined && last.type !== 'reasoning' && !(last.type === 'text' && last.text === '')
  )
}
