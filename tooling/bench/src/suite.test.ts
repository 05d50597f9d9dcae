import { describe, expect, it } from 'vitest'
import { type Comparison, isMissed, runSuite, type Suite } from './suite.ts'

const effort = { rounds: 3, turnMs: 0, warmUpMs: 0 }

const suiteOf = (...comparisons: Comparison[]): Suite => ({
  name: 'some/suite',
  prepare: () => ({
    contenders: [
      { name: 'ours', units: 1, work: () => 1 },
      { name: 'theirs', units: 1, work: () => 2 },
    ],
    comparisons,
  }),
})

describe('running a suite', () => {
  it('gives a row for each comparison, in order', async () => {
    const rows = await runSuite(
      suiteOf(
        { name: 'first', ours: 'ours', theirs: 'theirs', bound: 0.5, aim: 0.1 },
        { name: 'second', ours: 'theirs', theirs: 'ours' },
      ),
      effort,
    )
    expect(rows).toEqual([
      {
        suite: 'some/suite',
        name: 'first',
        oursNs: expect.any(Number),
        theirsNs: expect.any(Number),
        ratio: expect.any(Number),
        bound: 0.5,
        aim: 0.1,
      },
      expect.objectContaining({ name: 'second', bound: undefined, aim: undefined }),
    ])
  })

  it('compares with a fixed time', async () => {
    const [row] = await runSuite(suiteOf({ name: 'limit', ours: 'ours', theirs: 500 }), effort)
    expect(row?.theirsNs).toBe(500)
    expect(row?.ratio).toBeCloseTo((row?.oursNs ?? 0) / 500)
  })

  it('takes off the time of another contender, whatever is left', async () => {
    const [row] = await runSuite(
      suiteOf({ name: 'added', ours: 'ours', less: 'ours', theirs: 500, bound: 1 }),
      effort,
    )
    expect(row).toMatchObject({ oursNs: 0, theirsNs: 500, ratio: 0, bound: 1 })
  })

  it('complains about a comparison with nobody', async () => {
    const suite = suiteOf({ name: 'typo', ours: 'ours', theirs: 'thiers' })
    await expect(runSuite(suite, effort)).rejects.toThrow('no contender "thiers"')
  })
})

describe('a bound', () => {
  it.each([
    { ratio: 0.6, bound: 0.6, missed: false },
    { ratio: 0.601, bound: 0.6, missed: true },
    { ratio: 0.1, bound: 0.6, missed: false },
    { ratio: Number.NaN, bound: 0.6, missed: true },
    { ratio: Number.POSITIVE_INFINITY, bound: 0.6, missed: true },
    { ratio: 9, bound: undefined, missed: false },
  ])('of $bound is missed by $ratio: $missed', ({ ratio, bound, missed }) => {
    expect(isMissed({ ratio, bound })).toBe(missed)
  })
})
