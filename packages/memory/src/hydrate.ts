import { abortable } from './abortable.ts'
import type { BoundedMap } from './bounded-map.ts'
import { conversationKey } from './conversation-key.ts'
import type { createCounters } from './counters.ts'
import { embedTexts } from './embedder.ts'
import type { StoredEntry } from './entry.ts'
import { MemoryError } from './errors.ts'
import { listDue } from './intentions.ts'
import type { MemorySettings } from './memory-settings.ts'
import { parseLimit, parseTime } from './parse-query.ts'
import { type RecalledEntry, recall } from './recall/recall.ts'
import { partitionKey, type Scope } from './scope.ts'
import { estimateTokens } from './token-estimate.ts'
import { listWorking } from './working.ts'

/** What `Memory.hydrate` is asked for. */
export interface HydrateOptions {
  /** The words of the user. Empty recalls nothing. */
  readonly query: string
  /** The conversation whose working memory is read. */
  readonly sessionId?: string
  /** Epoch milliseconds; the clock of the memory by default. */
  readonly now?: number
  /** What is recalled costs about this much at most; 1,500 by default. */
  readonly budgetTokens?: number
  /** Entries recalled at most; 20 by default. */
  readonly limit?: number
  /** The state that intentions are held against. */
  readonly state?: unknown
  readonly signal?: AbortSignal
}

/** What memory has for a turn. */
export interface Hydration {
  /** What the query brings to mind, best first, within the budget, each saying why. */
  readonly items: readonly RecalledEntry[]
  /** The tail of this conversation, oldest first. */
  readonly working: readonly StoredEntry[]
  /** Intentions that have come due. */
  readonly due: readonly StoredEntry[]
  /** About what the items cost. */
  readonly tokens: number
  /** True when memory could not be read, or not before the signal fired: everything is empty, and the turn goes on. */
  readonly failed: boolean
}

/** What hydration needs beside the settings. */
export interface HydrateParts {
  readonly counters: ReturnType<typeof createCounters>
  /** What each scope was shown lately, by partition. */
  readonly shown: BoundedMap<readonly string[]>
}

/** Contents that are remembered of one scope, so that they are not learned again. */
const shownContents = 200

/**
 * Reads what memory has for a turn. A store that fails costs the recall and nothing else: it is counted,
 * logged and reported as `failed`. An embedder that fails, or does not answer in time, costs the vectors only.
 *
 * @throws MemoryError - for a missing or malformed scope and malformed options, which are faults of the caller.
 */
export async function hydrate(
  settings: MemorySettings,
  { counters, shown }: HydrateParts,
  scope: Scope,
  options: HydrateOptions,
): Promise<Hydration> {
  const partition = partitionKey(scope)
  const { store, layers, logger } = settings
  const { query, limit = 20, budgetTokens = 1_500, state, signal } = options
  // An empty id is no conversation.
  const sessionId = options.sessionId ? conversationKey(options.sessionId) : undefined
  const now = parseTime('now', options.now ?? settings.now())
  parseLimit(limit)
  if (typeof query !== 'string') throw malformed('query', 'It is text; empty recalls nothing.')
  // No number is within a budget that is none: everything would be let through.
  if (typeof budgetTokens !== 'number' || !(budgetTokens >= 0))
    throw malformed('budgetTokens', 'It is a number from 0.')
  const read = async () => {
    const embedding = await embedQuery(settings, counters, query, signal)
    return Promise.all([
      recall(
        store,
        scope,
        {
          text: query,
          now,
          limit,
          // The tail of the conversation is in the prompt as it is, and intentions come when due.
          layers: layers.filter((layer) => layer !== 'working'),
          inheritedLayers: settings.inheritedLayers,
          ...(embedding !== undefined && { embedding }),
        },
        settings.recall,
      ),
      sessionId !== undefined && layers.includes('working')
        ? listWorking(store, scope, sessionId)
        : [],
      layers.includes('prospective') ? listDue(store, scope, { now, state }) : [],
    ])
  }
  try {
    const [found, working, due] = await abortable(read, signal)
    const { items, tokens } = withinBudget(found, budgetTokens)
    const contents = [...(shown.get(partition) ?? []), ...items.map(({ content }) => content)]
    shown.set(partition, [...new Set(contents)].slice(-shownContents))
    return Object.freeze({ items, working, due, tokens, failed: false })
  } catch (thrown) {
    counters.recallFailures += 1
    const what = signal?.aborted ? 'was not read before the signal fired' : 'could not be read'
    logger.warn(`memory ${what}; the turn goes on without it`, { error: thrown })
    return nothing
  }
}

function malformed(field: string, what: string): MemoryError {
  return new MemoryError('MEMORY_QUERY_INVALID', `"${field}" was refused. ${what}`, {
    details: { field },
  })
}

const nothing: Hydration = Object.freeze({
  items: Object.freeze([]),
  working: Object.freeze([]),
  due: Object.freeze([]),
  tokens: 0,
  failed: true,
})

async function embedQuery(
  { embedder, queryEmbeddingTimeoutMs, store, recall: { weights }, logger }: MemorySettings,
  counters: HydrateParts['counters'],
  query: string,
  signal: AbortSignal | undefined,
): Promise<Float32Array | undefined> {
  const isAsked = store.capabilities.ranksByVector && weights.vector > 0 && query.trim() !== ''
  if (embedder === undefined || !isAsked) return undefined
  try {
    const timeoutMs = queryEmbeddingTimeoutMs
    return (await embedTexts(embedder, [query], { timeoutMs, signal }))[0]
  } catch (thrown) {
    // Then the whole recall is over, and counted as that.
    signal?.throwIfAborted()
    counters.embeddingFailures += 1
    logger.warn('the query could not be embedded; its words are searched', { error: thrown })
    return undefined
  }
}

/** Takes the best until the budget is spent. An entry that does not fit is passed over for shorter ones. */
function withinBudget(
  found: readonly RecalledEntry[],
  budgetTokens: number,
): { items: readonly RecalledEntry[]; tokens: number } {
  let tokens = 0
  const items = found.filter(({ content }) => {
    const cost = estimateTokens(content) + entryTokens
    if (tokens + cost > budgetTokens) return false
    tokens += cost
    return true
  })
  return { items: Object.freeze(items), tokens }
}

/** About what is rendered around a content: layer, kind, who said it, day. */
const entryTokens = 16
