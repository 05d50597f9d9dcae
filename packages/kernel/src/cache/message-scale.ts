import { hash } from 'node:crypto'
import type { ModelMessage } from 'ai'
import { readMessage, type TokenEstimator } from './estimate-tokens.ts'

/** What a message weighs, and by what it is known again. */
export interface MessageWeight {
  /** Estimated. */
  readonly tokens: number
  /** Equal for messages that say the same. */
  readonly key: string
  /** How many content blocks it makes on the wire. */
  readonly blocks: number
}

/** Weighs messages, each object once: a transcript is sent again at every step. */
export type MessageScale = (message: ModelMessage) => MessageWeight

/** A scale of its own memory, which it shares with nobody. */
export function createMessageScale(estimateTokens: TokenEstimator): MessageScale {
  const known = new WeakMap<ModelMessage, MessageWeight>()
  return (message) => {
    const found = known.get(message)
    if (found !== undefined) return found
    const { text, tokens } = readMessage(message, estimateTokens)
    const { content } = message
    const weight = {
      tokens,
      key: hash('sha256', text),
      blocks: typeof content === 'string' ? 1 : content.length,
    }
    known.set(message, weight)
    return weight
  }
}
