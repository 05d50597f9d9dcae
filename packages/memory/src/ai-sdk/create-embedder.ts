import type { Embedder } from '../embedder.ts'
import { MemoryError } from '../errors.ts'
import { readOptions } from '../read-object.ts'
import { hasFunction, refusedOption } from './refuse-option.ts'
import { type EmbeddingModel, embedMany } from './sdk.ts'

/** How texts are embedded. Everything is optional. */
export interface CreateEmbedderOptions
  extends Pick<
    Parameters<typeof embedMany>[0],
    'maxRetries' | 'maxParallelCalls' | 'headers' | 'providerOptions'
  > {
  /**
   * Length of the vectors: asked of the model, and checked. By default the model's own, learnt from its
   * first answer.
   */
  readonly dimensions?: number
}

/**
 * An embedder over any embedding model of the AI SDK, for `createMemory`.
 *
 * A model that fails costs the vectors only: the memory counts it, and finds things by their words.
 * Vectors whose length changes while the process runs are refused like that, since no index could
 * compare them.
 *
 * @throws MemoryError - `MEMORY_OPTION_INVALID` for what is no model, for dimensions that are no whole number from 1
 * and for an option that does not exist.
 */
export function createEmbedder(
  model: EmbeddingModel,
  options: CreateEmbedderOptions = {},
): Embedder {
  const { dimensions, ...settings } = readOptions('options', options, optionKeys)
  if (typeof model !== 'string' && !hasFunction('model', model, 'doEmbed')) {
    throw refusedOption('model', 'It is no embedding model. Give one of a provider, or its id.')
  }
  if (dimensions !== undefined && (!Number.isSafeInteger(dimensions) || dimensions < 1)) {
    throw refusedOption('dimensions', 'Give a whole number from 1, or leave it to the model.')
  }
  let learnt = dimensions

  return Object.freeze({
    embed: async (texts: readonly string[], { signal }: { signal?: AbortSignal }) => {
      if (texts.length === 0) return []
      const { embeddings } = await embedMany({
        ...settings,
        model,
        values: [...texts],
        ...(dimensions !== undefined && { dimensions }),
        ...(signal !== undefined && { abortSignal: signal }),
      })
      for (const { length } of embeddings) {
        learnt ??= length
        if (length !== learnt) throw otherDimensions(learnt, length)
      }
      return embeddings
    },
  })
}

const optionKeys = ['dimensions', 'maxRetries', 'maxParallelCalls', 'headers', 'providerOptions']

function otherDimensions(expected: number, got: number): MemoryError {
  return new MemoryError(
    'MEMORY_EMBEDDING_DIMENSIONS',
    `The embedding model gave a vector of ${got} numbers in place of ${expected}. Use one model for one store, and declare its dimensions.`,
    { details: { expected, got } },
  )
}
