import { parseVector } from './parse-entry.ts'

/** Turns texts into vectors. `@symfonic/memory/ai-sdk` makes one of any embedding model. */
export interface Embedder {
  /** One vector a text, in order. May reject: what is written is then found by its words only. */
  embed(
    texts: readonly string[],
    options: { signal?: AbortSignal },
  ): PromiseLike<readonly (Float32Array | readonly number[])[]>
}

/**
 * Embeds texts, checking what came back.
 *
 * @throws Whatever the embedder throws; `MemoryError` - `MEMORY_ENTRY_INVALID` when vectors are missing or
 * malformed.
 */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  options: { signal?: AbortSignal },
): Promise<readonly Float32Array[]> {
  const vectors = await embedder.embed(texts, options)
  return texts.map((_, index) => parseVector('embedding', vectors[index]))
}
