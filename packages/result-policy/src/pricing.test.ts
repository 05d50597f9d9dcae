import { describe, expect, it } from 'vitest'
import { ResultPolicyError } from './errors.ts'
import { modelPrices } from './price-table.ts'
import { createPricing, ratesOf } from './pricing.ts'

const price = { input: 1, output: 2 }

function logged() {
  const lines: { level: string; message: string; details: unknown }[] = []
  const at = (level: string) => (message: string, details?: unknown) =>
    void lines.push({ level, message, details })
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  const count = (level: string) => lines.filter((line) => line.level === level).length
  return { lines, logger, count }
}

describe('the price of a model', () => {
  it.each([
    'claude-sonnet-4-5',
    'claude-sonnet-4-5-20250929',
    'anthropic/claude-sonnet-4-5',
    'anthropic:claude-sonnet-4-5',
    'us/anthropic/claude-sonnet-4-5-20250929',
  ])('is found under %s', (name) => {
    expect(createPricing().priceOf(name)).toEqual({
      input: 3,
      output: 15,
      cacheRead: 0.3,
      cacheWrite5m: 3.75,
      cacheWrite1h: 6,
    })
  })

  it.each([
    // Bedrock, by region, by inference profile, and through a registry of providers
    ['anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5'],
    ['us-gov.anthropic.claude-sonnet-4-20250514-v1:0', 'claude-sonnet-4'],
    ['global.anthropic.claude-opus-4-6-v1', 'claude-opus-4-6'],
    ['anthropic.claude-sonnet-4-6', 'claude-sonnet-4-6'],
    ['bedrock:eu.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5'],
    ['bedrock/anthropic.claude-3-7-sonnet-20250219-v1:0', 'claude-3-7-sonnet'],
    [
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-opus-4-1-20250805-v1:0',
      'claude-opus-4-1',
    ],
    // Vertex
    ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5'],
    ['claude-opus-4-6@default', 'claude-opus-4-6'],
    ['publishers/anthropic/models/claude-sonnet-4@20250514', 'claude-sonnet-4'],
    ['models/gemini-2.5-flash-lite', 'gemini-2.5-flash-lite'],
    // OpenRouter and other gateways
    ['claude-sonnet-4.5', 'claude-sonnet-4-5'],
    ['anthropic/claude-opus-4.1', 'claude-opus-4-1'],
    ['anthropic/claude-3.5-haiku', 'claude-3-5-haiku'],
    ['openai/gpt-5.1', 'gpt-5.1'],
    ['openrouter:google/gemini-2.5-flash', 'gemini-2.5-flash'],
    // The vendors themselves
    ['claude-sonnet-4-20250514', 'claude-sonnet-4'],
    ['claude-3-7-sonnet-latest', 'claude-3-7-sonnet'],
    ['gpt-5.1-2025-11-13', 'gpt-5.1'],
    ['gpt-4o-2024-08-06', 'gpt-4o'],
    ['gpt-4o-2024-05-13', 'gpt-4o-2024-05-13'],
    ['o3-2025-04-16', 'o3'],
    ['openai:o3-mini', 'o3-mini'],
  ])('of %s is that of %s', (name, model) => {
    const price = createPricing().priceOf(name)
    expect(price).toBeDefined()
    expect(price).toEqual(modelPrices[model])
  })

  it.each([
    ['', 'gpt-4', 'claude', 'constructor', '__proto__', 'toString', '-20250929', '/', '.', ':'],
    // Each has a relative in the table, whose price is not its own.
    ['gpt-5.9', 'gpt-5-pro', 'gpt-5.1-chat-latest', 'gpt-5-1', 'o3-pro', 'o3-deep-research', 'o1'],
    ['claude-sonnet-4.9', 'claude-opus-4-5-fast', 'anthropic/claude-sonnet-4.5:free', 'claude-4'],
    ['gemini-2.5-pro-preview-06-05', 'gemini-2.5-flash-image', 'gemini-3-pro', 'gemini-2-5-pro'],
    ['ft:gpt-4o:org::id', 'gpt-4o-audio-preview', 'deepseek-v3', 'amazon.nova-pro-v1:0'],
  ])('is unknown for %j, %j, %j, %j', (...names) => {
    for (const name of names) expect(createPricing().priceOf(name), name).toBeUndefined()
  })

  it('does not lose an end that only looks like a revision', () => {
    const pricing = createPricing({ overrides: { deepseek: price } })
    expect(pricing.priceOf('deepseek-v3')).toBeUndefined()
  })

  it('is that of the longest name which has one', () => {
    const own = { input: 7, output: 8 }
    const name = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
    const pricing = createPricing({ overrides: { [name]: own, 'claude-sonnet-4-5': price } })
    expect(pricing.priceOf(name)).toEqual(own)
    expect(pricing.priceOf(`eu${name.slice(2)}`)).toEqual(price)
  })

  it('is the override where there is one', () => {
    const pricing = createPricing({ overrides: { 'gpt-5': price } })
    expect(pricing.priceOf('openai/gpt-5')).toEqual(price)
    expect(pricing.priceOf('gpt-5-mini')).toEqual(modelPrices['gpt-5-mini'])
  })
})

describe('the price table', () => {
  it('lists what reads and writes of the cache cost, in a sane order', () => {
    const prices = Object.entries(modelPrices)
    expect(prices.length).toBeGreaterThan(15)
    for (const [name, { input, output, cacheRead = input, cacheWrite5m = input }] of prices) {
      expect(cacheRead, name).toBeLessThanOrEqual(input)
      expect(cacheWrite5m, name).toBeGreaterThanOrEqual(input)
      expect(output, name).toBeGreaterThan(input)
    }
  })
})

describe('installing prices', () => {
  it('skips an empty map, and says nothing', () => {
    const { logger, lines } = logged()
    const pricing = createPricing({ overrides: { m: price } })
    const quiet = createPricing({ logger })
    pricing.install({})
    quiet.install({})
    expect(pricing.overrides()).toEqual({ m: price })
    expect(lines).toEqual([])
  })

  it('clears only when registered', () => {
    const pricing = createPricing({ overrides: { m: price } })
    pricing.register({})
    expect(pricing.overrides()).toEqual({})
  })

  it('warns once about replacing overrides by different ones', () => {
    const { logger, count } = logged()
    const pricing = createPricing({ overrides: { m: price }, logger })
    pricing.install({ m: { ...price } })
    expect(count('warn')).toBe(0)
    pricing.install({ m: { input: 5, output: 6 } })
    pricing.install({ n: price })
    expect(count('warn')).toBe(1)
    expect(pricing.overrides()).toEqual({ n: price })
  })

  it('leaves an audit line with models and without a rate', () => {
    const { logger, lines } = logged()
    createPricing({ overrides: { b: { input: 77.5, output: 88.5 }, a: price }, logger })
    expect(lines).toEqual([
      { level: 'info', message: 'Price overrides changed.', details: { models: ['a', 'b'] } },
    ])
    expect(JSON.stringify(lines)).not.toMatch(/77|88/)
  })

  it.each([
    [null],
    [[]],
    ['text'],
    [{ m: null }],
    [{ m: { input: 1 } }],
    [{ m: { input: -1, output: 1 } }],
    [{ m: { input: 1, output: Number.NaN } }],
    [{ m: { input: 1, output: 1, cacheRead: '0.1' } }],
    [{ m: { input: 1, output: Number.POSITIVE_INFINITY } }],
    [{ m: Object.create(price) }],
  ])('refuses %j and changes nothing', (overrides) => {
    const pricing = createPricing({ overrides: { m: price } })
    const wanted = { code: 'RESULT_PRICE_INVALID' }
    expect(() => pricing.install(overrides as never)).toThrow(expect.objectContaining(wanted))
    expect(() => pricing.register(overrides as never)).toThrow(ResultPolicyError)
    expect(pricing.overrides()).toEqual({ m: price })
  })

  it('copies what it is given', () => {
    const mine = { input: 1, output: 2 }
    const pricing = createPricing({ overrides: { m: mine } })
    mine.input = 100
    expect(pricing.priceOf('m')).toEqual(price)
  })
})

describe('the rates of a price', () => {
  const sonnet = modelPrices['claude-sonnet-4-5']

  it.each([
    ['5m', { unit: 'usd', read: 0.3e-6, write: 3.75e-6, output: 15e-6 }],
    ['1h', { unit: 'usd', read: 0.3e-6, write: 6e-6, output: 15e-6 }],
    ['none', { unit: 'usd', read: 3e-6, write: 3e-6, output: 15e-6 }],
  ] as const)('for a cache of %s', (cache, wanted) => {
    const { unit, ...found } = ratesOf(sonnet, cache)
    expect(unit).toBe(wanted.unit)
    expect(found.read).toBeCloseTo(wanted.read, 12)
    expect(found.write).toBeCloseTo(wanted.write, 12)
    expect(found.output).toBeCloseTo(wanted.output, 12)
  })

  it('take what is not listed from the input price', () => {
    const { read, write } = ratesOf({ input: 2, output: 8 }, '1h')
    expect([read, write]).toEqual([2e-6, 2e-6])
  })

  it.each([undefined, null])(
    'are multiples of an input token where the price is unknown, as %j',
    (unknown) => {
      expect(ratesOf(unknown, '5m')).toEqual({
        unit: 'input-tokens',
        read: 0.1,
        write: 1.25,
        output: 5,
      })
    },
  )

  it.each([
    ['a promise', Promise.resolve(price), 'input'],
    ['a number', 3, 'input'],
    ['NaN', Number.NaN, 'input'],
    ['false', false, 'input'],
    ['a list', [1, 2], 'input'],
    ['an object without an output price', { input: 1 }, 'output'],
    ['a negative price', { input: 1, output: -1 }, 'output'],
    ['a price that is no number', { input: Number.NaN, output: 1 }, 'input'],
    ['a price in words', { input: 1, output: 1, cacheRead: '0.1' }, 'cacheRead'],
    ['a boundless price', { input: 1, output: 1, cacheWrite5m: 1 / 0 }, 'cacheWrite5m'],
    ['null for a price', { input: 1, output: 1, cacheWrite1h: null }, 'cacheWrite1h'],
  ])('are refused for %s', (_, what, rate) => {
    expect(() => ratesOf(what as never, '5m')).toThrow(
      expect.objectContaining({
        code: 'RESULT_PRICE_INVALID',
        details: { rate },
        message: expect.stringMatching(/^The price \w+ is no amount\. .*\.$/),
      }),
    )
  })
})
