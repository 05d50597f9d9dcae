import { isStepCount, ToolLoopAgent } from 'ai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scriptedModel } from './testing/scripted-model.ts'
import { addUsage, noUsage } from './usage.ts'

const tokens = fc.option(fc.nat(1_000_000), { nil: undefined })
const usages = fc.record({
  inputTokens: tokens,
  inputTokenDetails: fc.record({
    noCacheTokens: tokens,
    cacheReadTokens: tokens,
    cacheWriteTokens: tokens,
  }),
  outputTokens: tokens,
  outputTokenDetails: fc.record({ textTokens: tokens, reasoningTokens: tokens }),
  totalTokens: tokens,
})

describe('the sum of usages', () => {
  it('does not depend on order or grouping, and nothing used adds nothing', () => {
    fc.assert(
      fc.property(usages, usages, usages, (a, b, c) => {
        expect(addUsage(a, b)).toEqual(addUsage(b, a))
        expect(addUsage(addUsage(a, b), c)).toEqual(addUsage(a, addUsage(b, c)))
        expect(addUsage(a, noUsage)).toEqual(a)
      }),
    )
  })

  it.each<[string, number | undefined, number | undefined, number | undefined]>([
    ['two known', 3, 4, 7],
    ['known and unknown', 3, undefined, 3],
    ['unknown and known', undefined, 4, 4],
    ['a known zero and unknown', 0, undefined, 0],
    ['two unknown', undefined, undefined, undefined],
  ])('knows what is known: %s', (_what, a, b, expected) => {
    const sum = addUsage({ ...noUsage, outputTokens: a }, { ...noUsage, outputTokens: b })
    expect(sum.outputTokens).toBe(expected)
  })

  it('drops the raw figures of the providers, which cannot be added', () => {
    const raw = { cache_creation: { ephemeral_1h_input_tokens: 9 } }
    expect(addUsage({ ...noUsage, raw }, { ...noUsage, raw })).not.toHaveProperty('raw')
  })

  it('changes neither', () => {
    const a = Object.freeze({ ...noUsage, inputTokens: 1 })
    addUsage(a, a)
    expect(a.inputTokens).toBe(1)
    expect(Object.isFrozen(noUsage) && Object.isFrozen(noUsage.inputTokenDetails)).toBe(true)
  })

  it('is the one the AI SDK arrives at for the same calls', async () => {
    const script = [
      { toolCalls: [{ name: 'none' }], usage: { input: 11, output: 2, cacheRead: 5 } },
      { text: 'done', usage: { input: 20, output: 7 } },
    ]
    const agent = new ToolLoopAgent({ model: scriptedModel(script), stopWhen: isStepCount(5) })
    const { steps, usage } = await agent.generate({ prompt: 'go' })
    const [first = noUsage, second = noUsage] = steps.map((step) => step.usage)
    expect(steps).toHaveLength(2)
    expect(addUsage(first, second)).toEqual(usage)
  })
})
