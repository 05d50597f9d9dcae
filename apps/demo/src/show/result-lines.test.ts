import { netSaving } from '@symfonic/result-policy'
import { describe, expect, it } from 'vitest'
import { unsafeCharactersIn } from '../testing/unsafe-characters.ts'
import {
  describeArithmetic,
  describeRecalled,
  describeSavings,
  describeStub,
  describeStubs,
} from './result-lines.ts'

const usd = { unit: 'usd', read: 0.3e-6, write: 3.75e-6, output: 15e-6 } as const
const inputs = {
  ...{ freedTokens: 5_000, remainingCalls: 10, isCached: false, rewrittenTokens: 0 },
  ...{ expectedRecalls: 0.2, recallTokens: 1_000, promptTokens: 500, rates: usd },
}
const decision = {
  ...({ action: 'offload', reason: 'large', toolCallId: '1', toolName: 'search' } as const),
  ...{ sizeChars: 21_000, stubChars: 1_000, id: 'r_0123456789' },
}

describe('the arithmetic of a stub', () => {
  it('adds up, for a result that was never sent', () => {
    expect(describeArithmetic(netSaving(inputs))).toBe(
      '5,000 tokens × 10 calls (1 × $3.75/M + 9 × $0.30/M) − rewrite 0 − recalls $0.0014 = $0.0308 saved',
    )
    expect(5_000 * (3.75e-6 + 9 * 0.3e-6) - 0.0014).toBeCloseTo(0.0308, 3)
  })

  it('adds up, for one that is cached and has something behind it', () => {
    const cached = { ...inputs, isCached: true, rewrittenTokens: 2_000, expectedRecalls: 0 }
    expect(describeArithmetic(netSaving(cached))).toBe(
      '5,000 tokens × 10 calls (10 × $0.30/M) − rewrite $0.0069 − recalls 0 = $0.0081 saved',
    )
  })

  it('is in input tokens where the model has no price', () => {
    const rates = { unit: 'input-tokens', read: 0.1, write: 1.25, output: 5 } as const
    expect(describeArithmetic(netSaving({ ...inputs, expectedRecalls: 0, rates }))).toBe(
      '5,000 tokens × 10 calls (1 × 1.25 + 9 × 0.1) − rewrite 0 − recalls 0 = 10,750 input tokens saved',
    )
  })
})

describe('stubs', () => {
  it('say what they stand for, on one safe line', () => {
    expect(describeStub(decision)).toBe('search: 21,000 chars, a stub of 1,000 is sent, r_012345')
    const line = describeStub({ ...decision, toolName: 'a\n\u001b[2Jb' })
    expect(line).not.toContain('\n')
    expect(unsafeCharactersIn(line)).toEqual([])
  })

  it('are listed with their reason, and their arithmetic where there is some', () => {
    const list = describeStubs([decision, { ...decision, netSaving: netSaving(inputs) }])
    expect(list.match(/\(large\)/g)).toHaveLength(2)
    expect(list.match(/ saved\n/g)).toHaveLength(1)
  })

  it.each([
    [
      { search: 'nh216' },
      '1 places.\nat 90: …,{"flight":"NH216","seats":5}',
      '…{"flight":"NH216","seats":5}',
    ],
    [{ search: 'none' }, '0 places.', '0 places.'],
    [{}, '{"flight":"NH216"}', '{"flight":"NH216"}'],
    [undefined, '\u001b[2J', '\\u{1b}[2J'],
  ])('%j shows what was found behind one', (input, output, line) => {
    expect(describeRecalled(output, input)).toBe(line)
  })
})

describe('what was saved', () => {
  const savings = {
    plainChars: 9_000,
    sentChars: 900,
    unit: 'usd',
    plainCost: 0.02,
    cost: 0.005,
  } as const

  it.each([
    [savings, '900 chars of history sent, not 9,000; $0.0150 of $0.0200 saved'],
    [
      { ...savings, unit: 'input-tokens', plainCost: 4_000, cost: 1_000 } as const,
      '900 chars of history sent, not 9,000; 3,000 of 4,000 input tokens saved',
    ],
    [{ ...savings, sentChars: 9_000 }, undefined],
  ])('%j', (of, line) => {
    expect(describeSavings(of)).toBe(line)
  })
})
