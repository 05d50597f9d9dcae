import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cutText } from './cut-text.ts'

it.each([
  ['abc', 0, 2, 'ab'],
  ['abc', -5, 99, 'abc'],
  ['abc', 2, 1, ''],
  ['', 0, 5, ''],
  ['a😀b', 0, 2, 'a'],
  ['a😀b', 2, 4, 'b'],
  ['a😀b', 1, 3, '😀'],
])('cuts %j from %i to %i as %j', (text, start, end, part) => {
  expect(cutText(text, start, end)).toBe(part)
})

it('never cuts a character in two, and never gives more than was asked for', () => {
  const text = fc.string({ unit: 'grapheme' })
  const position = fc.integer({ min: -3, max: 40 })
  fc.assert(
    fc.property(text, position, position, (whole, start, end) => {
      const part = cutText(whole, start, end)
      expect(part.isWellFormed()).toBe(true)
      expect(part.length).toBeLessThanOrEqual(Math.max(end - Math.max(start, 0), 0))
      expect(whole).toContain(part)
    }),
  )
})
