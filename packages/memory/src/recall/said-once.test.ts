import { describe, expect, it } from 'vitest'
import { createInMemoryStore } from '../in-memory-store.ts'
import type { MemoryStore } from '../store.ts'
import { here, noon, put, sample } from '../testing/sample.ts'
import { recall } from './recall.ts'
import { saidOnce } from './said-once.ts'
import { defaultRecallSettings } from './settings.ts'

const candidate = (key: string, content: string, more: object = {}) => ({
  key,
  entry: { ...sample(key, { content, ...more }), version: 1 },
})
const by = (author: string) => ({ provenance: { source: 'turn' as const, author } })
const keysOf = (candidates: readonly { key: string }[]) => candidates.map(({ key }) => key)

describe('saidOnce', () => {
  it.each([
    'which SEAT do I like?',
    ' Which seat   do I like?',
    '"Which seat do I like?"',
    'Which seat do I like?!',
  ])('leaves out "%s" after what says the same', (again) => {
    const first = candidate('0:a', 'Which seat do I like?')
    expect(keysOf(saidOnce([first, candidate('0:b', again)], 9))).toEqual(['0:a'])
  })

  it.each([
    ['what was said in another scope', candidate('1:b', 'I like tea')],
    ['what somebody else said', candidate('0:b', 'I like tea', by('Ben'))],
    ['what is about somebody else', candidate('0:b', 'I like tea', { subject: 'Ben' })],
    ['what belongs to another block', candidate('0:b', 'I like tea', { label: 'drinks' })],
    ['what stands in another layer', candidate('0:b', 'I like tea', { layer: 'episodic' })],
    ['what says the contrary', candidate('0:b', 'I like no tea')],
  ])('keeps %s', (_, other) => {
    expect(saidOnce([candidate('0:a', 'I like tea'), other], 9)).toHaveLength(2)
  })

  it('gives as many as are wanted', () => {
    const many = Array.from({ length: 9 }, (_, index) => candidate(`0:${index}`, `tea ${index}`))
    expect(keysOf(saidOnce(many, 3))).toEqual(['0:0', '0:1', '0:2'])
  })
})

describe('recall of what was said often', () => {
  const question = 'What seat do I like?'
  const ask = { text: question, now: noon, limit: 20, inheritedLayers: [] } as const
  const layers = ['episodic', 'semantic'] as const

  /** A preference, then a question that was asked so often, each time answered in the same words. */
  async function askedTimes(times: number) {
    const store = createInMemoryStore()
    const said = (index: number, content: string, author: string) =>
      sample(`${author} ${index}`, {
        ...by(author),
        content,
        layer: 'episodic',
        occurredAt: noon - times + index,
        sequence: { sessionId: `s${index}`, index: author === 'user' ? 0 : 1 },
      })
    const told = Array.from({ length: times }, (_, index) => [
      said(index, question, 'user'),
      said(index, 'I remember: *window seat*.', 'assistant'),
    ]).flat()
    await put(store, here, [sample('preference', { content: 'window seat' }), ...told])
    return store
  }

  it.each([0, 1, 19, 60, 200])('is not driven out by a question asked %i times', async (times) => {
    const items = await recall(await askedTimes(times), here, { ...ask, layers })
    const contents = items.map(({ content }) => content)
    expect(contents).toContain('window seat')
    expect(new Set(contents).size).toBe(contents.length)
    for (const { because } of items) expect(because.length).toBeGreaterThan(0)
  })

  it('searches again only where copies leave room', async () => {
    const searchesOf = async (good: MemoryStore, limit = 20, candidates = 100) => {
      const limits: number[] = []
      const store: MemoryStore = {
        ...good,
        search: (scope, text, options) => {
          limits.push(options.limit)
          return good.search(scope, text, options)
        },
      }
      const settings = { ...defaultRecallSettings, candidates }
      await recall(store, here, { ...ask, limit, layers }, settings)
      return limits
    }
    expect(await searchesOf(await askedTimes(19))).toEqual([100])
    expect(await searchesOf(await askedTimes(200))).toEqual([100, 500])
    expect(await searchesOf(await askedTimes(400), 20, 500)).toEqual([500])
    const varied = createInMemoryStore()
    const seats = Array.from({ length: 300 }, (_, index) =>
      sample(`seat ${index}`, { content: `seat ${index}` }),
    )
    await put(varied, here, seats)
    expect(await searchesOf(varied)).toEqual([100])
    // More than are taken of a search are never had.
    expect(await searchesOf(varied, 150)).toEqual([100])
  })
})
