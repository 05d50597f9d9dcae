import { describe, expect, it } from 'vitest'
import { sample } from '../testing/sample.ts'
import { rankConversations } from './conversations.ts'
import type { Candidate } from './signal.ts'

const candidate = (id: string, sessionId?: string): Candidate => ({
  key: `0:${id}`,
  entry: {
    ...sample(id, sessionId === undefined ? {} : { sequence: { sessionId, index: 0 } }),
    version: 1,
  },
})

describe('rankConversations', () => {
  it('gives all of a conversation the mean of its three best, the missing ones counting as 0', () => {
    const candidates = [
      ...['a', 'b', 'c', 'd'].map((id) => candidate(id, 'rich')),
      candidate('e', 'poor'),
      candidate('loose'),
    ]
    const found = new Map([
      ['0:a', 0.9],
      ['0:b', 0.6],
      ['0:c', 0.3],
      ['0:d', 0.1],
      ['0:e', 0.9],
      ['0:loose', 1],
    ])
    const { signal, ranked } = rankConversations(candidates, { found })
    expect(signal).toBe('conversation')
    expect(ranked.map(({ key }) => key)).toEqual(['0:a', '0:b', '0:c', '0:d', '0:e'])
    expect(ranked[0]?.score).toBeCloseTo(0.6)
    expect(ranked[3]?.score).toBeCloseTo(0.6)
    expect(ranked[4]?.score).toBeCloseTo(0.3)
  })
})
