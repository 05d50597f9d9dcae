import { describe, expect, it } from 'vitest'
import { sample } from '../testing/sample.ts'
import { rankNeighbours } from './neighbours.ts'
import type { Candidate } from './signal.ts'

const at = (index: number, sessionId = 's', context?: string, content?: string): Candidate => {
  const id = `${sessionId}${index}`
  const sequence = { sessionId, index }
  return {
    key: `0:${id}`,
    entry: {
      ...sample(id, {
        sequence,
        ...(context !== undefined && { context }),
        ...(content !== undefined && { content }),
      }),
      version: 1,
    },
  }
}
const scoresOf = (
  around: readonly Candidate[],
  anchors: Record<string, number>,
  radius = 2,
  asking = 0.5,
) => {
  const found = new Map(Object.entries(anchors).map(([id, score]) => [`0:${id}`, score]))
  const { ranked } = rankNeighbours(around, { anchors: found, radius, share: 0.5, asking })
  return Object.fromEntries(ranked.map(({ key, score }) => [key.slice(2), score]))
}

describe('rankNeighbours', () => {
  it('gives to either side, the nearer the more, and nothing beyond the radius', () => {
    const around = [1, 2, 3, 4, 5, 6].map((index) => at(index))
    expect(scoresOf(around, { s3: 1 })).toEqual({ s2: 1, s4: 1, s1: 0.5, s5: 0.5 })
    expect(scoresOf(around, { s3: 1 }, 1)).toEqual({ s2: 1, s4: 1 })
  })

  it('gives nothing onward to an entry whose context has those words already', () => {
    const around = [at(1, 's', 'said before'), at(2, 's', 'said before'), at(3, 's', 'said before')]
    expect(scoresOf(around, { s2: 1 })).toEqual({ s1: 1 })
  })

  it.each([
    [0, 1],
    [0.5, 0.5],
    [3, undefined],
  ])(
    'gives less of a question to what stands before it, kept back %d, and all to its answer',
    (asking, before) => {
      const around = [at(1), at(2, 's', undefined, 'Where is it?'), at(3)]
      const { s1, s3 } = scoresOf(around, { s2: 1 }, 1, asking)
      expect([s1, s3]).toEqual([before, 1])
    },
  )

  it('adds up what several give, and gives nothing to itself', () => {
    expect(scoresOf([at(1), at(2), at(3)], { s1: 0.5, s3: 1 })).toEqual({
      s1: 0.5,
      s2: 1.5,
      s3: 0.25,
    })
  })

  it('never reaches into another conversation, nor into the same one of another scope', () => {
    const foreign = { ...at(2), key: '1:s2' }
    expect(scoresOf([at(1), at(2, 't'), foreign], { s1: 1 })).toEqual({})
  })

  it('passes over what stands in no conversation', () => {
    const loose = { key: '0:loose', entry: { ...sample('loose'), version: 1 } }
    expect(scoresOf([at(1), loose], { s1: 1, loose: 1 })).toEqual({})
  })
})
