import { describe, expect, it } from 'vitest'
import { createMemory } from './create-memory.ts'
import { createInMemoryStore } from './in-memory-store.ts'
import { listKnownEntities } from './list-known-entities.ts'

const scope = { tenantId: 'acme' }
const provenance = { source: 'extraction' } as const

describe('known entities', () => {
  it('are those of the scope, the latest first, as many as asked for', async () => {
    const memory = createMemory({ store: createInMemoryStore() })
    const entity = { layer: 'semantic', kind: 'entity', provenance } as const
    for (const [id, occurredAt] of [
      ['a', 1],
      ['b', 3],
      ['c', 2],
    ] as const) {
      const metadata = id === 'c' ? { type: 7 } : { type: 'hotel' }
      await memory.remember(scope, {
        ...{ ...entity, id, occurredAt, metadata, content: `the ${id}` },
        ...(id === 'a' ? {} : { label: id.toUpperCase() }),
      })
    }
    await memory.remember({ tenantId: 'globex' }, { ...entity, content: 'elsewhere' })
    await memory.remember(scope, { ...entity, kind: 'fact', content: 'no entity' })
    expect(await listKnownEntities(memory, scope)).toEqual([
      { id: 'b', label: 'B', type: 'hotel' },
      { id: 'c', label: 'C', type: 'thing' },
      { id: 'a', label: 'the a', type: 'hotel' },
    ])
    expect(await listKnownEntities(memory, scope, { limit: 1 })).toHaveLength(1)
  })
})
