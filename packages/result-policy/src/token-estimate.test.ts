import { expect, it } from 'vitest'
import { charsPerToken, estimateTokens } from './token-estimate.ts'

it('takes four characters for a token, and does not round', () => {
  expect(charsPerToken).toBe(4)
  expect(['', 'abc', 'abcdefgh'].map(estimateTokens)).toEqual([0, 0.75, 2])
})
