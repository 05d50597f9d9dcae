import { abortable } from './abortable.ts'
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
 * Embeds texts, checking what came back, and waits no longer than it may: a model may be deaf to its signal.
 *
 * @throws Whatever the embedder throws; an error that says so when it did not answer in time; the reason of the
 * signal; `MemoryError` - `MEMORY_ENTRY_INVALID` when vectors are missing or malformed.
 */
export async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<readonly Float32Array[]> {
  const limit = new AbortController()
  const stop = () => limit.abort(new Error(`No embedding within ${timeoutMs} ms.`))
  const timer = timeoutMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(stop, timeoutMs)
  const both = signal === undefined ? limit.signal : AbortSignal.any([signal, limit.signal])
  try {
    const vectors = await abortable(async () => embedder.embed(texts, { signal: both }), both)
    return texts.map((_, index) => parseVector('embedding', vectors[index]))
  } finally {
    clearTimeout(timer)
  }
}
