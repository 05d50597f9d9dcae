import { hash } from 'node:crypto'
import type { LanguageModelV4CallOptions, LanguageModelV4Usage } from '@ai-sdk/provider'

/** Characters to a token, as a rule of thumb for English. */
const charsPerToken = 4

/** The shortest prefix that is cached, in tokens. A small model has a small one. */
export const minimumCachedTokens = 256

/** No more markers than this are accepted in a request. */
const markerLimit = 4
/** How far in front of a marker a cached prefix is looked for, in blocks. */
const lookbackBlocks = 20
const lifetimeMs = { '5m': 300_000, '1h': 3_600_000 }

/** Weighs requests, and remembers which cached prefixes it has seen, as a provider would. */
export interface Scales {
  /**
   * @param output - Everything the model wrote.
   * @throws Error for markers that Anthropic refuses: more than four, or a longer lifetime behind a
   * shorter one.
   */
  weigh(request: LanguageModelV4CallOptions, output: string): LanguageModelV4Usage
}

/**
 * Counts tokens by length, and caches by Anthropic's rules. A request is its tools, then its system
 * messages, then its messages, as one row of blocks. What ends with a marker and is long enough is
 * written; a prefix that was written, stands at most 20 blocks in front of a marker and has not
 * outlived its lifetime, is read, which starts that lifetime anew.
 *
 * @param options.now - Milliseconds since the epoch. Default: the clock.
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export function createScales({ now = Date.now }: { readonly now?: () => number } = {}): Scales {
  const written = new Map<string, { until: number; readonly lifetimeMs: number }>()

  return {
    weigh: (request, output) => {
      const blocks = blocksOf(request)
      const marked = [...blocks.keys()].filter((index) => blocks[index]?.ttl !== undefined)
      refuseBadMarkers(marked.map((index) => blocks[index]?.ttl))
      const at = now()
      const tokensTo = (index: number) => tokensOf(blocks[index]?.end ?? 0)
      const isRead = (index: number) => (written.get(blocks[index]?.key ?? '')?.until ?? 0) > at
      const isInReach = (index: number) =>
        marked.some((marker) => index <= marker && marker - index < lookbackBlocks)

      const read = blocks.findLastIndex((_, index) => isInReach(index) && isRead(index))
      const last = marked.findLast((index) => tokensTo(index) >= minimumCachedTokens) ?? -1
      const found = written.get(blocks[read]?.key ?? '')
      if (found) found.until = at + found.lifetimeMs
      for (const { key, ttl, end } of marked.map((index) => blocks[index] as Block)) {
        if (ttl === undefined || tokensOf(end) < minimumCachedTokens) continue
        written.set(key, { until: at + lifetimeMs[ttl], lifetimeMs: lifetimeMs[ttl] })
      }

      const total = tokensTo(blocks.length - 1)
      const cacheRead = tokensTo(read)
      const cacheWrite = Math.max(0, tokensTo(last) - cacheRead)
      const outputTotal = tokensOf(output.length)
      return {
        inputTokens: { total, noCache: total - cacheRead - cacheWrite, cacheRead, cacheWrite },
        outputTokens: { total: outputTotal, text: outputTotal, reasoning: undefined },
      }
    },
  }
}

/** Tokens in so many characters. */
export function tokensOf(chars: number): number {
  return Math.ceil(chars / charsPerToken)
}

type Ttl = keyof typeof lifetimeMs

interface Block {
  /** Of everything up to its end. */
  readonly key: string
  /** Characters up to its end. */
  readonly end: number
  /** Of the marker on it, if there is one. */
  readonly ttl: Ttl | undefined
}

/** The blocks in the order in which prefixes are made of them. */
function blocksOf({ tools = [], prompt }: LanguageModelV4CallOptions): readonly Block[] {
  const system = prompt.filter(({ role }) => role === 'system')
  const others = prompt.filter(({ role }) => role !== 'system')
  const things = [
    ...tools.map((tool) => ({ text: textOf(tool), ttl: markerOn(tool) })),
    ...[...system, ...others].flatMap((message) => {
      const { role, content } = message
      const parts = typeof content === 'string' ? [content] : content
      return parts.map((part, index) => ({
        text: `${role} ${textOf(part)}`,
        // A marker on a message stands for one on its last part.
        ttl: markerOn(part) ?? (index === parts.length - 1 ? markerOn(message) : undefined),
      }))
    }),
  ]
  let key = ''
  let end = 0
  return things.map(({ text, ttl }) => {
    key = hash('sha256', `${key}${text}`)
    end += text.length
    return { key, end, ttl }
  })
}

/** A marker moves from turn to turn and is no part of what is cached. */
function textOf(thing: unknown): string {
  return JSON.stringify(thing, (key, value) => (key === 'providerOptions' ? undefined : value))
}

function markerOn(thing: unknown): Ttl | undefined {
  if (typeof thing !== 'object' || thing === null || !('providerOptions' in thing)) return undefined
  const options = thing.providerOptions as
    | { readonly anthropic?: { readonly cacheControl?: { readonly ttl?: unknown } } }
    | undefined
  const marker = options?.anthropic?.cacheControl
  if (!marker) return undefined
  return marker.ttl === '1h' ? '1h' : '5m'
}

function refuseBadMarkers(ttls: readonly (Ttl | undefined)[]): void {
  if (ttls.length > markerLimit) {
    throw new Error(`The request has ${ttls.length} cache markers. Send at most ${markerLimit}.`)
  }
  if (ttls.lastIndexOf('1h') > ttls.indexOf('5m') && ttls.includes('5m')) {
    throw new Error('A cache marker of 1h stands behind one of 5m. Put longer lifetimes first.')
  }
}
