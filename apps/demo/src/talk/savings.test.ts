import type { SavingsReport } from '@symfonic/result-policy'
import { describe, expect, it } from 'vitest'
import { reportIn, savingsOf, sumSavings } from './savings.ts'

const report = (plainChars: number, sentChars: number, plainCost: number, cost: number) =>
  ({
    decided: [],
    replacedResults: 0,
    unit: 'usd',
    plainChars,
    sentChars,
    plainCost,
    cost,
  }) as const satisfies SavingsReport
const call = (of: SavingsReport, isAfterRecall = false) => ({ report: of, isAfterRecall })

describe('what a turn saved', () => {
  it('is the characters of each call, and what the costs have grown by', () => {
    const calls = [call(report(100, 100, 3, 3)), call(report(900, 200, 9, 4))]
    expect(savingsOf(calls, report(90, 90, 2, 2))).toEqual({
      ...{ plainChars: 1_000, sentChars: 300, unit: 'usd', plainCost: 7, cost: 2 },
    })
  })

  it('holds no call against the whole result that only a stub has made necessary', () => {
    const calls = [call(report(900, 200, 9, 4)), call(report(950, 250, 9, 5), true)]
    expect(savingsOf(calls, undefined)).toMatchObject({ plainChars: 900, sentChars: 450 })
  })

  it('is unknown where no model was called', () => {
    expect(savingsOf([], report(1, 1, 1, 1))).toBeUndefined()
  })

  it('adds up, turns that failed left out', () => {
    const turn = savingsOf([call(report(100, 50, 2, 1))], undefined)
    expect(sumSavings([turn, undefined, turn])).toEqual({
      ...{ plainChars: 200, sentChars: 100, unit: 'usd', plainCost: 4, cost: 2 },
    })
    expect(sumSavings([undefined])).toBeUndefined()
  })

  it('is read from events of the result policy only', () => {
    const event = { type: 'history-rewritten', step: 1, details: report(1, 1, 1, 1) } as const
    const all = { ...event, details: { ...event.details } }
    expect(reportIn({ ...all, capability: 'result-policy' })).toEqual(event.details)
    expect(reportIn({ ...all, capability: 'summaries' })).toBeUndefined()
  })
})
