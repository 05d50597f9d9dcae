import { createBackground } from './background.ts'
import { describeBlocks, type MemoryBlock } from './blocks.ts'
import { createBoundedMap } from './bounded-map.ts'
import { type ConsolidationOutcome, consolidateTurn } from './consolidate.ts'
import {
  type Correction,
  type CorrectionOutcome,
  correctEntry,
  parseCorrection,
} from './correct.ts'
import { createCounters, type MemoryCounters } from './counters.ts'
import type { EntryDraft, StoredEntry } from './entry.ts'
import { MemoryError } from './errors.ts'
import { forgetEntries } from './forget.ts'
import { type HydrateOptions, type Hydration, hydrate } from './hydrate.ts'
import { createSeededScopes, identityEntry, identityScope } from './identity.ts'
import { listDue } from './intentions.ts'
import { jobKinds } from './jobs/run-job.ts'
import { runJobs } from './jobs/run-jobs.ts'
import type { MemoryLayer } from './layer.ts'
import { type MemoryOptions, parseMemoryOptions } from './memory-settings.ts'
import { parseEntry } from './parse-entry.ts'
import {
  parseFlushTimeout,
  parseHydrateOptions,
  parseLabels,
  parseRunOptions,
} from './parse-options.ts'
import { readObject, readOptions, readSafely } from './read-object.ts'
import { refillWorking } from './refill-working.ts'
import { parseScope, partitionKey, type Scope } from './scope.ts'
import { createScopeOrder } from './scope-order.ts'
import { scrubEntry } from './scrub-entry.ts'
import { type AuthoredSkill, skillEntry } from './skills.ts'
import type { EntryPage, ListOptions, RemoveSelector } from './store.ts'
import { answerWithin, isOverWithin } from './time-limit.ts'
import { inOrder, writeTimeoutMs } from './write/in-order.ts'
import { type MemoryTurn, parseTurn } from './write/turn.ts'
import { writeEntry } from './write/write-entry.ts'

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
   * need not be awaited: `flush` waits for it. A turn that is not written within 30 seconds has `failed`, though
   * a store that comes back may still write it.
   *
   * @throws MemoryError - at once, for a missing or malformed scope or turn.
   */
  consolidate(scope: Scope, turn: MemoryTurn): Promise<ConsolidationOutcome>
  /** One layer. @throws MemoryError - `MEMORY_LAYER_DISABLED`. @see MEM-07 */
  getLayer(layer: MemoryLayer): LayerHandle
  /** Writes one entry, scrubbed. The same draft twice is one entry, and an entry of the same id is replaced. */
  remember(scope: Scope, draft: EntryDraft): Promise<{ id: string; created: boolean }>
  /**
   * Replaces an entry by what holds now; both can be inspected. The content is scrubbed. The tail of the
   * conversation says what holds now, and later messages are no longer found by the old words.
   */
  correct(scope: Scope, correction: Correction): Promise<CorrectionOutcome>
  /**
   * Removes for good: by ids, source, subject, or everything of a scope, after the turns that are still being
   * written by this memory. What would say the same goes with it: working copies, what an entry superseded,
   * what a merge kept in its place, and its words in what finds later messages; with an id, what says the same in the
   * same layer, of which `hydrate` shows one. `store.remove` takes only what is selected.
   *
   * @returns how many entries.
   */
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
  /**
   * Asks for a deep sleep of a scope: a pass through everything, in small jobs. In the process it begins at once, in the
   * background, and goes on to the end or to `close`; what is left then waits in the store for the next one who wakes.
   */
  requestSleep(scope: Scope): Promise<void>
  /**
   * Works on waiting jobs until none is due, `limit` were done (no limit by default) or `signal` fires, which is
   * looked at after every job and within long ones. Others have their turn in between.
   *
   * @returns how many jobs were worked on.
   */
  runJobs(options?: { limit?: number; signal?: AbortSignal; scope?: Scope }): Promise<number>
  /** What went wrong and was survived. */
  counters(): MemoryCounters
  /**
   * Resolves when the background work of this memory, and of no other, is over, or after `timeoutMs` (30 seconds;
   * `Infinity` for no limit), which is counted and logged; what is left goes on. @see MEM-41
   */
  flush(options?: { timeoutMs?: number }): Promise<void>
  /** Interrupts a sleep, waits for the background work as `flush` does, and closes the store, which has as long again. */
  close(options?: { timeoutMs?: number }): Promise<void>
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
  const order = createScopeOrder()
  const lastTurns = createBoundedMap<Promise<unknown>>(mostSessions)
  const closing = new AbortController()
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
    given: EntryDraft,
  ): Promise<{ id: string; created: boolean }> => {
    const key = partitionKey(scope)
    const draft = readObject('draft', given)
    const at = now()
    const read = () => parseEntry(scrubEntry(draft, scrubber), { now: at })
    const entry = readSafely('draft', read, 'MEMORY_ENTRY_INVALID')
    assertEnabled(entry.layer)
    return inOrder(order.beside(key), () => writeEntry(settings, counters, scope, entry))
  }

  const workOnJobs: Memory['runJobs'] = async (given) =>
    runJobs(store, {
      ...readSafely('options', () => parseRunOptions(given)),
      now,
      halfLifeMs: settings.recall.halfLifeMs,
      onFailure(kind, thrown) {
        counters.jobFailures += 1
        logger.warn('a job of memory failed', { kind, error: thrown })
      },
    })

  /** Works on everything that waits of a scope, until the memory is closed. */
  const startJobs = (scope: Scope): void => {
    background.start(() => workOnJobs({ scope, signal: closing.signal }))
  }

  const flush: Memory['flush'] = async (given) => {
    const left = await background.flush({ timeoutMs: parseFlushTimeout(given) })
    if (left === 0) return
    counters.flushTimeouts += 1
    logger.warn('background work of memory is not over, and is waited for no longer', { left })
  }

  const napAfterTurn = async (scope: Scope): Promise<void> => {
    const { quickNapEveryTurns, runsJobs } = settings
    if (quickNapEveryTurns === 0) return
    const key = partitionKey(scope)
    const turns = (turnsSinceNap.get(key) ?? 0) + 1
    turnsSinceNap.set(key, turns % quickNapEveryTurns)
    if (turns < quickNapEveryTurns) return
    await store.jobs.enqueue(scope, { kind: jobKinds.quickNap, runAt: now() })
    if (runsJobs) startJobs(scope)
  }

  return Object.freeze({
    layers,

    async hydrate(scope, given) {
      partitionKey(scope)
      const asked = readSafely('options', () => parseHydrateOptions(given))
      const hydration = await hydrate(settings, { counters, shown }, scope, asked)
      if (hydration.items.length > 0) {
        const at = asked.now ?? now()
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
      const key = partitionKey(parsed)
      const recalled = shown.get(key) ?? []
      // The place is taken now: what is forgotten from here on waits for this turn, and forgets it too.
      const place = order.beside(key)
      const session = JSON.stringify([key, told.sessionId])
      const before = lastTurns.get(session)
      const written = new Promise<ConsolidationOutcome>((resolve) => {
        background.start(async () => {
          try {
            const outcome = await inOrder(place, async () => {
              // The turn before has its place first. It is over in time, written or not.
              await before
              return consolidateTurn(settings, counters, parsed, told, recalled)
            })
            resolve({ ...outcome, failed: false })
          } catch (thrown) {
            resolve({ created: 0, changed: 0, repeated: 0, failed: true })
            throw thrown
          }
          await napAfterTurn(parsed)
        })
      })
      lastTurns.set(session, written)
      return written
    },

    getLayer(layer) {
      readSafely('layer', () => assertEnabled(layer))
      return Object.freeze({
        layer,
        remember: async (scope: Scope, draft: Omit<EntryDraft, 'layer'>) =>
          remember(scope, { ...readObject('draft', draft), layer }),
        list: async (scope: Scope, given: ListOptions = {}) => {
          const { filter = {}, ...options } = readObject('options', given)
          const within = { ...readObject('filter', filter), layers: [layer] }
          return store.list(scope, { ...options, filter: within })
        },
      })
    },

    remember,

    async correct(scope, correction) {
      const key = partitionKey(scope)
      const parsed = parseCorrection(
        readOptions('correction', correction, ['id', 'content', 'author', 'turnId']),
      )
      const content = scrubber.text(parsed.content).text
      const at = now()
      return order.alone(key, () => {
        return correctEntry(store, scope, { ...parsed, content }, { now: at })
      })
    },

    async forget(scope, selector) {
      const key = partitionKey(scope)
      return order.alone(key, async () => {
        const removed = await forgetEntries(store, scope, selector)
        shown.delete(key)
        return removed
      })
    },

    async list(scope, given) {
      return store.list(scope, given)
    },

    exportAll: (scope) => store.export(scope),

    async describeBlocks(scope, given = {}) {
      const { requiredLabels: labels = [] } = readOptions('options', given, ['requiredLabels'])
      const requiredLabels = readSafely('requiredLabels', () => parseLabels(labels))
      return describeBlocks(await store.describe(scope), { layers, requiredLabels })
    },

    async seedIdentity(scope, given) {
      const where = identityScope(scope)
      const { domainName, depth, content } = readOptions('identity', given, [
        'domainName',
        'depth',
        'content',
      ])
      const identity = { domainName, ...(content !== undefined && { content }) }
      const entry = identityEntry(identity, { now: now() })
      const key = JSON.stringify([partitionKey(where), domainName])
      if (depth !== 0 || seeded.has(key)) return { seeded: false }
      assertEnabled('semantic')
      const write = store.write(where, { put: [{ entry, ifExists: 'keep' }] })
      await answerWithin(write, { timeoutMs: writeTimeoutMs })
      // Only now: a store that was down is asked again by the next turn.
      seeded.set(key, true)
      return { seeded: true }
    },

    async seedAuthoredSkill(scope, skill, given) {
      partitionKey(scope)
      const { sourceTag } = readOptions('options', given, ['sourceTag'])
      assertEnabled('procedural')
      return remember(
        scope,
        skillEntry(readOptions('skill', skill, skillKeys), { sourceTag, now: now() }),
      )
    },

    async refillWorking(scope, given) {
      const partition = partitionKey(scope)
      const told = readObject('tail', given)
      const tail = parseTurn({ ...told, turnId: 'refill' })
      const key = JSON.stringify([partition, tail.sessionId])
      // An empty id is no session, and nobody comes back to it.
      if (told.sessionId === '' || refilled.has(key) || !layers.includes('working')) return 0
      const count = await inOrder(order.beside(partition), () =>
        refillWorking(settings, scope, tail),
      )
      // Only now: a store that was down is asked again by the next turn.
      refilled.set(key, true)
      return count
    },

    async intentions(scope, given = {}) {
      const { now: at = now(), state } = readOptions('options', given, ['now', 'state'])
      return listDue(store, scope, { now: at, state })
    },

    async requestSleep(scope) {
      await store.jobs.enqueue(scope, { kind: jobKinds.deepSleep, runAt: now() })
      if (settings.runsJobs) startJobs(parseScope(scope))
    },

    runJobs: workOnJobs,
    counters: () => ({ ...counters }),
    flush,
    async close(given) {
      // A sleep goes on when somebody wakes it again.
      const timeoutMs = parseFlushTimeout(given)
      closing.abort()
      await flush({ timeoutMs })
      const closed = store.close()
      const settled = Promise.allSettled([closed])
      if (await isOverWithin(settled, { timeoutMs })) return closed
      counters.flushTimeouts += 1
      logger.warn('the store does not close, and is waited for no longer')
    },
  } satisfies Memory)
}

const skillKeys = ['label', 'content', 'actionTool', 'steps', 'importance', 'precondition']
