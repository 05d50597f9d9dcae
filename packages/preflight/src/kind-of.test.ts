import { describe, expect, it } from 'vitest'
import { kindOf } from './kind-of.ts'

describe('kindOf', () => {
  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    [[], 'a list'],
    ['', 'a text'],
    [0, 'a number'],
    [{}, 'an object'],
    [() => 0, 'a function'],
  ])('says what %j is', (value, kind) => {
    expect(kindOf(value)).toBe(kind)
  })
})
