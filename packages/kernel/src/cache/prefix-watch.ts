import type { LanguageModelUsage } from 'ai'
import type { Logger } from '../logger.ts'
import { comparePrompts, type PromptChange } from '../prompt/compare-prompts.ts'
import type { PlacedMarker } from './limit-markers.ts'
import type { MessageScale } from './message-scale.ts'
import { createProviderCache, type ProviderCache } from './provider-cache.ts'
import {
  createRequestReader,
  type LastRequest,
  type ReadRequest,
  type SentRequest,
  sharedStretches,
  tokensUpTo,
  toLastRequest,
} from './read-request.ts'

/** What the cache was to give a model call, and what it gave. Tokens of the input. */
export interface CacheReport {
  /**
   * - `first`: nothing of the session can be in the cache: nothing was sent, none of it was long enough,
   *   or it has expired.
   * - `kept`: at least 80% of what was expected was read; the rest is within the error of estimates.
   * - `broken`: what was cached is not what the request begins with; `change` names the culprit.
   * - `lost`: the prefix is as it was and the provider read less of it: it let go, or never kept it.
   * - `unknown`: the provider does not count, so only the prediction is there.
   */
  readonly verdict: 'first' | 'kept' | 'broken' | 'lost' | 'unknown'
  /**
   * Left in the cache by the last request of the session, up to its last marker: the one in front of
   * L2 where L2, or the choice of a tool, has changed.
   */
  readonly expectedTokens: number
  /**
   * What the provider should read: the longest prefix that any request of this kernel, of whatever
   * session, has left in the cache and that a marker of this one is near enough to find.
   */
  readonly predictedTokens: number
  /** Read, by the provider's own count. */
  readonly readTokens: number | undefined
  /** Written, by the provider's own count. */
  readonly writtenTokens: number | undefined
  /**
   * The first thing that is not as it was in front of the last marker; undefined when all is. One in L2
   * is no break: L2 is there to change, and costs what is cached of the messages behind it.
   */
  readonly change: CacheBreak | undefined
  /** The markers on messages of this request, oldest first; those on tools and layers are in the prompt's report. */
  readonly messageMarkers: readonly PlacedMarker[]
}

/** Where a cached prefix broke: in the prompt, or in the messages behind it. */
export type CacheBreak =
  | PromptChange
  /** `index` is the first message that is not as it was. */
  | { readonly kind: 'changed'; readonly layer: 'messages'; readonly index: number }

/** Remembers the last request of each session and compares the next one with it. */
export interface PrefixWatch {
  /**
   * Takes a request down. Asked right before it is sent.
   *
   * @param session - Whatever tells sessions apart; the tenant is part of it.
   * @returns Makes the report once the provider has counted, and remembers the request: one that failed
   *   has left nothing.
   */
  send(session: string, request: SentRequest): (usage: LanguageModelUsage) => CacheReport
  /** Lets go of a session that will not be heard of again. What the provider keeps of it stays known. */
  forget(session: string): void
}

/** Least share of the expected tokens that counts as kept: estimates are that far off. */
const keptShare = 0.8

/** Entries to remember for each session. A request leaves four at most, and most of them again. */
const entriesEach = 8

/**
 * A watch over the sessions of a kernel; the longest silent are forgotten first, and those of which
 * nothing can be in the cache any more. It lives in this process: a session that moves to another one
 * begins there with `first`. Each culprit that breaks a prefix is logged once.
 */
export function createPrefixWatch({
  scale,
  logger,
  minimumTokens,
  sessions = 1_000,
  now = () => Date.now(),
}: {
  readonly scale: MessageScale
  readonly logger: Logger
  /** Shortest prefix the model caches, in tokens: a marker on a shorter one leaves nothing. */
  readonly minimumTokens: number
  /** Default 1,000. */
  readonly sessions?: number
  /** Milliseconds since the epoch. Default: the clock. */
  readonly now?: () => number
}): PrefixWatch {
  const lasts = new Map<string, LastRequest>()
  const cache = createProviderCache(sessions * entriesEach)
  const read = createRequestReader(scale)
  const named = new Set<string>()

  const warnOf = ({ verdict, change }: CacheReport) => {
    if (verdict !== 'broken' || change === undefined) return
    const culprit = describeBreak(change)
    // Bounded, should somebody make up a section name a turn.
    if (named.has(culprit) || named.size >= 1_000) return
    named.add(culprit)
    logger.warn(`the cached prefix broke at ${culprit}`, { ...change })
  }

  const remember = (session: string, request: ReadRequest, found: number, worth: number) => {
    const { at, prefixes } = request
    const markers = request.markers.filter(
      ({ stretch }) => tokensUpTo(request, stretch) * worth >= minimumTokens,
    )
    if (found >= 0) cache.use(prefixes[found] ?? '', at)
    for (const { stretch, ttl } of markers) cache.use(prefixes[stretch] ?? '', at, ttl)
    lasts.delete(session)
    if (markers.length > 0) lasts.set(session, toLastRequest(request, markers))
    for (const [longestSilent, last] of lasts) {
      if (lasts.size <= sessions && last.markers.some(({ prefix }) => cache.holds(prefix, at)))
        break
      lasts.delete(longestSilent)
    }
  }

  return {
    forget: (session) => void lasts.delete(session),
    send: (session, sent) => {
      const last = lasts.get(session)
      const request = read(sent, now())
      const prediction = predict(last, request, cache)
      return (usage) => {
        // The provider's own total says how many tokens an estimated one is worth.
        const estimated = tokensUpTo(request, request.stretches.length - 1)
        const worth = usage.inputTokens && estimated > 0 ? usage.inputTokens / estimated : 1
        remember(session, request, prediction.read, worth)
        const made = report(prediction, { worth, usage, markers: sent.markers })
        warnOf(made)
        return made
      }
    },
  }
}

/** A culprit in words: `section "Domain Plugin" of "plugins", written by "clock", in L1`. */
export function describeBreak(change: CacheBreak): string {
  if (change.layer === 'messages') return `message ${change.index} of the history`
  if (change.layer === 'tools') return `the definition of the tool "${change.section}"`
  const author = change.origin === undefined ? '' : `, written by "${change.origin}"`
  return `section "${change.section}" of "${change.capability}"${author}, in ${change.layer}`
}

interface Prediction {
  readonly expectedTokens: number
  readonly predictedTokens: number
  /** The stretch that ends what is predicted to be read; -1 for nothing. */
  readonly read: number
  readonly change: CacheBreak | undefined
}

function predict(
  last: LastRequest | undefined,
  next: ReadRequest,
  cache: ProviderCache,
): Prediction {
  const read = cache.find(next, next.at)
  const predictedTokens = tokensUpTo(next, read)
  if (last === undefined) return { expectedTokens: 0, predictedTokens, read, change: undefined }
  const shared = sharedStretches(last, next)
  const isVolatile = isWhereVolatile(last, next, shared)
  const living = last.markers.filter(({ prefix }) => cache.holds(prefix, next.at))
  const until = isVolatile ? Math.min(last.lasting, shared) : Number.POSITIVE_INFINITY
  const expected = living.findLast(({ stretch }) => stretch < until)
  const end = living.at(-1)?.stretch ?? -1
  return {
    expectedTokens: expected?.tokens ?? 0,
    predictedTokens,
    read,
    change: shared > end ? undefined : whatChanged(last, next, shared),
  }
}

/**
 * Whether the first thing that differs is where volatile text is, or another choice of a tool. Blocks of L2
 * may come and go, so both requests are asked; behind what the user said, only the last one had it there.
 */
function isWhereVolatile(last: LastRequest, next: ReadRequest, shared: number): boolean {
  if (last.carrier !== undefined) {
    const isOfChoice = shared === last.system && next.system === last.system
    return isOfChoice || shared === last.lasting
  }
  return (
    shared >= Math.max(last.lasting, Math.min(next.lasting, next.system)) &&
    shared <= Math.max(last.system, next.system)
  )
}

/** Nothing for another choice of a tool, or for a message that is as the user said it: nothing broke. */
function whatChanged(last: LastRequest, next: ReadRequest, shared: number): CacheBreak | undefined {
  if (last.carrier !== undefined && shared === last.lasting) {
    return comparePrompts(last.prompt, next.prompt).changes.find(({ layer }) => layer === 'L2')
  }
  if (shared < Math.max(last.system, next.system)) {
    return comparePrompts(last.prompt, next.prompt).changes[0]
  }
  const index = shared - last.system - 1
  if (index < 0) return undefined
  // Behind it each message stands one further on, since the volatile text is a stretch of its own.
  const isBehind = last.carrier !== undefined && index > last.carrier
  return { kind: 'changed', layer: 'messages', index: isBehind ? index - 1 : index }
}

function report(
  prediction: Prediction,
  about: { worth: number; usage: LanguageModelUsage; markers: readonly PlacedMarker[] },
): CacheReport {
  const { worth, usage, markers } = about
  const { cacheReadTokens, cacheWriteTokens } = usage.inputTokenDetails
  const expectedTokens = Math.round(prediction.expectedTokens * worth)
  return Object.freeze({
    verdict: verdictOf(prediction, expectedTokens, cacheReadTokens),
    expectedTokens,
    predictedTokens: Math.round(prediction.predictedTokens * worth),
    readTokens: cacheReadTokens,
    writtenTokens: cacheWriteTokens,
    change: prediction.change,
    messageMarkers: markers,
  })
}

function verdictOf(
  { change }: Prediction,
  expectedTokens: number,
  readTokens: number | undefined,
): CacheReport['verdict'] {
  if (expectedTokens === 0) return 'first'
  if (change !== undefined && change.layer !== 'L2') return 'broken'
  if (readTokens === undefined) return 'unknown'
  return readTokens >= expectedTokens * keptShare ? 'kept' : 'lost'
}
