import { describe, expect, it } from 'vitest'
import { createFlow, cut, widthOf, wrap } from './wrap.ts'

describe('the width of a text', () => {
  it.each([
    ['plain', 5],
    ['Zoë', 3],
    ['Zoe\u0308', 3],
    ['東京', 4],
    ['🛫', 2],
    ['👩‍✈️', 2],
    ['', 0],
  ])('%s takes %i columns', (text, width) => {
    expect(widthOf(text)).toBe(width)
  })
})

describe('wrapping', () => {
  it.each([
    { text: 'one two three', width: 8, lines: ['one two', 'three'] },
    { text: 'one two', width: 7, lines: ['one two'] },
    { text: 'abcdefghij', width: 4, lines: ['abcd', 'efgh', 'ij'] },
    { text: 'a\n\nb', width: 10, lines: ['a', '', 'b'] },
    { text: '東京東京', width: 5, lines: ['東京', '東京'] },
    { text: 'a    b', width: 10, lines: ['a    b'] },
    { text: '', width: 10, lines: [''] },
  ])('$text at $width', ({ text, width, lines }) => {
    expect(wrap(text, width)).toEqual(lines)
  })

  const text =
    'The call was refused: 東京 and **K4T9QX**, https://desk.example/r/K4T9QX\n- one\n\n- two'

  it.each([20, 33, 40, 80])('no line is wider than %i columns, and no word is lost', (width) => {
    const lines = wrap(text, width)
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(width)
    expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
  })

  it.each([1, 2, 3, 7])('comes to the same when the text comes in pieces of %i', (size) => {
    const whole = createFlow(24, '  ')
    const pieces = createFlow(24, '  ')
    let out = ''
    for (let at = 0; at < text.length; at += size) out += pieces.write(text.slice(at, at + size))
    expect(out + pieces.end()).toBe(whole.write(text) + whole.end())
  })

  it('indents every line but the first, and no empty one', () => {
    const flow = createFlow(10, '    ')
    expect(flow.write('one\n\ntwo three four') + flow.end()).toBe('one\n\n    two three\n    four')
  })

  it('does not hold back an endless word', () => {
    expect(createFlow(10).write('x'.repeat(1_000)).length).toBeGreaterThan(900)
  })

  it.each([
    ['short', 10, 'short'],
    ['a bit long', 6, 'a bit…'],
    ['東京東京', 6, '東京…'],
  ])('cuts %s at %i to %s', (long, width, short) => {
    expect(cut(long, width)).toBe(short)
    expect(widthOf(cut(long, width))).toBeLessThanOrEqual(width)
  })
})
