import type { LanguageModelV4Message } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { offeredTools, requestOf } from '../testing/model-request.ts'
import { createScales } from './weigh-tokens.ts'

const marker = (ttl?: '1h') => ({
  anthropic: { cacheControl: { type: 'ephemeral', ...(ttl && { ttl }) } },
})

/** A request whose first system message ends with a marker. */
function request(cached: string, said: string, ttl?: '1h') {
  const { prompt, tools = [] } = requestOf([said])
  return {
    prompt: [{ role: 'system' as const, content: cached, providerOptions: marker(ttl) }, ...prompt],
    tools,
  }
}

const user = (text: string, marked = false): LanguageModelV4Message => ({
  role: 'user',
  content: [{ type: 'text', text }],
  ...(marked && { providerOptions: marker() }),
})

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
    expect(scales.weigh({ prompt, tools: offeredTools.slice(1) }, 'x').inputTokens.cacheRead).toBe(
      0,
    )
  })

  it('reads the tools alone when only they end with a marker that still fits', () => {
    const scales = createScales()
    const tools = offeredTools.map((tool, index) =>
      index === offeredTools.length - 1 ? { ...tool, providerOptions: marker() } : tool,
    )
    scales.weigh({ ...request('rules', 'a'), tools }, 'x')
    const { inputTokens } = scales.weigh({ ...request('other rules', 'a'), tools }, 'x')
    expect(inputTokens.cacheRead).toBeGreaterThan(256)
    expect(inputTokens.cacheWrite).toBeGreaterThan(0)
  })

  it('reads messages up to the one that was marked, though the marker has moved on', () => {
    const scales = createScales()
    const tools = [...offeredTools]
    const first = scales.weigh({ tools, prompt: [user('one', true)] }, 'x').inputTokens
    const prompt = [user('one'), user('two', true)]
    const second = scales.weigh({ tools, prompt }, 'x').inputTokens
    expect(second.cacheRead).toBe(first.total)
    expect(second.cacheWrite).toBe((second.total ?? 0) - (first.total ?? 0))
  })

  it.each([
    { between: 18, reads: true },
    { between: 19, reads: false },
  ])('finds what it has cached $between blocks and a marker ahead: $reads', (row) => {
    const scales = createScales()
    const tools = [...offeredTools]
    scales.weigh({ tools, prompt: [user('start', true)] }, 'x')
    const filler = Array.from({ length: row.between }, (_, index) => user(`${index}`))
    const prompt = [user('start'), ...filler, user('end', true)]
    const { cacheRead = 0 } = scales.weigh({ tools, prompt }, 'x').inputTokens
    expect(cacheRead > 0).toBe(row.reads)
  })

  it('caches no prefix that is shorter than its minimum', () => {
    const scales = createScales()
    const short = { prompt: [user('short', true)], tools: [] }
    scales.weigh(short, 'x')
    expect(scales.weigh(short, 'x').inputTokens).toMatchObject({ cacheRead: 0, cacheWrite: 0 })
  })

  it.each([
    { ttl: undefined, minutes: 4, reads: true },
    { ttl: undefined, minutes: 6, reads: false },
    { ttl: '1h' as const, minutes: 59, reads: true },
    { ttl: '1h' as const, minutes: 61, reads: false },
  ])('reads a prefix with the lifetime $ttl after $minutes minutes: $reads', (row) => {
    let at = 0
    const scales = createScales({ now: () => at })
    const weigh = () => scales.weigh(request('rules', 'a', row.ttl), 'x').inputTokens.cacheRead ?? 0
    weigh()
    at = row.minutes * 60_000
    expect(weigh() > 0).toBe(row.reads)
    // To be read, or written again, starts the lifetime anew.
    at += 4 * 60_000
    expect(weigh()).toBeGreaterThan(0)
  })

  it('puts system messages in front, wherever they stand', () => {
    const scales = createScales()
    const { prompt, tools } = request('rules', 'a', '1h')
    scales.weigh({ prompt, tools }, 'x')
    const { inputTokens } = scales.weigh({ prompt: [user('b', true), ...prompt], tools }, 'x')
    expect(inputTokens.cacheRead).toBeGreaterThan(0)
  })

  it('refuses more than four markers, and a longer lifetime behind a shorter one', () => {
    const scales = createScales()
    const five = Array.from({ length: 5 }, (_, index) => user(`${index}`, true))
    expect(() => scales.weigh({ prompt: five, tools: [] }, 'x')).toThrow(/has 5 cache markers/)
    const wrong = [user('a', true), { ...user('b'), providerOptions: marker('1h') }]
    expect(() => scales.weigh({ prompt: wrong, tools: [] }, 'x')).toThrow(/stands behind one of 5m/)
  })

  it('adds up', () => {
    const { inputTokens, outputTokens } = createScales().weigh(request('rules', 'a'), 'x'.repeat(9))
    const { noCache = 0, cacheRead = 0, cacheWrite = 0, total } = inputTokens
    expect(noCache + cacheRead + cacheWrite).toBe(total)
    expect(outputTokens.total).toBe(3)
  })
})
