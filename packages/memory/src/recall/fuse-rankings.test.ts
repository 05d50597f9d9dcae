import { describe, expect, it } from 'vitest'
import { fuseRankings } from './fuse-rankings.ts'
import { defaultRecallSettings } from './settings.ts'
import type { Ranking, RecallSignal } from './signal.ts'

const ranking = (signal: RecallSignal, ...keys: string[]): Ranking => ({
  signal,
  ranked: keys.map((key, index) => ({ key, score: 10 - index })),
})
const weights = { ...defaultRecallSettings.weights, text: 1, vector: 1, dates: 0 }

describe('fuseRankings', () => {
  it('puts first what several rankings agree on, and says what each thought', () => {
    const fused = fuseRankings([ranking('text', 'a', 'b'), ranking('vector', 'b', 'c')], {
      weights,
      rankOffset: 10,
    })
    expect(fused.map(({ key }) => key)).toEqual(['b', 'a', 'c'])
    expect(fused[0]?.because).toEqual([
      { signal: 'text', rank: 2, score: 9 },
      { signal: 'vector', rank: 1, score: 10 },
    ])
    expect(fused[0]?.score).toBeCloseTo((11 / 12 + 9 / 10) / 2 + 1)
  })

  it('gives equal scores one rank', () => {
    const ranked = ['a', 'b', 'c'].map((key) => ({ key, score: key === 'c' ? 1 : 2 }))
    const fused = fuseRankings([{ signal: 'text', ranked }], { weights, rankOffset: 0 })
    expect(fused.map(({ key, because }) => [key, because[0]?.rank])).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 3],
    ])
  })

  it('keeps the distance of a best result that stands far above the second', () => {
    const scored = (...scores: number[]): Ranking => ({
      signal: 'text',
      ranked: scores.map((score, index) => ({ key: String(index), score })),
    })
    const scoreOfSecond = (ranking: Ranking) =>
      fuseRankings([ranking], { weights, rankOffset: 10 })[1]?.score
    expect(scoreOfSecond(scored(10, 9))).toBeCloseTo((11 / 12 + 0.9) / 2)
    expect(scoreOfSecond(scored(10, 1))).toBeCloseTo((11 / 12 + 0.1) / 2)
  })

  it('takes the rank alone where a score is not above 0', () => {
    const ranked = [
      { key: 'a', score: 0 },
      { key: 'b', score: -0.5 },
    ]
    const fused = fuseRankings([{ signal: 'vector', ranked }], { weights, rankOffset: 0 })
    expect(fused.map(({ score }) => score)).toEqual([0.5, 0.25])
  })

  it('leaves out a signal without a weight', () => {
    const fused = fuseRankings([ranking('dates', 'a')], { weights, rankOffset: 10 })
    expect(fused).toEqual([])
  })
})
