import type { ModelMessage } from 'ai'
import { describeError } from '../describe-error.ts'
import type { Logger } from '../logger.ts'

/** How many tokens a text may have. Pure, and the same for the same text. */
export type TokenEstimator = (text: string) => number

/** Four characters to a token, a rule of thumb for English (OPEN-PROMPT-4). */
export const estimateTokens: TokenEstimator = (text) => Math.ceil(text.length / 4)

/**
 * An estimator of the host's that can end no turn and bring no nonsense into a report: where it throws,
 * or gives anything but a number that is finite and not negative, the rule of thumb stands in for it.
 * One warning for each kernel.
 */
export function withRuleOfThumb(estimate: TokenEstimator, logger: Logger): TokenEstimator {
  let warned = false
  const fall = (text: string, reason: string) => {
    if (!warned) {
      warned = true
      logger.warn(
        `cache.estimateTokens ${reason}; four characters to a token are taken instead. Give a function that returns a number at once`,
      )
    }
    return estimateTokens(text)
  }
  return (text) => {
    try {
      const tokens: unknown = estimate(text)
      if (typeof tokens === 'number' && Number.isFinite(tokens) && tokens >= 0) return tokens
      // A promise that rejects would otherwise surface as unhandled.
      if (typeof tokens === 'object') Promise.resolve(tokens).catch(() => {})
      return fall(text, `gave ${typeof tokens === 'number' ? tokens : typeof tokens}`)
    } catch (error) {
      return fall(text, `failed: ${describeError(error)}`)
    }
  }
}

/** What a picture or file is taken for: a provider scales it down, whatever it has in bytes. */
const mediaTokens = 1_500

/** A message as one text, and what it weighs. */
export interface ReadMessage {
  /** What it is known again by. Options of providers, cache markers among them, are no part of it. */
  readonly text: string
  /** Estimated, pictures and files included. */
  readonly tokens: number
}

/** Reads a message for its text and its weight. */
export function readMessage(message: ModelMessage, estimate: TokenEstimator): ReadMessage {
  let media = 0
  const text = write(message, (data) => {
    media += 1
    return data
  })
  if (media === 0) return { text, tokens: estimate(text) }
  return { text, tokens: estimate(write(message, () => '')) + media * mediaTokens }
}

function write(message: ModelMessage, writeMedia: (data: string) => string): string {
  const { role, content } = message
  if (typeof content === 'string') return `${role}\n${content}`
  // `this` holds the value as it was before its `toJSON`, which a Buffer has.
  const text = JSON.stringify(content, function leanly(this: Holder, key, value: unknown) {
    if (key === 'providerOptions') return undefined
    const plain = plainly(this[key], value)
    const isMedia = (key === 'data' || key === 'image') && mediaTypes.has(this['type'])
    return isMedia && typeof plain === 'string' ? writeMedia(plain) : plain
  })
  return `${role}\n${text}`
}

type Holder = Readonly<Record<string, unknown>>

/** Parts, and values in results, that hold what is looked at. */
const mediaTypes = new Set<unknown>([
  'file',
  'image',
  'reasoning-file',
  'data',
  'media',
  'file-data',
  'image-data',
])

function plainly(given: unknown, value: unknown): unknown {
  if (given instanceof Uint8Array || given instanceof ArrayBuffer) {
    return Buffer.from(given as Uint8Array).toString('base64')
  }
  return typeof value === 'bigint' ? String(value) : value
}
