import { describe, expect, it } from 'vitest'
import { createRecallRates } from './recall-rates.ts'

describe('the recalls to expect', () => {
  it('are the prior as long as nothing is known', () => {
    expect(createRecallRates(0.2, {}).expectedOf('search')).toBeCloseTo(0.2)
  })

  it('come to what is seen, tool by tool', () => {
    const rates = createRecallRates(0.2, {})
    for (let round = 0; round < 100; round += 1) {
      rates.countReplaced('search')
      rates.countRecall('search')
      rates.countRecall('search')
    }
    expect(rates.expectedOf('search')).toBeGreaterThan(1.9)
    expect(rates.expectedOf('read_file')).toBeCloseTo(0.2)
  })

  it('fall below the prior for a tool that is never read again', () => {
    const rates = createRecallRates(0.2, { search: { replaced: 57, recalled: 0 } })
    expect(rates.expectedOf('search')).toBeCloseTo(0.01)
    expect(rates.seen()).toEqual({ search: { replaced: 57, recalled: 0 } })
  })

  it.each([{}, { replaced: -1, recalled: Number.NaN }, { replaced: '7', recalled: null }])(
    'take %j for nothing seen',
    (known) => {
      const rates = createRecallRates(0.2, { search: known } as never)
      expect(rates.expectedOf('search')).toBeCloseTo(0.2)
    },
  )

  it.each(['__proto__', 'constructor'])('count a tool called %s like any other', (toolName) => {
    const rates = createRecallRates(0.2, {})
    rates.countReplaced(toolName)
    expect(Object.hasOwn(rates.seen(), toolName)).toBe(true)
  })
})
