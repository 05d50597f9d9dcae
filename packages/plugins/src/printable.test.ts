import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeThrown, kindOf, printable } from './printable.ts'

describe('printable', () => {
  it.each([
    ['keeps plain text', 'Grüße, 世界 👍🏽', 'Grüße, 世界 👍🏽'],
    ['writes out line breaks', 'a\nb\r\tc', 'a\\nb\\r\\tc'],
    ['writes out bidirectional marks', 'a\u202eb', 'a\\u{202e}b'],
    ['writes out separators', 'a\u2028b', 'a\\u{2028}b'],
    ['writes out half characters', 'a\ud800', 'a\\u{d800}'],
  ])('%s', (_, text, line) => {
    expect(printable(text)).toBe(line)
  })

  it('is one line of bounded length, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        const line = printable(text, 20)
        expect(line.length).toBeLessThanOrEqual(21)
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
      }),
    )
  })
})

describe('describeThrown', () => {
  const unreadable = Object.defineProperty(new Error('x'), 'message', {
    get: () => {
      throw new Error('trap')
    },
  })

  it.each<[string, unknown, string]>([
    ['an error', new TypeError('boom'), 'TypeError: boom'],
    ['a text', 'boom\n', 'boom\\n'],
    ['nothing', undefined, 'undefined'],
    ['an object', {}, 'an object'],
    ['an error that fights back', unreadable, 'something that cannot be read'],
  ])('tells of %s', (_, thrown, line) => {
    expect(describeThrown(thrown)).toBe(line)
  })
})

describe('kindOf', () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()

  it.each<[unknown, string]>([
    [null, 'null'],
    [undefined, 'undefined'],
    ['x', 'a text'],
    [7, 'a number'],
    [[], 'a list'],
    [{}, 'an object'],
    [() => 1, 'a function'],
  ])('names %s', (value, kind) => {
    expect(kindOf(value)).toBe(kind)
  })

  it('names what will not even say whether it is a list', () => {
    expect(kindOf(proxy)).toBe('an object')
  })
})
