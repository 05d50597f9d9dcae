import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inertText, inertWord } from './render-inert.ts'

const hostile = fc.string({
  unit: fc.constantFrom(
    'a',
    '"',
    '\\',
    'n',
    '\n',
    'u',
    '{',
    '3',
    'c',
    '}',
    '<',
    '\u200b',
    '\uff1c',
  ),
})

describe('inert text', () => {
  it.each([
    { text: 'plain', written: '"plain"' },
    { text: "It's 5% (of a/b), ok?", written: '"It\'s 5% (of a/b), ok?"' },
    { text: 'Zoë 東京 🍵 नमस्ते', written: '"Zoë 東京 🍵 नमस्ते"' },
    { text: 'a "b" \\ c', written: '"a \\"b\\" \\\\ c"' },
    { text: 'a\r\n\tb', written: '"a\\r\\n\\tb"' },
    { text: '<a>`|', written: '"\\u{3c}a\\u{3e}\\u{60}\\u{7c}"' },
    { text: '\uff02\uff1c', written: '"\\u{ff02}\\u{ff1c}"' },
    { text: '\u0301a', written: '"\\u{301}a"' },
    { text: '\u200b\u202e\ud800', written: '"\\u{200b}\\u{202e}\\u{d800}"' },
    { text: '', written: '""' },
  ])('of $text is $written', ({ text, written }) => {
    expect(inertText(text)).toBe(written)
  })

  it('is never longer than asked, and never cut within an escape', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.integer({ min: 8, max: 60 }),
        (text, maxChars) => {
          const written = inertText(text, maxChars)
          expect(written.length).toBeLessThanOrEqual(maxChars)
          expect(written).toMatch(/^"(?:[^"\\]|\\[nrt"\\]|\\u\{[0-9a-f]+\})*"…?$/u)
        },
      ),
    )
  })

  it('spares a plain name its quotes', () => {
    expect(['acme', 'a.b:c-d@e', '7f3e'].map((name) => inertWord(name))).toEqual([
      'acme',
      'a.b:c-d@e',
      '7f3e',
    ])
    expect(['a b', '', '-a', 'ä', 'a\n'].map((name) => inertWord(name))).toEqual([
      '"a b"',
      '""',
      '"-a"',
      '"ä"',
      '"a\\n"',
    ])
  })

  it('keeps different texts apart', () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        expect(inertText(a) === inertText(b)).toBe(a === b)
      }),
    )
  })
})
