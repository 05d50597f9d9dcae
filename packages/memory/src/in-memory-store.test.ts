import { describe, expect, it } from 'vitest'
import { createInMemoryStore } from './in-memory-store.ts'
import { here, idsOf, put, sample } from './testing/sample.ts'
import { describeMemoryStore } from './testing.ts'

describeMemoryStore('in memory', () => createInMemoryStore(), {
  runner: { describe, it },
})

describe('createInMemoryStore', () => {
  it('refuses one entry too many, and forgets nothing for it', async () => {
    const store = createInMemoryStore({ maxEntries: 2 })
    await put(store, here, [sample('a'), sample('b')])
    await expect(put(store, { tenantId: 'other' }, [sample('c')])).rejects.toMatchObject({
      code: 'MEMORY_STORE_FULL',
    })
    expect(idsOf(await store.get(here, ['a', 'b']))).toEqual(['a', 'b'])
    await put(store, here, [sample('a', { content: 'replaced' })])
    await store.write(here, { put: [{ entry: sample('c') }], remove: ['b'] })
    expect(idsOf(await store.get(here, ['a', 'b', 'c']))).toEqual(['a', 'c'])
  })

  it.each([0, -1, 1.5, Number.NaN])('refuses %s as the most entries', (maxEntries) => {
    expect(() => createInMemoryStore({ maxEntries })).toThrow(
      expect.objectContaining({ code: 'MEMORY_OPTION_INVALID' }),
    )
  })
})
