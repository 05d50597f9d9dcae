import { describe, expect, it } from 'vitest'
import { isPredicateOperator, operatorAdvice, operators } from './operators.ts'

describe('the operator table', () => {
  it('has exactly four operators, and only exists takes no value', () => {
    expect(Object.entries(operators).map(([name, { takesValue }]) => [name, takesValue])).toEqual([
      ['eq', true],
      ['neq', true],
      ['in', true],
      ['exists', false],
    ])
  })

  it('is closed', () => {
    expect(Object.isFrozen(operators)).toBe(true)
    expect(Object.values(operators).every(Object.isFrozen)).toBe(true)
  })

  it.each([
    'EQ',
    'lt',
    'gt',
    'contains',
    'regex',
    '',
    '__proto__',
    'constructor',
    'toString',
    1,
    null,
  ])('does not know %j', (name) => {
    expect(isPredicateOperator(name)).toBe(false)
  })

  it.each([
    ['lt', /deferred/],
    ['gt', /deferred/],
    ['contains', /deferred/],
    ['regex', /deferred.*ReDoS/],
    ['REGEX', /deferred.*ReDoS/],
    ['EQ', /"eq".*lower case/],
    ['==', /"eq"/],
    ['!=', /"neq"/],
    ['nin', /one "neq" entry for each value/],
    ['nonsense', /eq, neq, in, exists/],
    ['__proto__', /eq, neq, in, exists/],
  ])('advises what to write instead of %j', (written, advice) => {
    expect(operatorAdvice(written)).toMatch(advice)
  })

  it.each([1, 15, 16, 17, 1_000])('finds exactly the members of a list of %i', (length) => {
    const list = Array.from({ length }, (_, index) => `m${index}`)
    const test = operators.in.prepare(list)
    expect(list.every(test)).toBe(true)
    expect([`m${length}`, 'm', 0, null, undefined, [list[0]]].some(test)).toBe(false)
  })

  it('compares numbers in a long list as in a short one', () => {
    const numbers = Array.from({ length: 20 }, (_, index) => index)
    for (const list of [numbers, numbers.slice(0, 2)]) {
      const test = operators.in.prepare(list)
      expect(test(-0)).toBe(true)
      expect(test(Number.NaN)).toBe(false)
      expect(test('1')).toBe(false)
      expect(test(true)).toBe(false)
    }
  })

  it('compares members deeply, also in a long list', () => {
    const list = Array.from({ length: 40 }, (_, id) => ({ id, tags: ['a'] }))
    const test = operators.in.prepare(list)
    expect(test({ tags: ['a'], id: 39 })).toBe(true)
    expect(test({ tags: ['b'], id: 39 })).toBe(false)
  })
})
