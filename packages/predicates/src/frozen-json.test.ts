import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frozenJson, frozenList, fullBudget } from './frozen-json.ts'
import { predicateLimits } from './limits.ts'

class Point {
  x = 1
}

const copyOf = (value: unknown) => frozenJson(value, { keyPath: [] }, fullBudget())

const nest = (depth: number): unknown => (depth === 0 ? 1 : [nest(depth - 1)])

const cyclic: Record<string, unknown> = { a: { b: {} } }
cyclic['a'] = { b: cyclic }

describe('frozenJson', () => {
  it('copies any JSON value, frozen at every level', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = copyOf(value)
        expect(copy).toEqual(value)
        expect(everyLevel(copy, Object.isFrozen)).toBe(true)
        if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value)
      }),
    )
  })

  it('keeps __proto__ as an ordinary key', () => {
    const copy = copyOf(JSON.parse('{"__proto__":{"admin":true}}'))
    expect(Object.keys(copy as object)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect(Reflect.get(copy as object, 'admin')).toBeUndefined()
  })

  it('takes the same object twice, which is no cycle', () => {
    const shared = { a: 1 }
    expect(copyOf([shared, shared])).toEqual([{ a: 1 }, { a: 1 }])
  })

  it('reads each property once, so what was checked is what is kept', () => {
    let reads = 0
    const value = {
      get a() {
        reads += 1
        return reads === 1 ? 'checked' : () => 'swapped'
      },
    }
    expect(copyOf(value)).toEqual({ a: 'checked' })
    expect(reads).toBe(1)
  })

  it.each<[string, unknown, (string | number)[], RegExp]>([
    ['a function', { a: [() => 1] }, ['a', 0], /<function>/],
    ['NaN', [1, Number.NaN], [1], /NaN/],
    ['Infinity', Number.POSITIVE_INFINITY, [], /Infinity/],
    ['a BigInt', 1n, [], /1n/],
    ['a symbol', Symbol('x'), [], /<symbol>/],
    ['undefined in a record', { a: undefined }, ['a'], /undefined.*null/],
    ['a hole in a list', new Array(2), [0], /undefined/],
    ['a class instance', { p: new Point() }, ['p'], /<class instance>/],
    ['a Date', new Date(0), [], /<Date>/],
    ['a Map', new Map(), [], /<Map>/],
    ['a Set outside "in"', new Set([1]), [], /<Set>.*list/],
    ['a cycle', cyclic, ['a', 'b'], /contains itself/],
  ])('refuses %s and says where', (_, value, keyPath, message) => {
    expect(() => copyOf(value)).toThrow(
      expect.objectContaining({
        code: 'PREDICATE_NOT_JSON',
        message: expect.stringMatching(message),
        details: expect.objectContaining({ keyPath, value: expect.any(String) }),
      }),
    )
  })

  it('bounds depth', () => {
    expect(() => copyOf(nest(predicateLimits.valueDepth))).not.toThrow()
    expect(() => copyOf(nest(predicateLimits.valueDepth + 1))).toThrow(
      expect.objectContaining({ code: 'PREDICATE_TOO_DEEP' }),
    )
  })

  it.each<[string, unknown]>([
    ['a long list', new Array(predicateLimits.valueNodes).fill(0)],
    ['a sparse list that claims billions', Object.assign([], { length: 2 ** 32 - 1 })],
    ['many small lists', new Array(4_000).fill([1, 2])],
    [
      'a large record',
      Object.fromEntries(Array.from({ length: predicateLimits.valueNodes }, (_, i) => [i, i])),
    ],
    ['a long text', 'x'.repeat(predicateLimits.valueChars + 1)],
    ['long keys', { ['k'.repeat(predicateLimits.valueChars + 1)]: 1 }],
    ['aliases that multiply', multiply(12, 8)],
  ])('bounds the size of %s', (_, value) => {
    expect(() => copyOf(value)).toThrow(expect.objectContaining({ code: 'PREDICATE_TOO_LARGE' }))
  })

  it('takes values at the limits', () => {
    expect(copyOf(new Array(predicateLimits.valueNodes - 1).fill(0))).toHaveLength(
      predicateLimits.valueNodes - 1,
    )
    expect(copyOf('x'.repeat(predicateLimits.valueChars))).toHaveLength(predicateLimits.valueChars)
  })
})

describe('frozenList', () => {
  const listOf = (value: unknown) => frozenList(value, { keyPath: [] }, fullBudget())

  it('takes a list and a Set, in order', () => {
    expect(listOf(['b', 'a'])).toEqual(['b', 'a'])
    expect(listOf(new Set(['b', 'a', 'b']))).toEqual(['b', 'a'])
    expect(Object.isFrozen(listOf(new Set([1])))).toBe(true)
  })

  it.each(['text', 1, true, null, { a: 1 }, new Map(), () => 1])(
    'answers nothing for %j',
    (value) => {
      expect(listOf(value)).toBeUndefined()
    },
  )

  it('bounds a large Set, and a Set subclass that iterates for ever', () => {
    const large = new Set(Array.from({ length: 20_000 }, (_, index) => index))
    expect(() => listOf(large)).toThrow(expect.objectContaining({ code: 'PREDICATE_TOO_LARGE' }))
    class Endless extends Set<number> {
      override *[Symbol.iterator](): SetIterator<number> {
        for (;;) yield 1
      }
    }
    expect(listOf(new Endless([7]))).toEqual([7])
  })
})

function everyLevel(value: unknown, holds: (value: unknown) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return true
  return holds(value) && Object.values(value).every((member) => everyLevel(member, holds))
}

/** A small graph that is enormous as a tree: `width` references at each of `depth` levels. */
function multiply(depth: number, width: number): unknown {
  let value: unknown = 'x'
  for (let level = 0; level < depth; level += 1) value = new Array(width).fill(value)
  return value
}
