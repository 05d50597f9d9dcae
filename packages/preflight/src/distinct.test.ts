import { describe, expect, it } from 'vitest'
import { distinct } from './distinct.ts'

describe('distinct', () => {
  it.each<[string[], string[]]>([
    [[], []],
    [['a'], ['a']],
    [
      ['b', 'a', 'b'],
      ['b', 'a'],
    ],
    [
      ['__proto__', 'constructor', '__proto__'],
      ['__proto__', 'constructor'],
    ],
  ])('makes %j into %j', (list, expected) => {
    expect(distinct(list)).toEqual(expected)
  })
})
