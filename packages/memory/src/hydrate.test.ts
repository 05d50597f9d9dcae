import { describe, expect, it } from 'vitest'
import { createMemory } from './create-memory.ts'
import { createInMemoryStore } from './in-memory-store.ts'
import { renderRecalled } from './render-recalled.ts'
import { here, noon, put, sample } from './testing/sample.ts'
import { estimateTokens } from './token-estimate.ts'

async function filled(contents: readonly string[]) {
  const store = createInMemoryStore()
  await put(
    store,
    here,
    contents.map((content, index) =>
      sample(`m${index}`, {
        content,
        layer: 'episodic',
        kind: 'turn',
        provenance: { source: 'turn', author: 'assistant' },
      }),
    ),
  )
  return { store, memory: createMemory({ store, now: () => noon }) }
}

describe('hydrate', () => {
  it('keeps what is shown within the budget, however short each item is', async () => {
    const { memory } = await filled(Array.from({ length: 50 }, (_, index) => `tea ${index}`))
    const frame = renderRecalled([{ layer: 'semantic', content: 'x' }]).text
    for (const budgetTokens of [18, 100, 400]) {
      const options = { query: 'tea', budgetTokens, limit: 50 }
      const { items, tokens } = await memory.hydrate(here, options)
      expect(items.length).toBeGreaterThan(0)
      expect(tokens).toBeLessThanOrEqual(budgetTokens)
      const shown = estimateTokens(renderRecalled(items).text) - estimateTokens(frame)
      expect(shown).toBeLessThanOrEqual(budgetTokens)
    }
  })

  it('strengthens what was given, and no copy of it that was left out', async () => {
    const { store, memory } = await filled([
      'My tea is green.',
      'My tea is green.',
      'tea '.repeat(900),
    ])
    const { items } = await memory.hydrate(here, { query: 'green tea', budgetTokens: 100 })
    expect(items).toHaveLength(1)
    await memory.flush()
    const counts = (await store.get(here, ['m0', 'm1', 'm2'])).map(({ id, recallCount }) => [
      id === items[0]?.id,
      recallCount,
    ])
    expect(counts.filter(([isGiven, count]) => isGiven !== (count === 1))).toEqual([])
  })
})
