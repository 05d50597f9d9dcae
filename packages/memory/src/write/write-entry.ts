import type { createCounters } from '../counters.ts'
import { embedTexts } from '../embedder.ts'
import type { MemoryEntry } from '../entry.ts'
import type { MemorySettings } from '../memory-settings.ts'
import type { Scope } from '../scope.ts'

/**
 * Writes one entry, with a vector where there is a model for it. A model that fails costs the vector: it is
 * counted and logged, and the entry is found by its words.
 *
 * @returns its id, and whether it was not there before.
 * @throws What the store throws.
 */
export async function writeEntry(
  settings: MemorySettings,
  counters: ReturnType<typeof createCounters>,
  scope: Scope,
  parsed: MemoryEntry,
): Promise<{ id: string; created: boolean }> {
  const embedding = await embedContent(settings, counters, parsed.content)
  const entry = embedding === undefined ? parsed : { ...parsed, embedding }
  const outcome = await settings.store.write(scope, { put: [{ entry }] })
  return { id: entry.id, created: outcome.committed && outcome.entries[0]?.status === 'created' }
}

async function embedContent(
  { embedder, store, logger, entryEmbeddingTimeoutMs: timeoutMs }: MemorySettings,
  counters: ReturnType<typeof createCounters>,
  content: string,
): Promise<Float32Array | undefined> {
  if (embedder === undefined || !store.capabilities.ranksByVector) return undefined
  try {
    return (await embedTexts(embedder, [content], { timeoutMs }))[0]
  } catch (thrown) {
    counters.embeddingFailures += 1
    logger.warn('an entry could not be embedded; it is found by its words', { error: thrown })
    return undefined
  }
}
