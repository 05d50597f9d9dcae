import { describe, expect, it } from 'vitest'
import { questionShare } from './questions.ts'

describe('questionShare', () => {
  it.each([
    ['Where did you buy it?', 1],
    ['In Ulm.', 0],
    ['In Ulm', 0],
    ['Ja. Wo?', 4 / 7],
    ['どこで買いましたか？', 1],
    ['أين اشتريته؟', 1],
    ['Really?!', 0],
    ['What?? No way.', 6 / 14],
    ['', 0],
    ['...', 0],
  ])('is by the length of the sentences that ask: %j', (text, share) => {
    expect(questionShare(text)).toBeCloseTo(share, 1)
  })

  it('looks at the beginning of a long text only', () => {
    expect(questionShare(`${'a'.repeat(2_000)}?`)).toBe(0)
  })
})
