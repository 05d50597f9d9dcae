import type { ModelMessage, SystemModelMessage } from 'ai'
import type { CacheTtl } from '../capability.ts'
import { describeError } from '../describe-error.ts'
import type { Logger } from '../logger.ts'
import type { AssembledPrompt } from '../prompt/assemble-prompt.ts'
import {
  cacheMarker,
  limitMarkers,
  markerOn,
  type PlacedMarker,
  withMarker,
} from './limit-markers.ts'
import type { MessageScale } from './message-scale.ts'
import type { MessagesCacheStrategy } from './messages-cache.ts'

/** How messages are marked. */
export interface MessageMarking {
  /** undefined: only markers that the host has put on messages count. */
  readonly strategy: MessagesCacheStrategy | undefined
  readonly minimumTokens: number
  readonly scale: MessageScale
  readonly logger: Logger
}

/** Lifetime of the markers that a strategy places: messages are read again soon or never. */
const messageTtl: CacheTtl = '5m'

/**
 * The system messages of a prompt, with the markers that were allotted to it. The same list for the
 * same prompt.
 */
export function toInstructions(prompt: AssembledPrompt): readonly SystemModelMessage[] {
  const known = instructions.get(prompt)
  if (known !== undefined) return known
  const made = prompt.blocks.map(({ text }, index): SystemModelMessage => {
    const ttl = prompt.allotment.blocks[index]
    return { role: 'system', content: text, ...(ttl && { providerOptions: cacheMarker(ttl) }) }
  })
  instructions.set(prompt, made)
  return made
}

const instructions = new WeakMap<AssembledPrompt, readonly SystemModelMessage[]>()

/**
 * Marks messages as the strategy says and keeps all markers on messages within what the prompt has
 * left of the four. A strategy that throws, or names a message that is not there, marks nothing.
 */
export function markMessages(
  prompt: AssembledPrompt,
  messages: readonly ModelMessage[],
  marking: MessageMarking,
): { readonly messages: readonly ModelMessage[]; readonly markers: readonly PlacedMarker[] } {
  const { allotment } = prompt
  const wished = new Set(boundariesOf(prompt, messages, marking))
  const marked =
    wished.size === 0
      ? messages
      : messages.map((message, index) =>
          wished.has(index) && !endsMarked(message) ? withMarker(message, messageTtl) : message,
        )
  const before = [allotment.tools, ...allotment.blocks].findLast((ttl) => ttl !== undefined)
  return limitMarkers(marked, allotment.messages, before)
}

/** A marker on the last part ends the message as well; the provider heeds one of the two. */
export function endsMarked(message: ModelMessage): boolean {
  const last = typeof message.content === 'string' ? undefined : message.content.at(-1)
  return [message, last].some((thing) => thing !== undefined && markerOn(thing) !== undefined)
}

function boundariesOf(
  prompt: AssembledPrompt,
  messages: readonly ModelMessage[],
  { strategy, minimumTokens, scale, logger }: MessageMarking,
): readonly number[] {
  const slots = Math.min(strategy?.slots ?? 0, prompt.allotment.messages)
  if (strategy === undefined || slots < 1) return []
  const system = prompt.blocks.reduce((sum, { tokens }) => sum + tokens, prompt.report.tools.tokens)
  // Added up once, by the first who asks: a strategy may ask about every message.
  let sums: readonly number[] | undefined
  const prefixTokens = (last: number) => {
    sums ??= runningSums(system, messages, scale)
    return sums[Math.min(last, messages.length - 1)] ?? system
  }
  try {
    const chosen = strategy.boundaries({ messages, slots, minimumTokens, prefixTokens })
    return chosen.slice(0, slots).filter((index) => index in messages)
  } catch (error) {
    logger.warn(`the messages cache strategy "${strategy.name}" failed; no message is marked`, {
      reason: describeError(error),
    })
    return []
  }
}

/** What each message ends at, `start` being what comes in front of the first. */
function runningSums(
  start: number,
  messages: readonly ModelMessage[],
  scale: MessageScale,
): readonly number[] {
  let tokens = start
  return messages.map((message) => {
    tokens += scale(message).tokens
    return tokens
  })
}

/** How many markers the host has put on its own messages, counted up to what can be sent. */
export function countMarked(messages: readonly ModelMessage[], most: number): number {
  return limitMarkers(messages, most).markers.length
}
