import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPlain, plainCopy } from './plain-copy.ts'

describe('a copy of plain data', () => {
  it('is equal to what it copies and shares nothing with it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        const copy = plainCopy(value)
        expect(copy).toEqual(value)
        if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value)
      }),
    )
  })

  it('takes over as they are what somebody else has made', () => {
    const given = {
      date: new Date(0),
      bytes: new Uint8Array(2),
      map: new Map(),
      at: new URL('a:b'),
    }
    const copy = plainCopy(given)
    for (const name of ['date', 'bytes', 'map', 'at'] as const) expect(copy[name]).toBe(given[name])
  })

  it('mends half a surrogate pair, in texts and in names', () => {
    const copy = plainCopy({ 'a\ud83d': ['\ude00', 'whole 😀'] })
    expect(copy).toEqual({ 'a\ufffd': ['\ufffd', 'whole 😀'] })
  })

  it('contains itself where what it copies does', () => {
    const given: Record<string, unknown> = { list: [] }
    given['self'] = given
    const copy = plainCopy(given)
    expect(copy['self']).toBe(copy)
    expect(copy).not.toBe(given)
  })

  it('keeps a name that would be the prototype a name', () => {
    const copy = plainCopy(JSON.parse('{"__proto__":{"evil":1}}'))
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect(Object.hasOwn(copy, '__proto__')).toBe(true)
    expect(copy.evil).toBeUndefined()
  })

  it('has no prototype where what it copies has none', () => {
    expect(Object.getPrototypeOf(plainCopy(Object.create(null)))).toBeNull()
  })

  it('is no copy of nesting without end', () => {
    let deep: unknown = 1
    for (let depth = 0; depth < 200_000; depth += 1) deep = [deep]
    expect(() => plainCopy(deep)).toThrow(RangeError)
  })
})

describe('plain data', () => {
  it.each<[boolean, unknown]>([
    [true, {}],
    [true, []],
    [true, Object.create(null)],
    [false, new Date()],
    [false, null],
    [false, 'text'],
    [false, () => {}],
  ])('is %s of %s', (expected, value) => {
    expect(isPlain(value)).toBe(expected)
  })
})
