import { expect, it } from 'vitest'
import { estimateTokens } from './token-estimate.ts'

it.each([
  ['', 0],
  ['four', 1],
  ['a sentence of some length', 7],
  ['東京都', 2],
])('of %j is about %i', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens)
})
