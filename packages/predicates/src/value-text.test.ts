import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainText, valueText } from './value-text.ts'

class Point {
  x = 1
}

const cyclic: Record<string, unknown> = { a: 1 }
cyclic['self'] = cyclic

const throwing = {
  get secret() {
    throw new Error('no')
  },
}

const revoked = Proxy.revocable({}, {})
revoked.revoke()

describe('valueText', () => {
  it.each<[string, unknown, string]>([
    ['text', 'slack', '"slack"'],
    ['quotes', 'say "hi"', '"say \\"hi\\""'],
    ['a line break', 'a\nb', '"a\\nb"'],
    ['a back-tick', 'a`b', '"a\\u0060b"'],
    ['a right-to-left override', 'a\u202eb', '"a\\u202eb"'],
    ['an escape character', '\u001b[31m', '"\\u001b[31m"'],
    ['a lone surrogate', '\ud800', '"\\ud800"'],
    ['an emoji, kept', '🎉', '"🎉"'],
    ['null', null, 'null'],
    ['true', true, 'true'],
    ['a number', 1.5, '1.5'],
    ['negative zero', -0, '-0'],
    ['NaN', Number.NaN, 'NaN'],
    ['a BigInt', 10n, '10n'],
    ['an enormous BigInt', 1n << 5000n, '<bigint>'],
    ['undefined', undefined, 'undefined'],
    ['a function', () => 1, '<function>'],
    ['a symbol', Symbol('x'), '<symbol>'],
    ['a list', [1, 'a', [true]], '[1,"a",[true]]'],
    ['a record', { a: 1, 'b"': null }, '{"a":1,"b\\"":null}'],
    ['a Date', new Date(0), '<Date>'],
    ['a Map', new Map(), '<Map>'],
    ['a class instance', new Point(), '<class instance>'],
    ['a cycle', cyclic, '{"a":1,"self":<cycle>}'],
    ['a getter that throws', throwing, '{"secret":<unreadable>}'],
    ['a revoked proxy', revoked.proxy, '<unreadable>'],
    ['a hole', [undefined], '[undefined]'],
    ['depth', [[[[[[[[1]]]]]]]], '[[[[[[[…]]]]]]]'],
  ])('prints %s', (_, value, text) => {
    expect(valueText(value)).toBe(text)
  })

  it('quotes a string that stands alone as asked, and strings inside as JSON', () => {
    expect(valueText("it's", { quote: "'" })).toBe("'it\\'s'")
    expect(valueText(["it's"], { quote: "'" })).toBe('["it\'s"]')
  })

  it.each([
    ['a long string', 'x'.repeat(1_000_000)],
    ['a string that escapes to much more', '\u0000'.repeat(10_000)],
    ['a long list', new Array(1_000_000).fill('x')],
    ['a large record', Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i]))],
    [
      'a tree',
      Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => ['x'.repeat(99)])),
    ],
  ])('cuts %s at the given length', (_, value) => {
    const text = valueText(value, { maxChars: 100 })
    expect(text.length).toBeLessThanOrEqual(103)
    expect(text).toContain('…')
  })

  it('never cuts a surrogate pair or an escape sequence in half', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('🎉', 'a', '\n', '\u2028', '`'), { maxLength: 30 }),
        fc.integer({ min: 1, max: 40 }),
        (pieces, maxChars) => {
          const text = valueText(pieces.join(''), { maxChars })
          expect(text).toMatch(/^"(?:🎉|a|\\n|\\u2028|\\u0060)*…?"$/u)
        },
      ),
    )
  })

  it('is one printable line for any value at all', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true }), (value) => {
        const text = valueText(value)
        expect(text).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}`]/u)
        expect(text.length).toBeLessThanOrEqual(203)
      }),
    )
  })
})

describe('plainText', () => {
  it.each([
    ['get_status', 'get_status'],
    ['a`b', 'a\\u0060b'],
    ['a\r\nb', 'a\\r\\nb'],
    ["it's", "it's"],
  ])('escapes %j without quotes', (text, expected) => {
    expect(plainText(text)).toBe(expected)
  })

  it('cuts at the given length', () => {
    expect(plainText('x'.repeat(50), 10)).toBe(`${'x'.repeat(10)}…`)
  })
})
