import type { createCounters } from './counters.ts'
import { embedTexts } from './embedder.ts'
import type { MemoryEntry } from './entry.ts'
import type { ExtractionDirective } from './extraction/directive.ts'
import { readExtraction } from './extraction/read-extraction.ts'
import type { MemoryLayer } from './layer.ts'
import { memoryLimits } from './limits.ts'
import type { MemorySettings } from './memory-settings.ts'
import { fingerprintRecalled, type RecalledFingerprint } from './render-fingerprint.ts'
import { withoutRecalled } from './render-recalled.ts'
import type { Scope } from './scope.ts'
import { scrubId } from './scrub-entry.ts'
import type { EntryPut } from './store.ts'
import { planWorking } from './working.ts'
import { planDirectives } from './write/learn.ts'
import type { MemoryTurn, TurnMessage } from './write/turn.ts'
import { turnEntries } from './write/turn-entries.ts'
import { atPlace, findPlace, guardPlace, isNewAt } from './write/turn-place.ts'

/** What became of a turn. */
export interface ConsolidationOutcome {
  /** Entries that were created. */
  readonly created: number
  /** Entries that were changed: corrected, or linked. */
  readonly changed: number
  /** Notes of the model that said only what it had been shown from memory. */
  readonly repeated: number
  /** True when nothing could be written: the turn is lost to memory, unless it is told again. */
  readonly failed: boolean
}

/** Times a turn is written while others change what it refers to. */
const mostTries = 50

/** Milliseconds that a try waits at most, times those before it: two that go on at once would meet again. */
const pauseMs = 5

/**
 * Writes a turn: its messages as episodes, what the assistant noted as facts, intentions and the rest, and
 * the tail of the conversation as working memory, in one transaction.
 *
 * Everything is scrubbed first. Blocks are read in what the assistant says only: a user or a tool that writes
 * one is quoted, not obeyed. What was recalled is not learned again: notes that say nothing new are
 * left out. A turn told twice is written once.
 *
 * @param recalled - Contents that this scope was shown lately.
 * @throws What the store throws.
 */
export async function consolidateTurn(
  settings: MemorySettings,
  counters: ReturnType<typeof createCounters>,
  scope: Scope,
  told: MemoryTurn,
  recalled: readonly string[],
): Promise<Omit<ConsolidationOutcome, 'failed'>> {
  const { store, layers, scrubber, now: clock } = settings
  // As it is kept, to be known again.
  const turn = { ...told, turnId: scrubId(told.turnId, scrubber) }
  const fingerprint = fingerprintRecalled([...recalled, ...(turn.recalled ?? [])])
  const read = turn.messages.map((message) => readMessage(message, settings, counters))
  // What only repeats what was recalled is no episode, nor the context of one, unless a person said it.
  const news = read.map(({ message }) => {
    const isRepeated = message.role !== 'user' && fingerprint.covers(message.text)
    return isRepeated ? { ...message, text: '' } : message
  })
  const { directives, repeated } = newsIn(
    read.flatMap((each) => each.directives).map((each) => scrubDirective(each, scrubber)),
    fingerprint,
    layers,
  )

  const said = { ...turn, messages: news }
  const ids = turnEntries(said, { index: 0, before: [], now: clock() }).map(({ id }) => id)
  const vectors = new Map<string, Float32Array>()
  for (let attempt = 0; attempt < mostTries; attempt += 1) {
    if (attempt > 0) await pause(Math.random() * pauseMs * attempt)
    const now = clock()
    const place = await findPlace(store, scope, turn, ids)
    const { index, before } = place
    const episodes = atPlace(place, turnEntries(said, { index, before, now }))
    // What was written already has its place, in working memory as well, or had it.
    const added = episodes.filter((episode) => isNewAt(place, episode))
    const learned = await planDirectives(store, scope, directives, { turnId: turn.turnId, now })
    const working = layers.includes('working')
      ? planWorking(place.working, added)
      : { put: [], remove: [] }
    const episodic = layers.includes('episodic')
      ? episodes.map((entry): EntryPut => ({ entry, ifExists: 'keep' }))
      : []
    const put = await withVectors(settings, counters, [...episodic, ...learned.put], vectors)
    const write = { put: [...put, ...working.put], remove: working.remove }
    const outcome = await store.write(scope, added.length > 0 ? guardPlace(place, write) : write)
    if (!outcome.committed) continue
    if (learned.confirmed.length > 0) {
      await store.touch(scope, learned.confirmed, { at: now, gain: confirmedGain })
    }
    const entries = outcome.entries.slice(0, put.length)
    return {
      created: entries.filter(({ status }) => status === 'created').length,
      changed: entries.filter(({ status }) => status === 'replaced').length,
      repeated,
    }
  }
  throw new Error('Others kept changing what the turn refers to.')
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** How much stronger a fact gets by being said again. */
const confirmedGain = 0.1

function readMessage(
  message: TurnMessage,
  { scrubber, logger }: MemorySettings,
  counters: ReturnType<typeof createCounters>,
): { message: TurnMessage; directives: readonly ExtractionDirective[] } {
  // A prompt that comes back in an answer is nobody's news.
  const own = withoutRecalled(message.text)
  if (message.role !== 'assistant') {
    return { message: { ...message, text: scrubber.text(own).text }, directives: [] }
  }
  const { text, directives, faults } = readExtraction(own)
  const count = Object.values(faults).reduce((sum, each) => sum + each, 0)
  if (count > 0) {
    counters.extractionFaults += count
    logger.debug('some of what a model noted was not taken', { faults })
  }
  return { message: { ...message, text: scrubber.text(text).text }, directives }
}

function scrubDirective(
  directive: ExtractionDirective,
  scrubber: MemorySettings['scrubber'],
): ExtractionDirective {
  const texts = Object.entries(directive).map(([key, value]: [string, unknown]) => {
    return [key, typeof value === 'string' && key !== 'kind' ? scrubber.text(value).text : value]
  })
  return { ...directive, ...Object.fromEntries(texts) }
}

const layerOf: Readonly<Record<ExtractionDirective['kind'], MemoryLayer>> = {
  fact: 'semantic',
  preference: 'semantic',
  entity: 'semantic',
  relation: 'semantic',
  episode: 'episodic',
  intention: 'prospective',
  correction: 'semantic',
}

function newsIn(
  directives: readonly ExtractionDirective[],
  fingerprint: RecalledFingerprint,
  layers: readonly MemoryLayer[],
): { directives: readonly ExtractionDirective[]; repeated: number } {
  const wanted = directives.filter(({ kind }) => layers.includes(layerOf[kind]))
  const news = wanted.filter((directive) => {
    // A correction may well say again what was recalled, to put the other thing right.
    if (directive.kind === 'correction' || directive.kind === 'relation') return true
    return directive.content === undefined || !fingerprint.covers(directive.content)
  })
  return { directives: news, repeated: wanted.length - news.length }
}

/** Gives new entries a vector. Without one they are found by their words. A try that is made again asks for no text twice. */
async function withVectors(
  { embedder, entryEmbeddingTimeoutMs, store, logger }: MemorySettings,
  counters: ReturnType<typeof createCounters>,
  puts: readonly EntryPut[],
  vectors: Map<string, Float32Array>,
): Promise<readonly EntryPut[]> {
  if (embedder === undefined || !store.capabilities.ranksByVector || puts.length === 0) return puts
  const bare = puts.filter(({ entry }) => entry.embedding === undefined)
  const texts = [...new Set(bare.map(({ entry }) => embeddedText(entry)))].filter(
    (text) => !vectors.has(text),
  )
  try {
    const timeoutMs = entryEmbeddingTimeoutMs
    const made = texts.length === 0 ? [] : await embedTexts(embedder, texts, { timeoutMs })
    for (const [index, vector] of made.entries()) vectors.set(texts[index] ?? '', vector)
    return puts.map((put) => {
      const embedding = put.entry.embedding ?? vectors.get(embeddedText(put.entry))
      return embedding === undefined ? put : { ...put, entry: { ...put.entry, embedding } }
    })
  } catch (thrown) {
    counters.embeddingFailures += bare.length
    logger.warn('what was written could not be embedded; it is found by its words', {
      error: thrown,
    })
    return puts
  }
}

function embeddedText({ content, label }: MemoryEntry): string {
  const text = label === undefined ? content : `${label}: ${content}`
  return text.slice(0, memoryLimits.queryChars)
}
