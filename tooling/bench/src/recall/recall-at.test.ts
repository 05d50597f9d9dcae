import { describe, expect, it } from 'vitest'
import { recallOf } from './recall-at.ts'

describe('recallOf', () => {
  it('is the share of the evidence among the first results, averaged over the questions', () => {
    const ids = Array.from({ length: 20 }, (_, at) => `t${at}`)
    const trial = { category: 'c', conversation: 'x', found: ids }
    expect(
      recallOf([
        { ...trial, evidence: ['t0', 't7'] },
        { ...trial, evidence: ['t19', 'nowhere'] },
      ]),
    ).toEqual([0.25, 0.5, 0.75])
  })
})
