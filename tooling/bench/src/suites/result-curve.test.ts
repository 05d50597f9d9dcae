import { describe, expect, it } from 'vitest'
import { curveOver } from './result-curve.ts'

describe('the curve of the result policy', () => {
  it('has a time for each place, and the last against the first', async () => {
    const { text, ratios } = await curveOver([4, 8], { runs: 2, windowSteps: 2 })
    expect(text).toMatch(/^ {2}at step +4 +\d+\.\d µs\n {2}at step +8 +\d+\.\d µs$/m)
    expect(ratios).toEqual([
      { name: 'a step at 8 / a step at 4', ratio: expect.any(Number), bound: 2 },
    ])
    expect(ratios[0]?.ratio).toBeGreaterThan(0)
  })
})
