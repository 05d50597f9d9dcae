import { describe, expect, it } from 'vitest'
import { sample } from '../testing/sample.ts'
import { defaultRecallSettings } from './settings.ts'
import { type RecallSignal, rankingOf, recallSignals } from './signal.ts'
import { type Signals, weighCandidates } from './weigh-candidates.ts'

const candidate = (key: string, content = key) => ({
  key,
  entry: { ...sample(key, { content }), version: 1 },
})
const candidates = [candidate('a'), candidate('b'), candidate('c')]
const nothing = Object.fromEntries(recallSignals.map((signal) => [signal, 0]))
const weights = (some: Partial<Record<RecallSignal, number>>) => ({
  ...defaultRecallSettings.weights,
  ...nothing,
  ...some,
})
const found = [{ key: 'a', score: 1, because: [{ signal: 'text' as const, rank: 1, score: 7 }] }]
const none: Signals = { found: [], spread: [], boosts: [] }
const scoresOf = (items: ReturnType<typeof weighCandidates>) =>
  Object.fromEntries(items.map(({ key, score }) => [key, score]))

describe('weighCandidates', () => {
  it('adds what is passed on, and gives both reasons', () => {
    const spread = [rankingOf('links', new Map(Object.entries({ a: 0.2, b: 0.5 })))]
    const items = weighCandidates(candidates, { ...none, found, spread }, weights({ links: 0.5 }))
    expect(scoresOf(items)).toEqual({ a: 1.1, b: 0.25 })
    expect(items[0]?.because).toEqual([
      { signal: 'text', rank: 1, score: 7 },
      { signal: 'links', rank: 2, score: 0.2 },
    ])
  })

  it('raises by a boost what something brought, and nothing else', () => {
    const boosts = [rankingOf('author', new Map(Object.entries({ a: 1, c: 1 })))]
    const items = weighCandidates(candidates, { ...none, found, boosts }, weights({ author: 0.5 }))
    expect(scoresOf(items)).toEqual({ a: 1.5 })
    expect(items[0]?.because.map(({ signal }) => signal)).toEqual(['text', 'author'])
  })

  it('passes over a boost by which all are equal', () => {
    const boosts = [rankingOf('recency', new Map(Object.entries({ a: 1, b: 1, c: 1 })))]
    const items = weighCandidates(candidates, { ...none, found, boosts }, weights({ recency: 1 }))
    expect(items[0]?.because.map(({ signal }) => signal)).toEqual(['text'])
  })

  it.each([
    [0, 1],
    [0.5, 0.5],
    [3, 0],
  ])('lowers what only asks, with a weight of %d to %d', (questions, score) => {
    const asking = [candidate('a', 'Where is it?')]
    const items = weighCandidates(asking, { ...none, found }, weights({ questions }))
    expect(scoresOf(items)).toEqual({ a: score })
  })

  it('leaves out a signal without a weight, and orders equals by key', () => {
    const spread = [rankingOf('links', new Map(Object.entries({ b: 9 })))]
    const two = [...found, { key: 'c', score: 1, because: [] }]
    const items = weighCandidates(candidates, { ...none, found: two, spread }, weights({}))
    expect(items.map(({ key }) => key)).toEqual(['a', 'c'])
  })
})
