import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprintRecalled } from './render-fingerprint.ts'
import { inertText } from './render-inert.ts'

const { covers } = fingerprintRecalled([
  'Ana moved from Paris to Lyon in March 2026, because her company opened an office there.',
  'Ana prefers tea.',
  '田中さんは東京に住んでいます。',
  'On the second day of the fair in Turin last summer the older brother of Cem sold the red bicycle of Dora to Emil for ninety euros.',
  'Bo said: "no <b>cheese</b>, please"\nand left',
])

describe('a text that only repeats what was recalled', () => {
  it.each([
    'Ana prefers tea.',
    'ana prefers TEA',
    '"Ana prefers tea."',
    'prefers tea',
    'Ana moved from Paris to Lyon in March 2026.',
    'Ana moved from Paris to Lyon, because her company opened an office there.',
    'Ana moved to Lyon in March 2026 because her company opened an office there',
    '東京に住んでいます',
    'Ａna prefers tea',
    String.raw`Bo said: \"no \u{3c}b\u{3e}cheese\u{3c}/b\u{3e}, please\"\nand left`,
  ])('is covered: %s', (text) => {
    expect(covers(text)).toBe(true)
  })

  it.each([
    'Ana prefers coffee.',
    'Ana no longer prefers tea.',
    'Bo prefers tea.',
    'tea prefers Ana',
    'Ana moved from Lyon to Paris in March 2026, because her company opened an office there.',
    'Ana moved from Paris to Lyon in March 2025.',
    'On the second day of the fair in Turin last summer the older brother of Cem sold the red bicycle of Emil to Dora for ninety euros.',
    'Ana prefers tea. She has a dog.',
    '田中さんは大阪に住んでいます。',
    '',
    '…!?',
  ])('is not, when it says anything else: %s', (text) => {
    expect(covers(text)).toBe(false)
  })

  it.each([
    ['He may not share my data', 'He may share my data'],
    [
      'Ann, who lives in Lyon, does not eat meat or fish',
      'Ann, who lives in Lyon, does eat meat or fish',
    ],
    [
      'After the accident Ann can’t swim in the sea any more',
      'After the accident Ann can swim in the sea any more',
    ],
    [
      'Ann isst seit dem letzten Sommer nicht mehr Fleisch',
      'Ann isst seit dem letzten Sommer mehr Fleisch',
    ],
    ['Анна с прошлого лета не ест мясо и рыбу', 'Анна с прошлого лета ест мясо и рыбу'],
    ['他早上喝不加糖的咖啡然后晚上会吃肉', '他早上喝不加糖的咖啡然后晚上不会吃肉'],
    [
      'Ann likes no milk but she likes tea and she likes cake',
      'Ann likes no milk but she likes no tea and she likes cake',
    ],
  ])('is not, where "%s" is turned into its opposite, either way', (one, other) => {
    expect(fingerprintRecalled([one]).covers(other)).toBe(false)
    expect(fingerprintRecalled([other]).covers(one)).toBe(false)
    expect(fingerprintRecalled([one]).covers(one)).toBe(true)
  })

  it('is covered in every form in which it was shown', () => {
    const texts = fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 })
    fc.assert(
      fc.property(texts, fc.nat(), (recalled, index) => {
        const text = recalled[index % Math.max(recalled.length, 1)] ?? ''
        const hasWords = /[\p{L}\p{N}\p{M}]/u.test(text.normalize('NFKC'))
        fc.pre(hasWords && !text.includes('\\') && /[\p{L}\p{N}\p{M}]/u.test(text))
        const print = fingerprintRecalled(recalled)
        expect(print.covers(text)).toBe(true)
        expect(print.covers(inertText(text))).toBe(true)
      }),
    )
  })

  it('covers nothing when nothing was recalled', () => {
    expect(fingerprintRecalled([]).covers('anything')).toBe(false)
    expect(fingerprintRecalled(['', '?!']).covers('?!')).toBe(false)
  })
})
