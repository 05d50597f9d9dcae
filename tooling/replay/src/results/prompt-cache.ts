/** What a provider charges, in US dollars per million tokens. */
export interface CachePrices {
  /** Input that takes no part in a cache. */
  readonly inputUsd: number
  readonly outputUsd: number
  /** Input read from the cache. */
  readonly cacheReadUsd: number
  /** Input written to the cache. */
  readonly cacheWriteUsd: number
}

/**
 * List prices of Claude Sonnet 4 and 4.5 with the five-minute cache: reading costs 0.1 times the input, writing
 * 1.25 times.
 *
 * @see https://platform.claude.com/docs/en/about-claude/pricing
 */
export const sonnetPrices: CachePrices = {
  inputUsd: 3,
  outputUsd: 15,
  cacheReadUsd: 0.3,
  cacheWriteUsd: 3.75,
}

/** One call of a model: what it reads and what it writes. */
export interface ModelRequest {
  /** The text of each message, in order; the system prompt is the first. */
  readonly messages: readonly string[]
  readonly answer: string
}

/** What the requests of one run come to. */
export interface RunCost {
  readonly requests: number
  /** Characters of all messages of all requests. */
  readonly sentChars: number
  /** Estimated at four characters each; fractions are kept. */
  readonly tokens: {
    readonly cacheRead: number
    readonly cacheWrite: number
    /** Sent in requests too short for a cache. */
    readonly uncached: number
    readonly output: number
  }
  readonly usd: number
}

/** Prompts shorter than this are not cached: the least that Claude Sonnet caches, in tokens. */
const minCachedTokens = 1_024

const charsPerToken = 4

/**
 * What a run costs where every request ends in a cache marker. The longest row of leading messages that was
 * sent before, byte for byte, is read; whatever follows is written.
 *
 * Simpler than the real thing in three ways, each to the advantage of those who rewrite history: the cache
 * never expires, any message boundary can be a hit rather than one within the last 20 blocks, and what a
 * message adds beside its text (role, ids) weighs nothing.
 *
 * @param requests - In the order in which they were sent.
 */
export function costOf(
  requests: readonly ModelRequest[],
  prices: CachePrices = sonnetPrices,
): RunCost {
  const tokens = { cacheRead: 0, cacheWrite: 0, uncached: 0, output: 0 }
  const sent: Prefix = new Map()
  let sentChars = 0
  for (const { messages, answer } of requests) {
    const chars = messages.reduce((sum, { length }) => sum + length, 0)
    sentChars += chars
    tokens.output += answer.length / charsPerToken
    if (chars < minCachedTokens * charsPerToken) {
      tokens.uncached += chars / charsPerToken
      continue
    }
    const known = extend(sent, messages)
    const read = known < minCachedTokens * charsPerToken ? 0 : known
    tokens.cacheRead += read / charsPerToken
    tokens.cacheWrite += (chars - read) / charsPerToken
  }
  const usd =
    (tokens.cacheRead * prices.cacheReadUsd +
      tokens.cacheWrite * prices.cacheWriteUsd +
      tokens.uncached * prices.inputUsd +
      tokens.output * prices.outputUsd) /
    1e6
  return { requests: requests.length, sentChars, tokens, usd }
}

/** What was sent, as a tree: each message leads to those that followed it. */
type Prefix = Map<string, Prefix>

/** Adds a row of messages and gives the length of what was there already, in characters. */
function extend(sent: Prefix, messages: readonly string[]): number {
  let at = sent
  let knownChars = 0
  for (const message of messages) {
    let next = at.get(message)
    if (next === undefined) {
      next = new Map()
      at.set(message, next)
    } else knownChars += message.length
    at = next
  }
  return knownChars
}
