import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstOf } from './first-of.ts'

describe('the first of many', () => {
  it('are those that come first when all are sorted', () => {
    const compare = (one: number, other: number) => one - other
    fc.assert(
      fc.property(fc.array(fc.nat(50)), fc.integer({ min: 1, max: 9 }), (items, count) => {
        expect(firstOf(items, { count, compare })).toEqual([...items].sort(compare).slice(0, count))
      }),
    )
  })
})
