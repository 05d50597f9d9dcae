import { hash } from 'node:crypto'
import type { LanguageModelUsage, ModelMessage } from 'ai'
import type { CacheTtl } from '../capability.ts'
import type { Logger } from '../logger.ts'
import type { AssembledPrompt } from '../prompt/assemble-prompt.ts'
import { comparePrompts, type PromptChange } from '../prompt/compare-prompts.ts'
import type { PromptReport } from '../prompt/prompt-report.ts'
import type { PlacedMarker } from './limit-markers.ts'
import type { MessageScale } from './message-scale.ts'
import { type CacheableRequest, createProviderCache, type ProviderCache } from './provider-cache.ts'

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

/** A request as it is about to be sent. */
export interface SentRequest {
  readonly prompt: AssembledPrompt
  readonly messages: readonly ModelMessage[]
  readonly markers: readonly PlacedMarker[]
  /** The tool the model must call. Another choice costs what is cached of the messages. */
  readonly forcedTool?: string | undefined
  /** Index of the message that carries volatile text, if one does. */
  readonly volatileAt?: number | undefined
}

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
}

/** Least share of the expected tokens that counts as kept: estimates are that far off. */
const keptShare = 0.8

/** Entries to remember for each session. A request leaves four at most, and most of them again. */
const entriesEach = 8

/**
 * A watch over the sessions of a kernel; the longest silent are forgotten first. It lives in this
 * process: a session that moves to another one begins there with `first`. Each culprit that breaks a
 * prefix is logged once.
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
  const lasts = new Map<string, Memo>()
  const cache = createProviderCache(sessions * entriesEach)
  const named = new Set<string>()

  const warnOf = ({ verdict, change }: CacheReport) => {
    if (verdict !== 'broken' || change === undefined) return
    const culprit = describeBreak(change)
    // Bounded, should somebody make up a section name a turn.
    if (named.has(culprit) || named.size >= 1_000) return
    named.add(culprit)
    logger.warn(`the cached prefix broke at ${culprit}`, { ...change })
  }

  const remember = (session: string, memo: Memo, read: number, worth: number) => {
    const markers = memo.markers.filter(
      ({ stretch }) => tokensUpTo(memo, stretch) * worth >= minimumTokens,
    )
    const prefixAt = (stretch: number) => memo.prefixes[stretch] ?? ''
    if (read >= 0) cache.use(prefixAt(read), memo.at)
    for (const { stretch, ttl } of markers) cache.use(prefixAt(stretch), memo.at, ttl)
    lasts.delete(session)
    lasts.set(session, { ...memo, markers })
    for (const oldest of lasts.keys()) {
      if (lasts.size <= sessions) break
      lasts.delete(oldest)
    }
  }

  return {
    send: (session, request) => {
      const last = lasts.get(session)
      const memo = memoOf(request, { scale, at: now(), last })
      const prediction = predict(last, memo, cache)
      return (usage) => {
        // The provider's own total says how many tokens an estimated one is worth.
        const estimated = tokensUpTo(memo, memo.stretches.length - 1)
        const worth = usage.inputTokens && estimated > 0 ? usage.inputTokens / estimated : 1
        remember(session, memo, prediction.read, worth)
        const made = report(prediction, { worth, usage, markers: request.markers })
        warnOf(made)
        return made
      }
    },
  }
}

/** A culprit in words: `section "Domain Plugin" of "plugins", written by "clock", in L1`. */
export function describeBreak(change: CacheBreak): string {
  if (change.layer === 'messages') return `message ${change.index} of the history`
  if (change.layer === 'tools') return 'the tool definitions'
  const author = change.origin === undefined ? '' : `, written by "${change.origin}"`
  return `section "${change.section}" of "${change.capability}"${author}, in ${change.layer}`
}

/** A stretch of a request: the tools, a block of the prompt, the choice of a tool, or a message. */
interface Stretch {
  readonly key: string
  readonly tokens: number
  readonly blocks: number
}

interface Memo extends CacheableRequest {
  readonly at: number
  readonly prompt: PromptReport
  /** How many stretches come before the choice of a tool, behind which are the messages. */
  readonly system: number
  /** How many stretches come before what is volatile, and the last that is. */
  readonly lasting: number
  readonly volatileEnd: number
  /** How many are as they were in the last request of the session. */
  readonly shared: number
  readonly stretches: readonly Stretch[]
  /** Which stretches end with a marker, and for how long. Remembered: those that were cached. */
  readonly markers: readonly { readonly stretch: number; readonly ttl: CacheTtl }[]
}

function memoOf(
  { prompt, messages, markers, forcedTool = '', volatileAt }: SentRequest,
  { scale, at, last }: { scale: MessageScale; at: number; last: Memo | undefined },
): Memo {
  const { report, blocks, allotment } = prompt
  const tools: Stretch = { key: report.tools.hash, tokens: report.tools.tokens, blocks: 1 }
  const system = [tools, ...blocks.map(({ hash: key, tokens }) => ({ key, tokens, blocks: 1 }))]
  // Not in the row of blocks, but messages are cached for one choice only.
  const choice: Stretch = { key: `tool ${forcedTool}`, tokens: 0, blocks: 0 }
  const before = [...system, choice]
  const stretches = [...before, ...messages.map(scale)]
  const block = blocks.findIndex(({ layer }) => layer === 'L2')
  // The choice stands behind the blocks, and a block of L2 may also come or go.
  const inBlocks = { lasting: block < 0 ? system.length : 1 + block, volatileEnd: system.length }
  const carrier = before.length + (volatileAt ?? 0)
  const shared = sharedStretches(last?.stretches ?? [], stretches)
  return {
    at,
    prompt: report,
    system: system.length,
    ...(volatileAt === undefined ? inBlocks : { lasting: carrier, volatileEnd: carrier }),
    shared,
    stretches,
    prefixes: prefixesOf(stretches, last?.prefixes.slice(0, shared) ?? []),
    markers: [allotment.tools, ...allotment.blocks]
      .flatMap((ttl, stretch) => (ttl === undefined ? [] : [{ stretch, ttl }]))
      .concat(markers.map(({ message, ttl }) => ({ stretch: before.length + message, ttl }))),
  }
}

function sharedStretches(last: readonly Stretch[], next: readonly Stretch[]): number {
  let index = 0
  while (index < last.length && last[index]?.key === next[index]?.key) index += 1
  return index
}

/** Each made of the one in front of it, so that a request costs only what is new in it. */
function prefixesOf(stretches: readonly Stretch[], known: readonly string[]): readonly string[] {
  const prefixes = known.slice()
  for (let index = known.length; index < stretches.length; index += 1) {
    prefixes.push(hash('sha256', `${prefixes[index - 1] ?? ''} ${stretches[index]?.key}`))
  }
  return prefixes
}

interface Prediction {
  readonly expectedTokens: number
  readonly predictedTokens: number
  /** The stretch that ends what is predicted to be read; -1 for nothing. */
  readonly read: number
  readonly change: CacheBreak | undefined
}

function predict(last: Memo | undefined, next: Memo, cache: ProviderCache): Prediction {
  const read = cache.find(next, next.at)
  const predictedTokens = tokensUpTo(next, read)
  if (last === undefined) return { expectedTokens: 0, predictedTokens, read, change: undefined }
  const { shared } = next
  const isVolatile = isWhereVolatile(last, next)
  const living = last.markers.filter(({ stretch }) =>
    cache.holds(last.prefixes[stretch] ?? '', next.at),
  )
  const expected = living.findLast(({ stretch }) => !isVolatile || stretch < last.lasting)
  const end = living.at(-1)?.stretch ?? -1
  return {
    expectedTokens: expected === undefined ? 0 : tokensUpTo(last, expected.stretch),
    predictedTokens,
    read,
    change: shared > end ? undefined : whatChanged(last, next),
  }
}

/**
 * Whether the first thing that differs is where volatile text is. Blocks of L2 may come and go, so both
 * requests are asked; a message that carried some is again what the user said.
 */
function isWhereVolatile(last: Memo, next: Memo): boolean {
  const { shared } = next
  if (last.volatileEnd > last.system) return shared === last.volatileEnd
  return (
    shared >= Math.max(last.lasting, Math.min(next.lasting, next.system)) &&
    shared <= Math.max(last.system, next.system)
  )
}

/** Nothing for another choice of a tool, or for a message that is as the user said it: nothing broke. */
function whatChanged(last: Memo, next: Memo): CacheBreak | undefined {
  if (last.volatileEnd > last.system && next.shared === last.volatileEnd) {
    return comparePrompts(last.prompt, next.prompt).changes.find(({ layer }) => layer === 'L2')
  }
  if (next.shared < Math.max(last.system, next.system)) {
    return comparePrompts(last.prompt, next.prompt).changes[0]
  }
  const index = next.shared - last.system - 1
  return index < 0 ? undefined : { kind: 'changed', layer: 'messages', index }
}

function tokensUpTo({ stretches }: Memo, last: number): number {
  let tokens = 0
  for (let index = 0; index <= last; index += 1) tokens += stretches[index]?.tokens ?? 0
  return tokens
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
