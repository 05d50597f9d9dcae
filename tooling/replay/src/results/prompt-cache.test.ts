import { describe, expect, it } from 'vitest'
import { type CachePrices, costOf, type ModelRequest, sonnetPrices } from './prompt-cache.ts'

/** One dollar a token each, at different powers of ten, so that a sum shows its parts. */
const apart: CachePrices = { inputUsd: 1, outputUsd: 0, cacheReadUsd: 0, cacheWriteUsd: 0 }

/** A message of so many tokens; letters tell messages apart. */
const message = (letter: string, tokens: number) => letter.repeat(tokens * 4)
const sends = (...messages: string[]): ModelRequest => ({ messages, answer: '' })

const [system, a, b, c] = [
  message('s', 2_000),
  message('a', 1_000),
  message('b', 1_000),
  message('c', 500),
]

describe('the cost of a run', () => {
  it.each<{ about: string; requests: ModelRequest[]; read: number; written: number }>([
    { about: 'nothing is sent', requests: [], read: 0, written: 0 },
    { about: 'the first request', requests: [sends(system, a)], read: 0, written: 3_000 },
    {
      about: 'a request that goes on from the last',
      requests: [sends(system, a), sends(system, a, b)],
      read: 3_000,
      written: 4_000,
    },
    {
      about: 'the same request again',
      requests: [sends(system, a), sends(system, a)],
      read: 3_000,
      written: 3_000,
    },
    {
      about: 'a changed message, with all that follows it',
      requests: [sends(system, a, b), sends(system, c, b)],
      read: 2_000,
      written: 4_000 + 1_500,
    },
    {
      about: 'a return to what was sent two requests ago',
      requests: [sends(system, a, b), sends(system, c), sends(system, a, b)],
      read: 2_000 + 4_000,
      written: 4_000 + 500,
    },
    {
      about: 'a changed first message',
      requests: [sends(system, a), sends(b, a)],
      read: 0,
      written: 5_000,
    },
    {
      about: 'a common beginning too short for a cache',
      requests: [sends(c, a), sends(c, b)],
      read: 0,
      written: 3_000,
    },
  ])('reads what was sent before and writes the rest: $about', ({ requests, read, written }) => {
    const { tokens } = costOf(requests)
    expect(tokens).toEqual({ cacheRead: read, cacheWrite: written, uncached: 0, output: 0 })
  })

  it('charges the plain price for a request too short for a cache, however often it is sent', () => {
    const short = sends(message('x', 1_023))
    expect(costOf([short, short], apart)).toMatchObject({
      tokens: { uncached: 2_046, cacheRead: 0, cacheWrite: 0 },
      usd: 2_046 / 1e6,
    })
  })

  it('counts every character of every request', () => {
    expect(costOf([sends('ab', 'c'), sends('ab', 'c', 'de')])).toMatchObject({
      requests: 2,
      sentChars: 8,
    })
  })

  it('adds up reading, writing and the answers at their own prices', () => {
    const requests = [
      { messages: [system], answer: a },
      { messages: [system, a], answer: c },
    ]
    const { cacheReadUsd, cacheWriteUsd, outputUsd } = sonnetPrices
    const expected = (2_000 * cacheReadUsd + 3_000 * cacheWriteUsd + 1_500 * outputUsd) / 1e6
    expect(costOf(requests).usd).toBeCloseTo(expected, 12)
  })
})
