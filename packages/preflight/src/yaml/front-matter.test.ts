import { describe, expect, it } from 'vitest'
import { splitFrontMatter } from './front-matter.ts'

describe('front matter', () => {
  it.each([
    ['---\na: 1\n---\nbody\n', 'a: 1\n', 'body\n'],
    ['---\r\na: 1\r\n---\r\nbody\r\n', 'a: 1\r\n', 'body\r\n'],
    ['---  \t\na: 1\n--- \n\nbody', 'a: 1\n', '\nbody'],
    ['---\na: 1\n---', 'a: 1\n', ''],
    ['---\n---\n---\n', '', '---\n'],
    [
      '---\na: |\n  ---\n ---\n----\n--- x\nb: \u2028---\n---\n',
      'a: |\n  ---\n ---\n----\n--- x\nb: \u2028---\n',
      '',
    ],
  ])('of %j is split at its fences', (text, yaml, body) => {
    const parts = splitFrontMatter(text)
    expect(parts).toEqual({ yaml, offset: text.indexOf('\n') + 1, body })
  })

  it.each(['', 'a: 1\n---\n', '\n---\na: 1\n---\n', ' ---\n---\n', '--\n---\n', '---x\n---\n'])(
    'does not open in %j',
    (text) => {
      expect(splitFrontMatter(text)).toEqual({ missing: 'opening' })
    },
  )

  it.each(['---', '---\n', '---\na: 1\n', '---\na: 1\n ---\n', '---\na: 1\n---x\n'])(
    'does not close in %j',
    (text) => {
      expect(splitFrontMatter(text)).toEqual({ missing: 'closing' })
    },
  )
})
