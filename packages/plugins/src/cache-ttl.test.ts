import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CacheTtl, isCacheTtl, strongestCacheTtl } from './cache-ttl.ts'

const wishes = (...ttls: (CacheTtl | undefined)[]) => ttls.map((cacheTtl) => ({ cacheTtl }))

describe('strongestCacheTtl', () => {
  it.each([
    [wishes('5m', '1h', undefined), '1h'],
    [wishes(undefined, '5m'), '5m'],
    [wishes(undefined), undefined],
    [wishes(), undefined],
  ])('of %j is %s (PLUG-42)', (contributions, ttl) => {
    expect(strongestCacheTtl(contributions)).toBe(ttl)
  })

  it('does not depend on the order', () => {
    const ttl = fc.constantFrom<CacheTtl | undefined>('5m', '1h', undefined)
    fc.assert(
      fc.property(fc.array(ttl), (ttls) => {
        expect(strongestCacheTtl(wishes(...ttls.toReversed()))).toBe(
          strongestCacheTtl(wishes(...ttls)),
        )
      }),
    )
  })
})

describe('isCacheTtl', () => {
  it.each([
    ['5m', true],
    ['1h', true],
    ['24h', false],
    ['', false],
    [null, false],
    [['1h'], false],
  ])('%j: %s', (value, expected) => {
    expect(isCacheTtl(value)).toBe(expected)
  })
})
