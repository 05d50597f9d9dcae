import { describe, expect, it } from 'vitest'
import { sample } from '../testing/sample.ts'
import { rankSubstance } from './substance.ts'

const candidate = (key: string, length: number, isSaid = true) => ({
  key,
  entry: {
    ...sample(key, {
      content: 'a'.repeat(length),
      ...(isSaid && { sequence: { sessionId: 's', index: 0 } }),
    }),
    version: 1,
  },
})

describe('rankSubstance', () => {
  it('ranks messages by their length, up to where any longer one says as much', () => {
    const { ranked } = rankSubstance([
      candidate('thanks', 5),
      candidate('long', 5_000),
      candidate('story', 125),
    ])
    expect(ranked).toEqual([
      { key: 'long', score: 1 },
      { key: 'story', score: 0.5 },
      { key: 'thanks', score: 0.02 },
    ])
  })

  it('counts in full what stands in no conversation, however short', () => {
    expect(rankSubstance([candidate('fact', 5, false)]).ranked).toEqual([{ key: 'fact', score: 1 }])
  })
})
