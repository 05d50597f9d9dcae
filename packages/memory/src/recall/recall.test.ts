import { describe, expect, it } from 'vitest'
import { createInMemoryStore } from '../in-memory-store.ts'
import { memoryLayers } from '../layer.ts'
import type { Scope } from '../scope.ts'
import type { MemoryStore } from '../store.ts'
import { noon, put, sample } from '../testing/sample.ts'
import { type RecallQuery, recall } from './recall.ts'
import { defaultRecallSettings } from './settings.ts'
import { type RecallSignal, recallSignals } from './signal.ts'

const user: Scope = { tenantId: 'acme', namespace: 'desk', userId: 'ann' }
const day = 86_400_000

const ask = (text: string, more: Partial<RecallQuery> = {}): RecallQuery => ({
  text,
  now: noon,
  limit: 10,
  layers: memoryLayers,
  inheritedLayers: ['semantic', 'procedural'],
  ...more,
})

const without = (...signals: RecallSignal[]) => ({
  ...defaultRecallSettings,
  weights: {
    ...defaultRecallSettings.weights,
    ...Object.fromEntries(signals.map((signal) => [signal, 0])),
  },
})
const only = (...signals: RecallSignal[]) =>
  without(...recallSignals.filter((signal) => !signals.includes(signal)))

async function library() {
  const store = createInMemoryStore()
  await put(store, user, [
    sample('question', {
      layer: 'episodic',
      content: 'Where did you buy the telescope?',
      sequence: { sessionId: 's', index: 3 },
    }),
    sample('answer', {
      layer: 'episodic',
      content: 'In a small shop in Ulm.',
      sequence: { sessionId: 's', index: 4 },
    }),
    sample('far', {
      layer: 'episodic',
      content: 'Nothing of the kind.',
      sequence: { sessionId: 's', index: 9 },
    }),
    sample('person', {
      kind: 'entity',
      content: 'Ulrike owns an observatory',
      links: [{ to: 'place', relation: 'lives in' }],
    }),
    sample('place', {
      kind: 'entity',
      content: 'Ulm',
      links: [{ to: 'river', relation: 'lies on' }],
    }),
    sample('river', { kind: 'entity', content: 'Danube' }),
    sample('march', { content: 'We met for lunch', occurredAt: Date.UTC(2026, 2, 10) }),
    sample('april', { content: 'We met for lunch', occurredAt: Date.UTC(2026, 3, 10) }),
    sample('vector', { content: 'no word in common', embedding: [1, 0] }),
  ])
  return store
}

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id)

describe('recall', () => {
  it('brings the neighbours of what was found', async () => {
    const store = await library()
    const items = await recall(store, user, ask('telescope'))
    expect(idsOf(items)).toEqual(['question', 'answer'])
    expect(items[1]?.because.map(({ signal }) => signal)).toContain('neighbours')
    expect(idsOf(await recall(store, user, ask('telescope'), without('neighbours')))).toEqual([
      'question',
    ])
  })

  it('follows links for two hops, the nearer first', async () => {
    const store = await library()
    const items = await recall(store, user, ask('observatory'))
    expect(idsOf(items)).toEqual(['person', 'place', 'river'])
    const oneHop = { ...defaultRecallSettings, linkHops: 1 }
    expect(idsOf(await recall(store, user, ask('observatory'), oneHop))).toEqual([
      'person',
      'place',
    ])
    expect(idsOf(await recall(store, user, ask('observatory'), without('links')))).toEqual([
      'person',
    ])
  })

  it('prefers the days a query names', async () => {
    const store = await library()
    for (const [month, id] of [
      ['March 2026', 'march'],
      ['April 2026', 'april'],
    ]) {
      const items = await recall(store, user, ask(`lunch in ${month}`))
      expect(items[0]?.id).toBe(id)
      expect(items[0]?.because.map(({ signal }) => signal)).toContain('dates')
    }
  })

  it('finds by vector alone what shares no word', async () => {
    const store = await library()
    const embedding = new Float32Array([1, 0])
    expect(idsOf(await recall(store, user, ask('galaxy', { embedding })))).toContain('vector')
    expect(await recall(store, user, ask('galaxy', { embedding }), without('vector'))).toEqual([])
  })

  it('prefers what is recent and what matters, all else being equal', async () => {
    const store = createInMemoryStore()
    await put(store, user, [
      sample('old', { content: 'tea', occurredAt: noon - 90 * day, importance: 5 }),
      sample('new', { content: 'tea', occurredAt: noon, importance: 5 }),
      sample('zzz', { content: 'tea', occurredAt: noon - 90 * day, importance: 9 }),
    ])
    expect((await recall(store, user, ask('tea'), only('text', 'recency')))[0]?.id).toBe('new')
    expect((await recall(store, user, ask('tea'), only('text', 'importance')))[0]?.id).toBe('zzz')
    expect((await recall(store, user, ask('tea'), only('text')))[0]?.id).toBe('new')
  })

  it('prefers what was said by whom the query names, and what tells over what asks', async () => {
    const store = createInMemoryStore()
    const saidBy = (author: string, content: string) =>
      sample(`${author} ${content}`, { content, provenance: { source: 'turn', author } })
    await put(store, user, [
      saidBy('Ann', 'My tea is green.'),
      saidBy('Ben', 'My tea is green.'),
      saidBy('Ben', 'My tea is black?'),
    ])
    const said = async (text: string, ...off: RecallSignal[]) =>
      idsOf(await recall(store, user, ask(text), without(...off)))
    expect((await said('the tea of Ben'))[0]).toBe('Ben My tea is green.')
    expect((await said('the tea of Ann'))[0]).toBe('Ann My tea is green.')
    expect((await said('the tea of Ben')).at(-1)).toBe('Ben My tea is black?')
    expect((await said('the tea of Ben', 'questions')).at(-1)).toBe('Ann My tea is green.')
  })

  it('prefers a conversation that has more of what is looked for', async () => {
    const store = createInMemoryStore()
    const sayIn = (sessionId: string, index: number, content: string) =>
      sample(`${sessionId} ${index}`, { content, sequence: { sessionId, index } })
    await put(store, user, [
      sayIn('a', 0, 'tea'),
      sayIn('b', 0, 'tea'),
      sayIn('b', 9, 'tea with milk'),
    ])
    const items = await recall(store, user, ask('tea'))
    expect(items[0]?.id).toBe('b 0')
    expect(items[0]?.because.map(({ signal }) => signal)).toContain('conversation')
    expect((await recall(store, user, ask('tea'), without('conversation')))[0]?.id).toBe('a 0')
  })

  it('prefers a message that says something to a greeting in the same context', async () => {
    const store = createInMemoryStore()
    const context = 'My green tea is in the kettle'
    const sayIn = (sessionId: string, content: string) =>
      sample(sessionId, { content, context, sequence: { sessionId, index: 2 } })
    const told = 'And then there was more steam over all of it than there should have been before.'
    await put(store, user, [sayIn('a', 'Thanks!'), sayIn('b', told)])
    const first = async (...off: RecallSignal[]) =>
      idsOf(await recall(store, user, ask('green tea'), without(...off)))[0]
    expect(await first()).toBe('b')
    expect(await first('substance')).toBe('a')
  })

  it('reads nothing of the store for a signal without a weight', async () => {
    const store = await library()
    const read: string[] = []
    const watched: MemoryStore = {
      ...store,
      neighbours: (...given) => {
        read.push('neighbours')
        return store.neighbours(...given)
      },
      linked: (...given) => {
        read.push('linked')
        return store.linked(...given)
      },
    }
    await recall(watched, user, ask('telescope'), without('neighbours', 'links'))
    expect(read).toEqual([])
    await recall(watched, user, ask('telescope'))
    expect(new Set(read)).toEqual(new Set(['neighbours', 'linked']))
  })

  it('reads what was written for the namespace and the tenant, in the layers that are inherited', async () => {
    const store = createInMemoryStore()
    const wider = [{ tenantId: 'acme', namespace: 'desk' }, { tenantId: 'acme' }]
    for (const [index, scope] of wider.entries()) {
      await put(store, scope, [
        sample('same id', { content: `tea rule ${index}`, layer: 'procedural' }),
        sample('episode', { content: 'tea', layer: 'episodic' }),
      ])
    }
    for (const stranger of [
      { tenantId: 'acme', userId: 'ann' },
      { tenantId: 'acme', namespace: 'other' },
      { tenantId: 'acme', namespace: 'desk', userId: 'bob' },
      { tenantId: 'other' },
    ]) {
      await put(store, stranger, [sample('foreign', { content: 'tea tea tea' })])
    }
    const items = await recall(store, user, ask('tea'))
    expect(items.map(({ content, scope }) => [content, scope])).toEqual([
      ['tea rule 0', wider[0]],
      ['tea rule 1', wider[1]],
    ])
  })

  it('leaves out what was superseded, even where a link leads to it', async () => {
    const store = createInMemoryStore()
    await put(store, user, [
      sample('a', { content: 'tea', links: [{ to: 'b', relation: 'r' }] }),
      sample('b', { content: 'tea', supersededBy: 'a' }),
    ])
    expect(idsOf(await recall(store, user, ask('tea')))).toEqual(['a'])
  })

  it('leaves out what was superseded while it was searched', async () => {
    const good = createInMemoryStore()
    await put(good, user, [sample('a', { content: 'tea' }), sample('b', { content: 'green tea' })])
    const store: MemoryStore = {
      ...good,
      search: async (...given) => {
        const ranked = await good.search(...given)
        await put(good, user, [sample('b', { content: 'green tea', supersededBy: 'a' })])
        return ranked
      },
    }
    expect(idsOf(await recall(store, user, ask('tea')))).toEqual(['a'])
  })

  it('follows no link into a layer that is not asked for', async () => {
    const store = createInMemoryStore()
    await put(store, user, [
      sample('a', { content: 'tea', links: [{ to: 'b', relation: 'r' }] }),
      sample('b', { content: 'milk', layer: 'prospective' }),
    ])
    expect(idsOf(await recall(store, user, ask('tea')))).toEqual(['a', 'b'])
    expect(idsOf(await recall(store, user, ask('tea', { layers: ['semantic'] })))).toEqual(['a'])
  })

  it('answers the same for the same', async () => {
    const store = await library()
    const first = await recall(store, user, ask('telescope lunch observatory'))
    expect(await recall(store, user, ask('telescope lunch observatory'))).toEqual(first)
    expect(first.length).toBeGreaterThan(3)
  })

  it('finds nothing for an empty query, and nothing in no layer', async () => {
    const store = await library()
    expect(await recall(store, user, ask(''))).toEqual([])
    expect(await recall(store, user, ask('telescope', { layers: [] }))).toEqual([])
  })
})
