import { parsePrecondition } from '@symfonic/predicates'
import { describe, expect, it } from 'vitest'
import { valueTexts } from './value-texts.ts'

describe('the values that a predicate names', () => {
  it.each([
    ['eq', { b: 1, a: 2 }, [['{"a":2,"b":1}', { a: 2, b: 1 }]]],
    ['neq', null, [['null', null]]],
    [
      'in',
      ['x', 1, 'x'],
      [
        ['"x"', 'x'],
        ['1', 1],
      ],
    ],
    ['in', [], []],
    ['exists', undefined, []],
  ])('%s %j are known by their texts', (op, value, expected) => {
    const [predicate] = parsePrecondition([{ state: { path: 'p', op, value } }]).predicates
    if (predicate === undefined) throw new Error('there is a predicate')
    expect([...valueTexts(predicate)]).toEqual(expected)
    expect(valueTexts(predicate)).toBe(valueTexts(predicate))
  })
})
