import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { equalsJson } from './equality.ts'

class Point {
  x = 1
}

const cyclicRecord: Record<string, unknown> = {}
cyclicRecord['a'] = cyclicRecord
const cyclicList: unknown[] = []
cyclicList.push(cyclicList)

const deep = (depth: number): unknown => (depth === 0 ? 1 : { a: deep(depth - 1) })

describe('equalsJson', () => {
  it.each<[string, unknown, unknown]>([
    ['the same text', 'a', 'a'],
    ['zero and negative zero', -0, 0],
    ['null and null', null, null],
    ['lists member by member', [1, [2, null]], [1, [2, null]]],
    ['records in any key order', { b: 1, a: { d: 2, c: 3 } }, { a: { c: 3, d: 2 }, b: 1 }],
    ['a key holding undefined and no key', { a: 1, b: undefined }, { a: 1 }],
    ['an own __proto__ key', JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
    ['a record without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ])('holds %s for equal', (_, seen, expected) => {
    expect(equalsJson(seen, expected)).toBe(true)
  })

  it.each<[string, unknown, unknown]>([
    ['a number and its text', 1, '1'],
    ['true and 1', true, 1],
    ['false and 0', false, 0],
    ['false and empty text', false, ''],
    ['null and undefined', undefined, null],
    ['null and false', false, null],
    ['NaN and NaN', Number.NaN, Number.NaN],
    ['a BigInt and a number', 1n, 1],
    ['texts that differ in case', 'Slack', 'slack'],
    ['lists in another order', [1, 2], [2, 1]],
    ['a shorter list', [1], [1, 2]],
    ['a longer list', [1, 2], [1]],
    ['a hole and null', new Array(1), [null]],
    ['a list and a record of its indexes', ['a'], { 0: 'a' }],
    ['an empty list and an empty record', [], {}],
    ['a record with a key more', { a: 1, b: 2 }, { a: 1 }],
    ['a record with a key less', { a: 1 }, { a: 1, b: 2 }],
    ['another key', { b: 1 }, { a: 1 }],
    ['an inherited key and an own one', Object.create({ a: 1 }), { a: 1 }],
    ['no keys and an own __proto__ key', {}, JSON.parse('{"__proto__":{}}')],
    ['a Date and an empty record', new Date(), {}],
    ['a Map and an empty record', new Map(), {}],
    ['a class instance and a record', new Point(), { x: 1 }],
    ['a function and an empty record', () => 1, {}],
    ['a list and its only member', ['a'], 'a'],
    ['a cyclic record', cyclicRecord, { a: { a: { a: 1 } } }],
    ['a cyclic list', cyclicList, [[[[]]]]],
    ['a record deeper than the stack', deep(5_000), { a: { a: 1 } }],
  ])('holds %s for different', (_, seen, expected) => {
    expect(equalsJson(seen, expected)).toBe(false)
  })

  it('agrees with a copy through JSON for every JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(equalsJson(JSON.parse(JSON.stringify(value)), value)).toBe(true)
      }),
    )
  })

  it('is symmetric, and equal values have the same canonical text', () => {
    const small = fc.jsonValue({ maxDepth: 2 })
    fc.assert(
      fc.property(small, small, (one, other) => {
        const equal = equalsJson(one, other)
        expect(equalsJson(other, one)).toBe(equal)
        expect(canonical(one) === canonical(other)).toBe(equal)
      }),
    )
  })

  it('ignores what Object.prototype is polluted with', () => {
    Object.defineProperty(Object.prototype, 'polluted', {
      value: 1,
      enumerable: true,
      configurable: true,
    })
    const answers = [
      equalsJson({ a: 1 }, { a: 1 }),
      equalsJson({}, JSON.parse('{"polluted":1}')),
      equalsJson(JSON.parse('{"polluted":1}'), {}),
    ]
    Reflect.deleteProperty(Object.prototype, 'polluted')
    expect(answers).toEqual([true, false, false])
  })
})

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`,
  )
  return `{${members.sort().join()}}`
}
