import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gateInputs } from './gate-inputs.ts'
import { type NetSavingInputs, netSaving, recallCallTokens } from './net-saving.ts'
import { ratesOf } from './pricing.ts'
import { defineSettings } from './settings.ts'

const rates = ratesOf(undefined, '5m')
const inputs: NetSavingInputs = {
  freedTokens: 1000,
  remainingCalls: 10,
  isCached: true,
  rewrittenTokens: 500,
  expectedRecalls: 0.5,
  recallTokens: 100,
  promptTokens: 2000,
  rates,
}

describe('the net saving', () => {
  it('shows its inputs and terms', () => {
    const saving = netSaving(inputs)
    expect(saving.inputs).toBe(inputs)
    expect(saving.terms.saving).toBeCloseTo(1000 * 10 * 0.1)
    expect(saving.terms.rewrite).toBeCloseTo(500 * 1.15)
    expect(saving.terms.recall).toBeCloseTo(0.5 * (200 + recallCallTokens * 5 + 100 * (1.25 + 0.9)))
    expect(saving.net).toBeCloseTo(1000 - 575 - 0.5 * 615)
  })

  it('counts a result that was never sent at the price of writing it once', () => {
    const saving = netSaving({ ...inputs, isCached: false, rewrittenTokens: 0, expectedRecalls: 0 })
    expect(saving.net).toBeCloseTo(1000 * (1.25 + 9 * 0.1))
  })

  it('has no rewrite to pay where nothing is cached', () => {
    expect(netSaving({ ...inputs, rates: ratesOf(undefined, 'none') }).terms.rewrite).toBe(0)
  })

  const amount = fc.double({ min: 0, max: 1e6, noNaN: true })
  const anyInputs = fc.record({
    freedTokens: amount,
    remainingCalls: fc.double({ min: 1, max: 1000, noNaN: true }),
    isCached: fc.boolean(),
    rewrittenTokens: amount,
    expectedRecalls: fc.double({ min: 0, max: 5, noNaN: true }),
    recallTokens: amount,
    promptTokens: amount,
    rates: fc.constantFrom(
      rates,
      ratesOf(undefined, '1h'),
      ratesOf({ input: 3, output: 15 }, '5m'),
    ),
  })

  it.each([
    ['freedTokens', 1],
    ['remainingCalls', 1],
    ['rewrittenTokens', -1],
    ['expectedRecalls', -1],
    ['recallTokens', -1],
    ['promptTokens', -1],
  ] as const)('never turns the wrong way with %s', (key, direction) => {
    fc.assert(
      fc.property(anyInputs, amount, (given, more) => {
        // More calls also make a recall dearer: there, only the saving is looked at.
        const part = key === 'remainingCalls' ? 'saving' : 'net'
        const of = (one: NetSavingInputs) =>
          ({ ...netSaving(one).terms, net: netSaving(one).net })[part]
        const [before, after] = [of(given), of({ ...given, [key]: given[key] + more })]
        const slack = 1e-9 * Math.max(1, Math.abs(before), Math.abs(after))
        expect((after - before) * direction).toBeGreaterThanOrEqual(-slack)
      }),
    )
  })
})

describe('the inputs of the gate', () => {
  it('hold the prior for a horizon, and a threshold without its fraction', () => {
    const settings = defineSettings({ largeOffloadThresholdChars: 4003, modelName: 'm' })
    expect(gateInputs(4000, { settings })).toEqual({
      outputTokens: 1000,
      horizon: 10,
      recallProbability: 0.2,
      modelName: 'm',
      largeOffloadThresholdTokens: 1000,
    })
  })
})
