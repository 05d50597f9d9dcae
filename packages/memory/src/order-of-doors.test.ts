import { describe, expect, it } from 'vitest'
import type { Memory } from './create-memory.ts'
import { createInMemoryStore } from './in-memory-store.ts'
import type { MemoryStore } from './store.ts'
import { all, ann, note, setUp } from './testing-fixtures/told-memory.ts'

const provenance = { source: 'author' } as const
const walnuts = 'Ann is allergic to walnuts.'

const noted = (memory: Memory, turnId: string, directive: object) =>
  memory.consolidate(ann, {
    turnId,
    sessionId: 's1',
    messages: [{ role: 'assistant', text: `Noted.\n${note(directive)}` }],
  })

/** A store in which one call waits until it is let go. */
function waitingFor<Name extends 'write' | 'touch'>(name: Name) {
  const store = createInMemoryStore()
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = async (...args: never[]) => {
    await promise
    return (store[name] as (...given: never[]) => unknown)(...args)
  }
  return { store: { ...store, [name]: slow } as MemoryStore, letGo: resolve }
}

describe('what a scope was shown', () => {
  it('is learned again once it was forgotten', async () => {
    const { memory } = setUp()
    await memory.remember(ann, { layer: 'semantic', content: walnuts, subject: 'Ann', provenance })
    expect((await memory.hydrate(ann, { query: 'walnuts' })).items).toHaveLength(1)
    const fact = { kind: 'fact', content: walnuts }
    expect(await noted(memory, 't1', fact)).toMatchObject({ repeated: 1 })
    await memory.forget(ann, { subject: 'Ann' })
    expect(await noted(memory, 't2', fact)).toMatchObject({ repeated: 0 })
    expect((await all(memory, ann)).map(({ content }) => content)).toContain(walnuts)
  })
})

describe('a correction', () => {
  it('waits for the turns that are still being written', async () => {
    const { store, letGo } = waitingFor('write')
    const { memory } = setUp({ store })
    const entity = { kind: 'entity', id: 'hotel-1', label: 'Hotel Krone', type: 'hotel' }
    const told = noted(memory, 't1', entity)
    const corrected = memory.correct(ann, { id: 'hotel-1', content: 'Hotel Linde.' })
    letGo()
    expect(await told).toMatchObject({ failed: false })
    expect(await corrected).toMatchObject({ corrected: true })
  })

  it('lets what is told later wait for it', async () => {
    const { store, letGo } = waitingFor('write')
    const { memory } = setUp({ store })
    const order: string[] = []
    const corrected = memory.correct(ann, { id: 'x', content: 'y' }).then(() => order.push('one'))
    const told = noted(memory, 't1', { kind: 'fact', content: walnuts }).then(() => {
      order.push('other')
    })
    letGo()
    await Promise.all([corrected, told])
    expect(order).toEqual(['one', 'other'])
  })
})

describe('a turn that confirms what is known', () => {
  it('is written when that is stronger, and not before', async () => {
    const { store, letGo } = waitingFor('touch')
    const { memory } = setUp({ store })
    const fact = { kind: 'fact', content: walnuts }
    await noted(memory, 't1', fact)
    let isOver = false
    const told = noted(memory, 't2', fact).then(() => {
      isOver = true
    })
    for (let round = 0; round < 20; round += 1) await new Promise((done) => setImmediate(done))
    expect(isOver).toBe(false)
    letGo()
    await told
    const known = (await all(memory, ann)).find(({ content }) => content === walnuts)
    expect(known?.strength).toBeGreaterThan(0.5)
  })
})
