import { describe, expect, it } from 'vitest'
import { unsafeCharactersIn } from '../testing/unsafe-characters.ts'
import { printable, printableJson, printableLine } from './printable.ts'

const everything = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code)).join('')

describe('text made safe to print', () => {
  it.each([
    ['\u001b[31mred', '\\u{1b}[31mred'],
    ['a\u0007b\u009bc', 'a\\u{7}b\\u{9b}c'],
    ['safe\u202egnp.exe', 'safe\\u{202e}gnp.exe'],
    ['zero\u200bwidth', 'zero\\u{200b}width'],
    ['half \ud800 pair', 'half \\u{d800} pair'],
    ['a\tb\r\nc\rd', 'a  b\nc\\u{d}d'],
    ['Zoë 東京 🛫 → ✓', 'Zoë 東京 🛫 → ✓'],
  ])('%j becomes %j', (text, safe) => {
    expect(printable(text)).toBe(safe)
  })

  it('leaves nothing a terminal acts on, whatever it is given', () => {
    expect(unsafeCharactersIn(everything)).not.toEqual([])
    expect(unsafeCharactersIn(printable(everything))).toEqual([])
    expect(unsafeCharactersIn(printableJson({ [everything]: everything }))).toEqual([])
  })

  it('is one line where it has to be', () => {
    expect(printableLine('a \n\n  b\r\nc')).toBe('a b c')
  })

  it('stays the same JSON', () => {
    expect(JSON.parse(printableJson({ text: everything }))).toEqual({ text: everything })
    expect(printableJson(undefined)).toBe('null')
  })
})
