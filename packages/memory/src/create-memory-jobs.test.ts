import { describe, expect, it } from 'vitest'
import { createMemory } from './create-memory.ts'
import { createInMemoryStore } from './in-memory-store.ts'
import type { MemoryOptions } from './memory-settings.ts'
import type { MemoryStore } from './store.ts'
import { all, ann, bob, setUp, tell } from './testing-fixtures/told-memory.ts'

describe('the background work of a memory', () => {
  it('naps after so many turns and merges what says the same', async () => {
    const { memory } = setUp({ quickNapEveryTurns: 2 })
    const provenance = { source: 'author' } as const
    const draft = { layer: 'semantic', provenance } as const
    await memory.remember(ann, { ...draft, content: 'Ann likes green tea.', importance: 3 })
    await memory.remember(ann, { ...draft, content: 'Ann likes green tea!', importance: 8 })
    await tell(memory, ann, [['user', 'one']], 'turn-1')
    await memory.flush()
    expect((await memory.list(ann, { filter: { layers: ['semantic'] } })).entries).toHaveLength(2)
    await tell(memory, ann, [['user', 'two']], 'turn-2')
    await memory.flush()
    const { entries } = await memory.list(ann, { filter: { layers: ['semantic'] } })
    expect(entries).toMatchObject([{ importance: 8 }])
    expect(entries[0]?.supersedes).toHaveLength(1)
  })

  it('goes through everything in a deep sleep, page by page, and prunes what has faded', async () => {
    const { memory, store, clock } = setUp({ quickNapEveryTurns: 0 })
    const messages = Array.from({ length: 150 }, (_, index) => ({
      role: 'user' as const,
      text: `small talk ${index}`,
    }))
    for (const turnId of ['a', 'b', 'c']) {
      await memory.consolidate(ann, { turnId, sessionId: turnId, messages })
    }
    await memory.remember(ann, {
      layer: 'semantic',
      content: 'What is known stays.',
      provenance: { source: 'author' },
    })
    clock.now += 400 * 86_400_000
    await memory.requestSleep(ann)
    await memory.flush()
    const { entries } = await memory.list(ann, { filter: { layers: ['episodic', 'semantic'] } })
    expect(entries.map(({ content }) => content)).toEqual(['What is known stays.'])
    expect(await store.jobs.count(ann)).toBe(0)
  })

  it('leaves jobs to others where they are external, and stops between jobs at a signal', async () => {
    const { memory, store } = setUp({ jobs: 'external' })
    await memory.requestSleep(ann)
    await memory.requestSleep(bob)
    await memory.flush()
    expect(await store.jobs.count(ann)).toBe(1)
    expect(await memory.runJobs({ signal: AbortSignal.abort() })).toBe(0)
    expect(await memory.runJobs({ scope: ann })).toBe(1)
    expect(await memory.runJobs()).toBe(1)
  })

  it('waits for its own background work only', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const good = createInMemoryStore()
    const slow = setUp({
      store: { ...good, write: async (...given) => gate.then(() => good.write(...given)) },
    })
    const quick = setUp()
    const pending = tell(slow.memory, ann, [['user', 'x']])
    await tell(quick.memory, ann, [['user', 'y']])
    await quick.memory.flush()
    expect(await all(slow.memory, ann)).toEqual([])
    release()
    await slow.memory.flush()
    expect(await pending).toMatchObject({ failed: false })
    await slow.memory.close()
    await expect(all(slow.memory, ann)).rejects.toMatchObject({ code: 'MEMORY_STORE_CLOSED' })
  })

  it.each([
    ['store', { store: {} as MemoryStore }],
    ['embedder', { embedder: {} as never }],
    ['layers', { layers: ['dreams'] as never }],
    ['quickNapEveryTurns', { quickNapEveryTurns: -1 }],
    ['jobs', { jobs: 'never' as never }],
    ['recall.weights.text', { recall: { weights: { text: Number.NaN } } }],
    ['recall.linkHops', { recall: { linkHops: 9 } }],
    ['recall.rankOffset', { recall: { rankOffset: -1 } }],
  ] as [string, Partial<MemoryOptions>][])('refuses a malformed option %s', (option, options) => {
    expect(() => createMemory({ store: createInMemoryStore(), ...options })).toThrow(
      expect.objectContaining({ code: 'MEMORY_OPTION_INVALID', details: { option } }),
    )
  })

  it.each([
    { turnId: '', sessionId: 's', messages: [] },
    { turnId: 't', sessionId: 's', messages: 'hi' },
    { turnId: 't', sessionId: 's', messages: [{ role: 'system', text: 'x' }] },
    { turnId: 't', sessionId: 's', messages: [], index: -1 },
    { turnId: 't', sessionId: 's', messages: Array(201).fill({ role: 'user', text: 'x' }) },
  ])('refuses the malformed turn %#', (turn) => {
    const { memory } = setUp()
    expect(() => memory.consolidate(ann, turn as never)).toThrow(
      expect.objectContaining({ name: 'MemoryError' }),
    )
  })
})
