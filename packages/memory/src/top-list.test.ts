import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byRank, createTopList } from './top-list.ts'

describe('createTopList', () => {
  it('keeps what sorting everything would put first', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 60 })
    fc.assert(
      fc.property(scores, fc.integer({ min: 1, max: 20 }), (given, limit) => {
        const all = given.map((score, index) => ({ id: `e${index}`, score }))
        const top = createTopList(limit)
        for (const { id, score } of all) top.offer(id, score)
        expect(top.ranked()).toEqual(all.sort(byRank).slice(0, limit))
      }),
    )
  })

  it('says what a score must at least be', () => {
    const top = createTopList(2)
    expect(top.least()).toBe(Number.NEGATIVE_INFINITY)
    for (const score of [3, 1, 2]) top.offer(`e${score}`, score)
    expect(top.least()).toBe(2)
  })
})
