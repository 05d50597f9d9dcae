import type { CacheTtl } from '../capability.ts'

/**
 * What a provider of Anthropic's kind is likely to have in its cache: an entry for every prefix that
 * ended with a marker, for as long as that asked for.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export interface ProviderCache {
  /** Is this prefix there? */
  holds(prefix: string, at: number): boolean
  /** Index of the stretch that ends the longest prefix a request would be served; -1 for none. */
  find(request: CacheableRequest, at: number): number
  /** Takes down that a prefix was written, or read: either begins its lifetime anew. */
  use(prefix: string, at: number, ttl?: CacheTtl): void
}

/** A request as a cache sees it. Index by index as its stretches. */
export interface CacheableRequest {
  /** What everything from the start to the end of a stretch is known by. */
  readonly prefixes: readonly string[]
  readonly stretches: readonly { readonly blocks: number }[]
  /** In the order of the request. */
  readonly markers: readonly { readonly stretch: number }[]
}

/** How far back from a marker the provider looks for an entry, in content blocks, its own the first. */
const lookbackBlocks = 20

const lifetimeMs: Readonly<Record<CacheTtl, number>> = { '5m': 300_000, '1h': 3_600_000 }

/**
 * An empty one. Bounded: the longest unused entries are forgotten first.
 *
 * @param most - Entries at most.
 */
export function createProviderCache(most: number): ProviderCache {
  const entries = new Map<string, { readonly until: number; readonly ttl: CacheTtl }>()
  const holds = (prefix: string, at: number) => at < (entries.get(prefix)?.until ?? 0)

  return {
    holds,
    find: ({ prefixes, stretches, markers }, at) => {
      // The last marker that finds something finds the most: it passes by all that those in front see.
      for (const { stretch } of markers.toReversed()) {
        let blocks = 0
        for (let index = stretch; index >= 0 && blocks < lookbackBlocks; index -= 1) {
          if (holds(prefixes[index] ?? '', at)) return index
          blocks += stretches[index]?.blocks ?? 0
        }
      }
      return -1
    },
    use: (prefix, at, wished) => {
      const known = holds(prefix, at) ? entries.get(prefix)?.ttl : undefined
      const ttl = known === '1h' ? known : (wished ?? known)
      if (ttl === undefined) return
      entries.delete(prefix)
      entries.set(prefix, { until: at + lifetimeMs[ttl], ttl })
      for (const oldest of entries.keys()) {
        if (entries.size <= most) break
        entries.delete(oldest)
      }
    },
  }
}
