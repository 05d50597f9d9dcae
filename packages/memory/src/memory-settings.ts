import type { Embedder } from './embedder.ts'
import { MemoryError } from './errors.ts'
import { type MemoryLayer, memoryLayers, parseLayers } from './layer.ts'
import { type Logger, quietLogger, silentLogger } from './logger.ts'
import { readOptions, readSafely } from './read-object.ts'
import { defaultRecallSettings, type RecallSettings } from './recall/settings.ts'
import { recallSignals } from './recall/signal.ts'
import { createScrubber, type Scrubber } from './scrub.ts'
import { scrubStore } from './scrub-store.ts'
import type { MemoryStore } from './store.ts'
import { parseTimeout } from './time-limit.ts'

/** How a memory is made. Only the store is needed. */
export interface MemoryOptions {
  readonly store: MemoryStore
  /** Without one, things are found by their words. */
  readonly embedder?: Embedder
  /**
   * Milliseconds that a recall waits for the embedder before words are searched alone; 2,000 by default. What is
   * written waits five times as long. Keep it below what a turn waits for memory.
   */
  readonly embeddingTimeoutMs?: number
  /** The layers that are written and read; all five by default (MEM-05). */
  readonly layers?: readonly MemoryLayer[]
  /** Layers in which a user's turn reads what was written for the namespace and the tenant; `semantic` and `procedural`. */
  readonly inheritedLayers?: readonly MemoryLayer[]
  /** What is taken out of everything before it is kept; credentials and secrets by default (MEM-21). */
  readonly scrubber?: Scrubber
  /** Changes to how recall weighs what it finds; `weights` may name some signals only. */
  readonly recall?: Partial<Omit<RecallSettings, 'weights'>> & {
    readonly weights?: Partial<RecallSettings['weights']>
  }
  /** Turns of a scope, in this process, after which it takes a nap; 20 by default, 0 for never (MEM-44). */
  readonly quickNapEveryTurns?: number
  /** `in-process` (the default) works on jobs by itself; `external` leaves them to whoever calls `runJobs`. */
  readonly jobs?: 'in-process' | 'external'
  /** Epoch milliseconds; the clock by default. */
  readonly now?: () => number
  readonly logger?: Logger
}

/** Options with every default filled in. */
export interface MemorySettings {
  readonly store: MemoryStore
  readonly embedder: Embedder | undefined
  /** Milliseconds that a recall waits for the embedder. */
  readonly queryEmbeddingTimeoutMs: number
  /** Milliseconds that a write waits for the embedder. */
  readonly entryEmbeddingTimeoutMs: number
  readonly layers: readonly MemoryLayer[]
  readonly inheritedLayers: readonly MemoryLayer[]
  readonly scrubber: Scrubber
  readonly recall: RecallSettings
  readonly quickNapEveryTurns: number
  readonly runsJobs: boolean
  readonly now: () => number
  readonly logger: Logger
}

const optionNames = [
  'store',
  'embedder',
  'embeddingTimeoutMs',
  'layers',
  'inheritedLayers',
  'scrubber',
  'recall',
  'quickNapEveryTurns',
  'jobs',
  'now',
  'logger',
]

/**
 * Checks the options of a memory.
 *
 * @throws MemoryError - `MEMORY_OPTION_INVALID`, naming the option; for one that does not exist, too.
 */
export function parseMemoryOptions(given: MemoryOptions): MemorySettings {
  return readSafely('options', () => readMemoryOptions(given), 'MEMORY_OPTION_INVALID')
}

function readMemoryOptions(given: MemoryOptions): MemorySettings {
  const options = readOptions('the options of createMemory', given ?? {}, optionNames)
  if (typeof options.store?.write !== 'function') {
    throw wrong('store', 'It is no memory store. Give createInMemoryStore() or another one.')
  }
  const { store, embedder, quickNapEveryTurns = 20, jobs = 'in-process' } = options
  if (embedder !== undefined && typeof embedder?.embed !== 'function') {
    throw wrong('embedder', 'It has no function "embed". Leave it out to do without vectors.')
  }
  if (!Number.isSafeInteger(quickNapEveryTurns) || quickNapEveryTurns < 0) {
    throw wrong('quickNapEveryTurns', 'It is no whole number from 0. Give 0 for never.')
  }
  if (jobs !== 'in-process' && jobs !== 'external') {
    throw wrong('jobs', 'It is either "in-process" or "external".')
  }
  const scrubber = checkedScrubber(options.scrubber ?? createScrubber())
  const timeoutMs = parseTimeout('embeddingTimeoutMs', options.embeddingTimeoutMs ?? 2_000)
  return Object.freeze({
    store: scrubStore(store, scrubber),
    embedder,
    queryEmbeddingTimeoutMs: timeoutMs,
    // A batch takes longer than a query, and nobody waits for it.
    entryEmbeddingTimeoutMs: 5 * timeoutMs,
    layers: parseLayers(options.layers ?? [...memoryLayers]),
    inheritedLayers: parseLayers(
      options.inheritedLayers ?? ['semantic', 'procedural'],
      'inheritedLayers',
    ),
    scrubber,
    recall: parseRecallSettings(options.recall),
    quickNapEveryTurns,
    runsJobs: jobs === 'in-process',
    now: checkedClock(options.now ?? Date.now),
    logger: quietLogger(options.logger ?? silentLogger),
  })
}

function checkedClock(now: () => number): () => number {
  if (typeof now !== 'function')
    throw wrong('now', 'It is no function. Leave it out for the clock.')
  return () =>
    asked('now', () => {
      const at = now()
      if (Number.isSafeInteger(at)) return at
      throw new TypeError('Epoch milliseconds are expected, a whole number.')
    })
}

function checkedScrubber(scrubber: Scrubber): Scrubber {
  if (typeof scrubber?.text !== 'function' || typeof scrubber.properties !== 'function') {
    throw wrong(
      'scrubber',
      'It has no functions "text" and "properties". createScrubber makes one.',
    )
  }
  return Object.freeze({
    text: (text: string) =>
      asked('scrubber', () => {
        const scrubbed = scrubber.text(text)
        if (typeof scrubbed.text === 'string' && Array.isArray(scrubbed.kinds)) return scrubbed
        throw new TypeError('A scrubbed text is expected: { text, kinds }.')
      }),
    properties: (value: unknown) => asked('scrubber', () => scrubber.properties(value)),
  })
}

/** A function of the host that throws is a fault of its own, told apart from what a store throws. */
function asked<Answer>(option: string, call: () => Answer): Answer {
  try {
    return call()
  } catch (cause) {
    throw new MemoryError(
      'MEMORY_OPTION_INVALID',
      `Option "${option}" threw, or its answer is none. Give one that works.`,
      { details: { option }, cause },
    )
  }
}

function parseRecallSettings(given: MemoryOptions['recall'] = {}): RecallSettings {
  const changes = record('recall', given, Object.keys(defaultRecallSettings))
  const { weights: weighed = {} } = changes
  const weights = {
    ...defaultRecallSettings.weights,
    ...record('recall.weights', weighed, recallSignals),
  }
  const settings = { ...defaultRecallSettings, ...changes, weights }
  for (const signal of recallSignals) {
    if (!(weights[signal] >= 0 && Number.isFinite(weights[signal]))) {
      throw wrong(`recall.weights.${signal}`, 'It is no number from 0.')
    }
  }
  const bounds = [
    ['candidates', 1, 500],
    ['anchors', 0, 100],
    ['neighbourRadius', 0, 10],
    ['linkHops', 0, 2],
  ] as const
  for (const [key, least, most] of bounds) {
    const value = settings[key]
    if (!Number.isSafeInteger(value) || value < least || value > most) {
      throw wrong(`recall.${key}`, `It is no whole number from ${least} to ${most}.`)
    }
  }
  for (const key of ['rankOffset', 'neighbourShare', 'linkShare', 'halfLifeMs'] as const) {
    if (!(settings[key] >= 0 && Number.isFinite(settings[key]))) {
      throw wrong(`recall.${key}`, 'It is no number from 0.')
    }
  }
  return Object.freeze({ ...settings, weights: Object.freeze(weights) })
}

function record<Given extends object>(
  option: string,
  given: Given,
  known: readonly string[],
): Given {
  if (typeof given === 'object' && given !== null) return readOptions(option, given, known)
  throw wrong(option, 'It is no object. Leave it out for the defaults.')
}

function wrong(option: string, what: string): MemoryError {
  return new MemoryError('MEMORY_OPTION_INVALID', `Option "${option}" was refused. ${what}`, {
    details: { option },
  })
}
