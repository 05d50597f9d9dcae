import { describe, expect, it } from 'vitest'
import { liveThrough } from './live-through.ts'
import { ourPolicy } from './our-policy.ts'
import { factOfThirdResult, reachAtEnd } from './reach.ts'
import { twentyResults } from './twenty-results.ts'

describe('the result policy, on the run of twenty results', () => {
  it('is asked for a value by the id in the stub, and its tool shows it', async () => {
    const run = twentyResults()
    const fact = factOfThirdResult(run)
    if (fact === undefined) throw new Error('The third result has no fact.')
    expect(await reachAtEnd(run, ourPolicy(), fact)).toBe('by its tool')
    expect(await reachAtEnd(run, ourPolicy({ enabled: false }), fact)).toBe('in sight')
  })

  it('has no answer without a stub', async () => {
    const open = ourPolicy().open(twentyResults())
    expect(await open.recall?.({ value: 'P0000001', stub: 'no stub' })).toBeUndefined()
  })

  it('sends the description of its tool where that is counted', async () => {
    const { requests } = await liveThrough(twentyResults(), ourPolicy(), {
      asking: 'nothing',
      withTool: true,
    })
    expect(requests[0]?.messages[0]).toContain('recall_tool_result')
  })
})
