import { MockEmbeddingModelV4 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { createMemory } from '../create-memory.ts'
import { createInMemoryStore } from '../in-memory-store.ts'
import { createEmbedder } from './create-embedder.ts'

const scope = { tenantId: 'acme' }

/** Vectors that know two subjects: food and places. */
function vectorOf(text: string): number[] {
  return [/dinner|walnut|eat/i.test(text) ? 1 : 0, /hotel|stay/i.test(text) ? 1 : 0, 0.1]
}

describe('an embedder over a model of the AI SDK', () => {
  it('embeds any number of texts, in order, within what the model takes at once', async () => {
    const model = modelOf((text) => [text.length, 0])
    const texts = ['a', 'bb', 'ccc', 'dddd', 'eeeee']
    const vectors = await createEmbedder(model).embed(texts, {})
    expect(vectors.map(([first]) => first)).toEqual([1, 2, 3, 4, 5])
    expect(model.doEmbedCalls.map(({ values }) => values.length)).toEqual([2, 2, 1])
  })

  it('does not ask the model about nothing', async () => {
    const model = modelOf(() => [1])
    expect(await createEmbedder(model).embed([], {})).toEqual([])
    expect(model.doEmbedCalls).toEqual([])
  })

  it('asks for the dimensions that are declared, and hands on the signal', async () => {
    const model = modelOf(() => [1, 2, 3])
    const { signal } = new AbortController()
    await createEmbedder(model, { dimensions: 3 }).embed(['a'], { signal })
    expect(model.doEmbedCalls).toMatchObject([{ dimensions: 3 }])
    expect(model.doEmbedCalls[0]?.abortSignal).toBe(signal)
  })

  it('refuses a vector of another length than the first (learnt)', async () => {
    const embedder = createEmbedder(modelOf((text) => (text === 'odd' ? [1] : [1, 2])))
    await embedder.embed(['even'], {})
    await expect(embedder.embed(['odd'], {})).rejects.toMatchObject({
      code: 'MEMORY_EMBEDDING_DIMENSIONS',
      details: { expected: 2, got: 1 },
    })
  })

  it.each([0, -1, 1.5, Number.NaN])('refuses to be made for %s dimensions', (dimensions) => {
    expect(() =>
      createEmbedder(
        modelOf(() => [1]),
        { dimensions },
      ),
    ).toThrow(expect.objectContaining({ code: 'MEMORY_OPTION_INVALID' }))
  })
})

describe('a memory with it', () => {
  it('finds what shares no word with the query', async () => {
    const memory = memoryWith(modelOf(vectorOf))
    await remember(memory, 'Walnuts make Ann ill.')
    await remember(memory, 'The hotel is by the lake.')
    const { items } = await memory.hydrate(scope, { query: 'planning dinner', limit: 1 })
    expect(items).toMatchObject([
      {
        content: 'Walnuts make Ann ill.',
        because: expect.arrayContaining([expect.objectContaining({ signal: 'vector' })]),
      },
    ])
  })

  it('finds things by their words, and counts, when the model fails', async () => {
    const model = modelOf(() => {
      throw new Error('quota')
    })
    const memory = memoryWith(model)
    await remember(memory, 'Walnuts make Ann ill.')
    const { items, failed } = await memory.hydrate(scope, { query: 'walnuts' })
    expect([items.length, failed]).toEqual([1, false])
    expect(memory.counters()).toMatchObject({ embeddingFailures: 2, recallFailures: 0 })
  })

  it('finds things by their words when the vectors change their length', async () => {
    let dimensions = 3
    const memory = memoryWith(modelOf(() => Array.from({ length: dimensions }, () => 0.5)))
    await remember(memory, 'Walnuts make Ann ill.')
    dimensions = 4
    const { items } = await memory.hydrate(scope, { query: 'walnuts' })
    expect(items).toHaveLength(1)
    expect(memory.counters().embeddingFailures).toBe(1)
  })
})

function modelOf(embed: (text: string) => number[]) {
  return new MockEmbeddingModelV4({
    maxEmbeddingsPerCall: 2,
    doEmbed: async ({ values }) => ({ embeddings: values.map(embed), warnings: [] }),
  })
}

function memoryWith(model: MockEmbeddingModelV4) {
  return createMemory({
    store: createInMemoryStore(),
    embedder: createEmbedder(model, { maxRetries: 0 }),
  })
}

async function remember(memory: ReturnType<typeof memoryWith>, content: string) {
  await memory.remember(scope, { layer: 'semantic', content, provenance: { source: 'author' } })
}
