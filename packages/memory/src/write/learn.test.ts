import { describe, expect, it } from 'vitest'
import { identityKind } from '../entry.ts'
import type { ExtractionDirective } from '../extraction/directive.ts'
import { createInMemoryStore } from '../in-memory-store.ts'
import type { MemoryStore } from '../store.ts'
import { here, noon, put, sample } from '../testing/sample.ts'
import { planDirectives } from './learn.ts'

const plan = (store: MemoryStore, ...directives: ExtractionDirective[]) =>
  planDirectives(store, here, directives, { turnId: 't1', now: noon })

describe('planDirectives', () => {
  it('confirms what is known and plans it no second time', async () => {
    const store = createInMemoryStore()
    const fact = { kind: 'fact', content: 'Ann likes tea.' } as const
    const first = await plan(store, fact, fact)
    expect(first.put).toHaveLength(1)
    expect(first.put[0]).toMatchObject({ expectedVersion: 0 })
    await store.write(here, { put: first.put })
    const again = await planDirectives(store, here, [fact], { turnId: 't2', now: noon + 9 })
    expect(again).toMatchObject({ put: [], confirmed: [first.put[0]?.entry.id] })
  })

  it('supersedes what says the same, by its words or its id, and nothing that is merely about it', async () => {
    const store = createInMemoryStore()
    await put(store, here, [
      sample('home', { content: 'Ann lives in Lyon.', label: 'address' }),
      sample('work', { content: 'Ann works in Lyon at the opera.' }),
    ])
    const correction = { kind: 'correction', content: 'Ann lives in Paris.' } as const
    for (const replaces of ['ann lives in lyon', 'home']) {
      const { put: puts } = await plan(store, { ...correction, replaces })
      expect(puts.map(({ entry }) => [entry.content, entry.label, entry.supersededBy])).toEqual([
        ['Ann lives in Paris.', 'address', undefined],
        ['Ann lives in Lyon.', 'address', puts[0]?.entry.id],
      ])
      expect(puts[1]).toMatchObject({ expectedVersion: 1 })
    }
    const guess = await plan(store, { ...correction, replaces: 'Ann has a flat in Lyon' })
    expect(guess).toMatchObject({ put: [{ entry: { kind: 'fact' } }], unresolved: 1 })
    expect(guess.put).toHaveLength(1)
  })

  it('supersedes nothing that an author or the system wrote, no skill and no identity', async () => {
    const author = { provenance: { source: 'author' } } as const
    const kept = [
      sample('skill', {
        ...author,
        layer: 'procedural',
        content: 'Read, then cancel the booking.',
      }),
      sample('learned', { layer: 'procedural', content: 'Ask for the number of the booking.' }),
      sample('identity', { kind: identityKind, content: 'You are the desk of Acme.' }),
      sample('rule', { ...author, content: 'Refunds take two weeks here.' }),
      sample('seeded', { provenance: { source: 'system' }, content: 'The office closes at six.' }),
      sample('tail', { layer: 'working', content: 'Where is my gate, please?' }),
    ]
    const store = createInMemoryStore()
    await put(store, here, kept)
    for (const replaces of kept.flatMap(({ id, content }) => [id, content])) {
      const planned = await plan(store, { kind: 'correction', replaces, content: 'Just cancel.' })
      expect(planned).toMatchObject({ unresolved: 1 })
      expect(planned.put.map(({ entry }) => entry.content)).toEqual(['Just cancel.'])
      expect(planned.put[0]?.entry.supersedes).toBeUndefined()
    }
  })

  it('links entities noted in the same turn and before, and counts what leads nowhere', async () => {
    const store = createInMemoryStore()
    await put(store, here, [sample('lyon', { kind: 'entity', label: 'Lyon', content: 'a city' })])
    const ann = { kind: 'entity', label: 'Ann', type: 'person' } as const
    const relation = { kind: 'relation', from: 'Ann', relation: 'lives in' } as const
    const { put: puts, unresolved } = await plan(
      store,
      ann,
      { ...relation, to: 'Lyon' },
      { ...relation, to: 'Lyon' },
      { ...relation, to: 'Atlantis' },
      { ...relation, from: 'Nobody', to: 'Lyon' },
      { ...relation, to: 'Ann' },
    )
    expect(unresolved).toBe(3)
    expect(puts).toHaveLength(1)
    expect(puts[0]?.entry.links).toEqual([{ to: 'lyon', relation: 'lives in', weight: 1 }])
  })

  it('keeps an intention with its time and its state', async () => {
    const due = { dueAt: noon + 5, duePredicate: [{ state: { path: 'a', op: 'exists' } }] } as const
    const { put: puts } = await plan(createInMemoryStore(), {
      kind: 'intention',
      content: 'Call.',
      ...due,
    })
    expect(puts[0]?.entry).toMatchObject({ layer: 'prospective', ...due })
  })
})
