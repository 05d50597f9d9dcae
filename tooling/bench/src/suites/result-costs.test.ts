import { describe, expect, it } from 'vitest'
import { compareCosts } from './result-costs.ts'

describe('the costs of results', () => {
  it('are compared on the run of twenty results where there are no recordings', async () => {
    const { text, ratios } = await compareCosts([])
    expect(ratios.map(({ bound }) => bound)).toEqual([1])
    for (const policy of [
      'no policy',
      'LangChain context editing, last 3',
      'AI SDK pruneMessages, last 3',
      'Strands ContextOffloader',
      'symfonic result-policy',
    ]) {
      expect(text).toContain(policy)
    }
    expect(text).toMatch(/^LangChain context editing, last 3 +0\.29\d +1\.5\d\d +1\.5\d\d +lost$/m)
    expect(text).toMatch(/^AI SDK pruneMessages, last 3 +0\.\d{3} +1\.5\d\d +1\.5\d\d +lost$/m)
    expect(text).toMatch(/^Strands ContextOffloader +0\.24\d +0\.24\d +0\.24\d +by its tool$/m)
    expect(text).toMatch(/^symfonic result-policy .* by its tool$/m)
    expect(text).toContain('is not there')
  })

  it('find us no dearer than any other on the run of twenty results', async () => {
    const { ratios } = await compareCosts([])
    for (const { ratio } of ratios) expect(ratio).toBeLessThan(1)
  })
})
