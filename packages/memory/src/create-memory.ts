import { createBackground } from './background.ts'
import { describeBlocks, type MemoryBlock } from './blocks.ts'
import { createBoundedMap } from './bounded-map.ts'
import { type ConsolidationOutcome, consolidateTurn } from './consolidate.ts'
import { type Correction, type CorrectionOutcome, correctEntry } from './correct.ts'
import { createCounters, type MemoryCounters } from './counters.ts'
import { embedTexts } from './embedder.ts'
import type { EntryDraft, StoredEntry } from './entry.ts'
import { MemoryError } from './errors.ts'
import { type HydrateOptions, type Hydration, hydrate } from './hydrate.ts'
import { createSeededScopes, identityEntry, identityScope } from './identity.ts'
import { listDue } from './intentions.ts'
import { jobKinds, runJob } from './jobs/run-job.ts'
import type { MemoryLayer } from './layer.ts'
import { type MemoryOptions, parseMemoryOptions } from './memory-settings.ts'
import { parseEntry } from './parse-entry.ts'
import { parseScope, partitionKey, type Scope } from './scope.ts'
import type { Scrubber } from './scrub.ts'
import { type AuthoredSkill, skillEntry } from './skills.ts'
import type { EntryPage, ListOptions, RemoveSelector } from './store.ts'
import { listWorking, planWorking } from './working.ts'
import { type MemoryTurn, parseTurn } from './write/turn.ts'
import { turnEntries } from './write/turn-entries.ts'

/** The memory of an agent: what a host calls before and after each turn, and whenever a person asks. */
export interface Memory {
  /** The layers that are enabled. */
  readonly layers: readonly MemoryLayer[]
  /**
   * Reads what memory has for a turn, before the model is called. Never rejects but for a malformed
   * scope or option: a store that is down costs the recall (`failed`). What was recalled is strengthened in the background.
   */
  hydrate(scope: Scope, options: HydrateOptions): Promise<Hydration>
  /**
   * Writes a turn, after the answer. Returns at once; the promise tells what became of it, never rejects, and
   * need not be awaited: `flush` waits for it.
   *
   * @throws MemoryError - at once, for a missing or malformed scope or turn.
   */
  consolidate(scope: Scope, turn: MemoryTurn): Promise<ConsolidationOutcome>
  /** One layer. @throws MemoryError - `MEMORY_LAYER_DISABLED`. @see MEM-07 */
  getLayer(layer: MemoryLayer): LayerHandle
  /** Writes one entry, scrubbed. The same draft twice is one entry, and an entry of the same id is replaced. */
  remember(scope: Scope, draft: EntryDraft): Promise<{ id: string; created: boolean }>
  /** Replaces an entry by what holds now; both can be inspected. The content is scrubbed. */
  correct(scope: Scope, correction: Correction): Promise<CorrectionOutcome>
  /** Removes for good: by ids, source, subject, or everything of a scope. @returns how many entries. */
  forget(scope: Scope, selector: RemoveSelector): Promise<number>
  /** Entries of a scope, page by page, for people who look at them. */
  list(scope: Scope, options?: ListOptions): Promise<EntryPage>
  /** Every entry of a scope, superseded ones included. */
  exportAll(scope: Scope): AsyncIterable<StoredEntry>
  /** What there is, block by block, and what is required and missing. @see MEM-50 */
  describeBlocks(
    scope: Scope,
    options?: { requiredLabels?: readonly string[] },
  ): Promise<readonly MemoryBlock[]>
  /**
   * Plants an agent's identity for the tenant, once, by a top-level turn only (`depth` 0). @see MEM-46 to MEM-49
   *
   * @returns whether this call looked after it; false for a delegated child, and for a scope it remembers.
   */
  seedIdentity(
    scope: Scope,
    identity: { domainName: string; depth: number; content?: string },
  ): Promise<{ seeded: boolean }>
  /** Writes an authored skill; seeding the same tag and label again replaces it. @throws PredicateError, before anything is written. */
  seedAuthoredSkill(
    scope: Scope,
    skill: AuthoredSkill,
    options: { sourceTag: string },
  ): Promise<{ id: string; created: boolean }>
  /**
   * Fills an empty working memory from the tail of a transcript, once a session and process. @see MEM-54
   *
   * @returns how many messages were filled in.
   */
  refillWorking(scope: Scope, tail: Omit<MemoryTurn, 'turnId'>): Promise<number>
  /** Intentions that have come due. */
  intentions(
    scope: Scope,
    options?: { now?: number; state?: unknown },
  ): Promise<readonly StoredEntry[]>
  /** Asks for a deep sleep of a scope: a pass through everything, in small jobs. */
  requestSleep(scope: Scope): Promise<void>
  /**
   * Works on waiting jobs until none is due, `limit` were done or `signal` fires.
   *
   * @returns how many jobs were worked on.
   */
  runJobs(options?: { limit?: number; signal?: AbortSignal; scope?: Scope }): Promise<number>
  /** What went wrong and was survived. */
  counters(): MemoryCounters
  /** Resolves when the background work of this memory, and of no other, is over. @see MEM-41 */
  flush(): Promise<void>
  /** Waits for the background work and closes the store. */
  close(): Promise<void>
}

/** One layer of a memory. */
export interface LayerHandle {
  readonly layer: MemoryLayer
  remember(
    scope: Scope,
    draft: Omit<EntryDraft, 'layer'>,
  ): Promise<{ id: string; created: boolean }>
  list(scope: Scope, options?: ListOptions): Promise<EntryPage>
}

/** Scopes and conversations of which something is remembered in the process. */
const mostSessions = 1_000

/** How much stronger a memory gets by being recalled. */
const recalledGain = 0.05

/** How long a claim on a job holds. */
const leaseMs = 60_000

/**
 * Makes a memory over a store. Nothing is read or written until it is asked to.
 *
 * @throws MemoryError - `MEMORY_OPTION_INVALID`.
 */
export function createMemory(options: MemoryOptions): Memory {
  const settings = parseMemoryOptions(options)
  const { store, layers, logger, scrubber, now } = settings
  const counters = createCounters()
  const shown = createBoundedMap<readonly string[]>(mostSessions)
  const refilled = createBoundedMap<true>(mostSessions)
  const turnsSinceNap = createBoundedMap<number>(mostSessions)
  const seeded = createSeededScopes()
  const background = createBackground((thrown) => {
    counters.writeFailures += 1
    logger.warn('background work of memory failed', { error: thrown })
  })

  const assertEnabled = (layer: MemoryLayer): void => {
    if (layers.includes(layer)) return
    throw new MemoryError(
      'MEMORY_LAYER_DISABLED',
      `The ${layer} layer is not enabled. Add it to "layers" of createMemory.`,
      { details: { layer } },
    )
  }

  const remember = async (
    scope: Scope,
    draft: EntryDraft,
  ): Promise<{ id: string; created: boolean }> => {
    const parsed = parseEntry(scrubDraft(draft, scrubber), { now: now() })
    assertEnabled(parsed.layer)
    const embedding = await embedContent(parsed.content)
    const entry = embedding === undefined ? parsed : { ...parsed, embedding }
    const outcome = await store.write(scope, { put: [{ entry }] })
    return { id: entry.id, created: outcome.committed && outcome.entries[0]?.status === 'created' }
  }

  const embedContent = async (content: string): Promise<Float32Array | undefined> => {
    const { embedder } = settings
    if (embedder === undefined || !store.capabilities.ranksByVector) return undefined
    try {
      return (await embedTexts(embedder, [content], {}))[0]
    } catch (thrown) {
      counters.embeddingFailures += 1
      logger.warn('an entry could not be embedded; it is found by its words', { error: thrown })
      return undefined
    }
  }

  const runJobs: Memory['runJobs'] = async ({ limit = 100, signal, scope } = {}) => {
    let done = 0
    while (done < limit && !signal?.aborted) {
      const at = now()
      const kinds = Object.values(jobKinds)
      const [job] = await store.jobs.claim({ now: at, leaseMs, kinds, ...(scope && { scope }) })
      if (job === undefined) break
      done += 1
      try {
        await runJob(store, job, { now: at, halfLifeMs: settings.recall.halfLifeMs })
      } catch (thrown) {
        // The claim ends with its lease, and the job is tried again.
        counters.jobFailures += 1
        logger.warn('a job of memory failed', { kind: job.kind, error: thrown })
      }
    }
    return done
  }

  const napAfterTurn = async (scope: Scope): Promise<void> => {
    const { quickNapEveryTurns, runsJobs } = settings
    if (quickNapEveryTurns === 0) return
    const key = partitionKey(scope)
    const turns = (turnsSinceNap.get(key) ?? 0) + 1
    turnsSinceNap.set(key, turns % quickNapEveryTurns)
    if (turns < quickNapEveryTurns) return
    await store.jobs.enqueue(scope, { kind: jobKinds.quickNap, runAt: now() })
    if (runsJobs) background.start(() => runJobs({ scope, limit: 4 }))
  }

  return Object.freeze({
    layers,

    async hydrate(scope, given) {
      const hydration = await hydrate(settings, { counters, shown }, scope, given)
      if (hydration.items.length > 0) {
        const at = given.now ?? now()
        const byScope = Map.groupBy(hydration.items, (item) => partitionKey(item.scope))
        for (const items of byScope.values()) {
          const ids = items.map(({ id }) => id)
          const [first] = items
          if (first === undefined) continue
          background.start(() => store.touch(first.scope, ids, { at, gain: recalledGain }))
        }
      }
      return hydration
    },

    consolidate(scope, turn) {
      const parsed = parseScope(scope)
      const told = parseTurn(turn)
      const recalled = shown.get(partitionKey(parsed)) ?? []
      return new Promise((resolve) => {
        background.start(async () => {
          try {
            const outcome = await consolidateTurn(settings, counters, parsed, told, recalled)
            resolve({ ...outcome, failed: false })
          } catch (thrown) {
            resolve({ created: 0, changed: 0, repeated: 0, failed: true })
            throw thrown
          }
          await napAfterTurn(parsed)
        })
      })
    },

    getLayer(layer) {
      assertEnabled(layer)
      return Object.freeze({
        layer,
        remember: (scope: Scope, draft: Omit<EntryDraft, 'layer'>) =>
          remember(scope, { ...draft, layer }),
        list: (scope: Scope, given: ListOptions = {}) =>
          store.list(scope, { ...given, filter: { ...given.filter, layers: [layer] } }),
      })
    },

    remember,

    async correct(scope, correction) {
      const content = scrubber.text(correction.content).text
      return correctEntry(store, scope, { ...correction, content }, { now: now() })
    },

    async forget(scope, selector) {
      const removed = await store.remove(scope, selector)
      shown.delete(partitionKey(scope))
      return removed
    },

    async list(scope, given) {
      return store.list(scope, given)
    },

    exportAll: (scope) => store.export(scope),

    async describeBlocks(scope, { requiredLabels = [] } = {}) {
      return describeBlocks(await store.describe(scope), { layers, requiredLabels })
    },

    async seedIdentity(scope, { domainName, depth, content }) {
      const where = identityScope(scope)
      const key = JSON.stringify([partitionKey(where), domainName])
      if (depth !== 0 || seeded.has(key)) return { seeded: false }
      assertEnabled('semantic')
      const identity = {
        domainName,
        ...(content !== undefined && { content: scrubber.text(content).text }),
      }
      const entry = identityEntry(identity, { now: now() })
      await store.write(where, { put: [{ entry, ifExists: 'keep' }] })
      // Only now: a store that was down is asked again by the next turn.
      seeded.set(key, true)
      return { seeded: true }
    },

    async seedAuthoredSkill(scope, skill, { sourceTag }) {
      assertEnabled('procedural')
      const entry = skillEntry(skill, { sourceTag, now: now() })
      const { id } = entry
      const { created } = await remember(scope, { ...entry, id })
      return { id, created }
    },

    async refillWorking(scope, tail) {
      const key = JSON.stringify([partitionKey(scope), tail.sessionId])
      if (refilled.has(key) || !layers.includes('working')) return 0
      const there = await listWorking(store, scope, tail.sessionId)
      refilled.set(key, true)
      if (there.length > 0) return 0
      const messages = tail.messages.map((message) => ({
        ...message,
        text: scrubber.text(message.text).text,
      }))
      const turn = { ...tail, messages, turnId: deriveRefillId(tail.sessionId) }
      const episodes = turnEntries(parseTurn(turn), {
        index: tail.index ?? 0,
        before: [],
        now: now(),
      })
      const { put } = await planWorking(store, scope, tail.sessionId, episodes)
      await store.write(scope, { put })
      return put.length
    },

    async intentions(scope, { now: at = now(), state } = {}) {
      return listDue(store, scope, { now: at, state })
    },

    async requestSleep(scope) {
      await store.jobs.enqueue(scope, { kind: jobKinds.deepSleep, runAt: now() })
      if (settings.runsJobs) background.start(() => runJobs({ scope: parseScope(scope) }))
    },

    runJobs,
    counters: () => ({ ...counters }),
    flush: () => background.flush(),
    async close() {
      await background.flush()
      await store.close()
    },
  } satisfies Memory)
}

function deriveRefillId(sessionId: string): string {
  return `refill:${sessionId}`.slice(0, 200)
}

/** Takes secrets out of every text of a draft, and credentials out of its metadata. */
function scrubDraft(draft: EntryDraft, scrubber: Scrubber): EntryDraft {
  const texts = (['content', 'context', 'label', 'subject'] as const).flatMap((key) => {
    const value: unknown = draft[key]
    return typeof value === 'string' ? [[key, scrubber.text(value).text] as const] : []
  })
  const properties: unknown = draft.metadata && scrubber.properties(draft.metadata)
  return {
    ...draft,
    ...Object.fromEntries(texts),
    ...(typeof properties === 'object' && properties !== null && { metadata: { ...properties } }),
  }
}
