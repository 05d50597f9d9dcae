import { describe, expect, it } from 'vitest'
import { createMemory } from './create-memory.ts'
import type { Hydration } from './hydrate.ts'
import { createInMemoryStore } from './in-memory-store.ts'
import { renderHydration } from './render-hydration.ts'

const scope = { tenantId: 'acme', userId: 'ann' }
const now = Date.parse('2026-06-01T00:00:00Z')
const provenance = { source: 'author' } as const

async function hydrated(): Promise<Hydration> {
  const memory = createMemory({ store: createInMemoryStore(), now: () => now })
  await memory.remember(scope, { layer: 'semantic', content: 'The visa is green.', provenance })
  await memory.remember(scope, {
    ...{ layer: 'prospective', content: 'Ask about the visa.', provenance },
    dueAt: now - 1,
  })
  await memory.remember(
    { tenantId: 'acme' },
    { layer: 'semantic', content: 'The visa office opens at nine.', provenance },
  )
  const message = { role: 'user', text: 'Hello from the visa office.' } as const
  await memory.consolidate(scope, { turnId: 't', sessionId: 's', messages: [message] })
  await memory.flush()
  return memory.hydrate(scope, { query: 'visa', sessionId: 's' })
}

describe('what memory has for a turn, as text', () => {
  it('begins with what is due, and says each thing once', async () => {
    const lines = renderHydration(await hydrated())
      .split('\n')
      .filter((line) => line.startsWith('- '))
    expect(lines[0]).toMatch(/^- prospective: .*Ask about the visa/)
    expect(lines).toHaveLength(4)
    for (const said of ['visa is green', 'opens at nine', 'Ask about', 'Hello from']) {
      expect(lines.filter((line) => line.includes(said))).toHaveLength(1)
    }
  })

  it('shows the tail of the conversation when it is asked to', async () => {
    const hydration = await hydrated()
    expect(renderHydration(hydration)).not.toContain('- working:')
    expect(renderHydration(hydration, { showWorking: true })).toContain('- working:')
  })

  it('is nothing for nothing, and bounded as asked', async () => {
    const nothing = { items: [], working: [], due: [], tokens: 0, failed: true }
    expect(renderHydration(nothing)).toBe('')
    expect(renderHydration(await hydrated(), { maxChars: 400 }).length).toBeLessThanOrEqual(400)
  })
})
