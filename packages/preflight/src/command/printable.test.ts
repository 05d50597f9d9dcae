import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printable, printableJson } from './printable.ts'

const actsOnTerminals = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

describe('printable', () => {
  it.each([
    ['plain text, ünïcode and 表', 'plain text, ünïcode and 表'],
    ['\u001b[31mred', '\\u{1b}[31mred'],
    ['two\nlines\r\ttab', 'two\\u{a}lines\\u{d}\\u{9}tab'],
    ['\u202eevil\u2066', '\\u{202e}evil\\u{2066}'],
    ['\u009b2J\u2028', '\\u{9b}2J\\u{2028}'],
    ['half \ud800', 'half \\u{d800}'],
  ])('turns %j into %j', (text, expected) => {
    expect(printable(text)).toBe(expected)
  })

  it('leaves nothing for a terminal to act upon, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(printable(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u)
      }),
    )
  })
})

describe('printableJson', () => {
  it('leaves nothing for a terminal to act upon, and means the same', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        const text = printableJson(value)
        expect(text).not.toMatch(actsOnTerminals)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it.each(['\u202e', '\u009b', '\u2028', '\u{e0001}', '\ud800'])('writes %j out', (text) => {
    expect(printableJson([text])).toMatch(/^\[\n {2}"(?:\\u[0-9a-f]{4})+"\n\]$/)
    expect(JSON.parse(printableJson([text]))).toEqual([text])
  })
})
