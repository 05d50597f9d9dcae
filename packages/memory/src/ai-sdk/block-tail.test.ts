import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extractionLimits } from '../extraction/faults.ts'
import { createBlockTail } from './block-tail.ts'

describe('the tail of a block', () => {
  it.each<[string, string, string]>([
    ['up to its end', 'tent":"x"}\n</memory_extraction>\nDone.', '</memory_extraction>\nDone.'],
    ['in any letter case', 'x</Memory_Extraction >b', '</Memory_Extraction >b'],
    ['at the end of the text', 'x</memory_extraction', '</memory_extraction'],
    ['not of a text that has begun anew', 'Done.', 'Done.'],
    ['not of a text with a block of its own', 'a<memory_extraction>b', 'a<memory_extraction>b'],
    ['not for a longer name', 'a</memory_extraction_b>c', 'a</memory_extraction_b>c'],
    ['not of nothing', '', ''],
  ])('is taken off %s', (_what, text, expected) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), (chars) => {
        expect(pushed(text, chars, true)).toBe(expected)
      }),
      { numRuns: 30 },
    )
  })

  it('is looked for only where a block was left open', () => {
    const text = 'x</memory_extraction>b'
    expect(pushed(text, 3, false)).toBe(text)
    expect(createBlockTail(false).push('x')).toBe('x')
  })

  it('is not waited for longer than a block may be', () => {
    const tail = createBlockTail(true)
    const text = 'x'.repeat(extractionLimits.blockChars)
    expect(tail.push(text)).toBe('')
    expect(tail.push('y')).toBe(`${text}y`)
    expect(tail.push('</memory_extraction>')).toBe('</memory_extraction>')
  })
})

function pushed(text: string, chars: number, isInBlock: boolean): string {
  const { push, end } = createBlockTail(isInBlock)
  let shown = ''
  for (let at = 0; at < text.length; at += chars) shown += push(text.slice(at, at + chars))
  return shown + end()
}
