import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { positionsIn } from './position.ts'

describe('positions', () => {
  const text = 'ab\n\nc\r\n😀d'

  it.each([
    [0, 1, 1],
    [1, 1, 2],
    [2, 1, 3],
    [3, 2, 1],
    [4, 3, 1],
    [5, 3, 2],
    [7, 4, 1],
    [9, 4, 3],
    [10, 4, 4],
    [-1, 1, 1],
    [99, 4, 4],
  ])('of offset %d is line %d, column %d', (offset, line, column) => {
    expect(positionsIn(text)(offset)).toEqual({ line, column })
  })

  it('of an empty text is its one place', () => {
    expect(positionsIn('')(0)).toEqual({ line: 1, column: 1 })
  })

  it('count the line breaks before an offset, whatever the text', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\u2028') })
    fc.assert(
      fc.property(texts, fc.nat(20), (text, seed) => {
        const offset = text.length === 0 ? 0 : seed % text.length
        const before = text.slice(0, offset).split('\n')
        expect(positionsIn(text)(offset)).toEqual({
          line: before.length,
          column: (before.at(-1) ?? '').length + 1,
        })
      }),
    )
  })
})
