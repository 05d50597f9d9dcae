import { describe, expect, it } from 'vitest'
import { requestOf } from '../testing/model-request.ts'
import { createScales } from './weigh-tokens.ts'

const marker = { anthropic: { cacheControl: { type: 'ephemeral' } } }

function request(cached: string, said: string) {
  const { prompt, tools = [] } = requestOf([said])
  return {
    prompt: [{ role: 'system' as const, content: cached, providerOptions: marker }, ...prompt],
    tools,
  }
}

describe('weighing a request', () => {
  it('writes a marked prefix the first time and reads it from then on', () => {
    const scales = createScales()
    const { inputTokens: first } = scales.weigh(request('rules', 'a'), 'x')
    const { inputTokens: second } = scales.weigh(request('rules', 'b'), 'x')
    expect(first.cacheRead).toBe(0)
    expect(first.cacheWrite).toBeGreaterThan(0)
    expect(second).toMatchObject({ cacheRead: first.cacheWrite, cacheWrite: 0 })
  })

  it('writes again when the prefix or the tools differ by a letter', () => {
    const scales = createScales()
    scales.weigh(request('rules', 'a'), 'x')
    expect(scales.weigh(request('rulez', 'a'), 'x').inputTokens.cacheRead).toBe(0)
    const { prompt } = request('rules', 'a')
    expect(scales.weigh({ prompt, tools: [] }, 'x').inputTokens.cacheRead).toBe(0)
  })

  it('adds up', () => {
    const { inputTokens, outputTokens } = createScales().weigh(request('rules', 'a'), 'x'.repeat(9))
    const { noCache = 0, cacheRead = 0, cacheWrite = 0, total } = inputTokens
    expect(noCache + cacheRead + cacheWrite).toBe(total)
    expect(outputTokens.total).toBe(3)
  })
})
