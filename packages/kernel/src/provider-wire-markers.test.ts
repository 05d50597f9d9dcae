import { tool } from 'ai'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { CacheOptions } from './cache/cache-settings.ts'
import type { CacheTtl, Capability, PromptSection } from './capability.ts'
import { createKernel } from './kernel.ts'
import type { PromptOptions } from './kernel-options.ts'
import { scriptedModel } from './testing/scripted-model.ts'
import { type HostMark, history, markedAs } from './testing-fixtures/marked-messages.ts'
import {
  blocksOf,
  calls,
  countMarkers,
  markersOf,
  playTurn,
  recordedAnthropic,
  recordedOpenAICompatible,
  says,
  thinks,
} from './testing-fixtures/recorded-wire.ts'
import { withPlugins } from './with-plugins.ts'

// Where cache markers stand on the wire, whatever plugins, sections and hosts wish for.

const look = tool({ inputSchema: z.object({}), execute: async () => 'seen' })
const rules = {
  name: 'rules',
  injectContributions: () => [
    { content: 'Never book twice.', cacheTtl: '1h' as const },
    { content: 'Ana is here.', position: 'volatile' as const },
  ],
}
const desk: Capability = {
  name: 'desk',
  sections: [{ name: 'links', layer: 'L1', render: () => 'Write links in full.' }],
}

// What the provider drops it says in a warning, which the SDK would print, too.
beforeEach(() => void vi.stubGlobal('AI_SDK_LOG_WARNINGS', false))
afterEach(() => void vi.unstubAllGlobals())

describe.each(['run', 'stream'] as const)('the markers of a %s', (mode) => {
  it.each<[string, CacheOptions, CacheTtl | undefined, string[]]>([
    [
      'as long as a plugin wishes',
      {},
      undefined,
      ['tools 1h', 'system 1h', 'system 1h', 'system 5m'],
    ],
    ['as the host has them', {}, '5m', ['tools 5m', 'system 5m', 'system 5m', 'system 5m']],
    ['for an hour', { ttl: '1h' }, undefined, ['tools 1h', 'system 1h', 'system 1h', 'system 1h']],
  ])(
    'stand behind the tools, L0, the plugins and L1: %s',
    async (_what, cache, cacheTtl, expected) => {
      const { model, bodies } = recordedAnthropic()
      const kernel = createKernel({
        model,
        instructions: 'You are a clerk.',
        tools: { look },
        capabilities: [desk, withPlugins({ plugins: [rules], ...(cacheTtl && { cacheTtl }) })],
        cache: { messages: 'off', ...cache },
      })
      const { steps } = await playTurn(kernel, { query: 'hello' }, mode)
      const texts = blocksOf(bodies[0] ?? {}).map(({ json }) => JSON.parse(json) as object)
      expect(texts).toMatchObject([
        { name: 'look' },
        { text: 'You are a clerk.' },
        { text: '### rules\nNever book twice.' },
        { text: 'Write links in full.' },
        { text: '### rules\nAna is here.' },
        { role: 'user', text: 'hello' },
      ])
      expect(markersOf(bodies[0] ?? {})).toEqual(expected)
      expect(steps[0]?.warnings).toEqual([])
    },
  )

  it('are four at most, longer ones first, none lost and none on L2, whatever anybody wishes', async () => {
    await fc.assert(
      fc.asyncProperty(wishes, async (wish) => {
        const script = Array.from({ length: wish.steps - 1 }, () => thinks(calls(['tool0'])))
        const { model, bodies } = recordedAnthropic([...script, thinks(says('done'))])
        const { steps } = await playTurn(
          createKernel({ model, ...kernelOf(wish) }),
          { query: 'hello', history: history(wish.hostMarks) },
          mode,
        )
        expect(bodies).toHaveLength(wish.steps)
        expect(steps.flatMap(({ warnings }) => warnings)).toEqual([])
        for (const body of bodies) {
          const blocks = blocksOf(body)
          const ttls = blocks.flatMap(({ ttl }) => ttl ?? [])
          expect(ttls.length).toBeLessThanOrEqual(4)
          expect(countMarkers(body)).toBe(ttls.length)
          expect(ttls).toEqual([...ttls].sort())
          const volatile = blocks.filter(({ json }) => json.includes('L2 of'))
          expect(volatile.every(({ ttl }) => ttl === undefined)).toBe(true)
          const thoughts = blocks.filter(({ json }) => json.includes('"thinking"'))
          expect(thoughts.every(({ ttl }) => ttl === undefined)).toBe(true)
          const prefix = blocks.findLast(({ json }) => /L1 of(?!.*L2 of)/.test(json))
          if (wish.cache.ttl !== false && prefix) expect(prefix.ttl).toBeDefined()
        }
      }),
      { numRuns: 60 },
    )
  })

  it('that a host has put on thoughts cost nobody a marker', async () => {
    const marks = (['message', 'message', 'thought'] as const).map(
      (on) => ({ on, ttl: '5m' }) as const,
    )
    const { model, bodies } = recordedAnthropic()
    const kernel = createKernel({ model, tools: { look }, capabilities: [desk] })
    const { steps } = await playTurn(kernel, { query: 'hello', history: history(marks) }, mode)
    expect(steps[0]?.warnings).toEqual([])
    expect(markersOf(bodies[0] ?? {})).toEqual([
      'tools 5m',
      'system 5m',
      'messages 5m',
      'messages 5m',
    ])
    expect(JSON.stringify(bodies)).toContain('"thinking"')
  })

  it('are none where the host wants none and marks nothing itself', async () => {
    const { model, bodies } = recordedAnthropic([thinks(calls(['look']))])
    const capabilities = [withPlugins({ plugins: [rules] })]
    const kernel = createKernel({ model, tools: { look }, capabilities, cache: { ttl: false } })
    const { cache } = await playTurn(kernel, { query: 'hello' }, mode)
    expect(bodies.map(countMarkers)).toEqual([0, 0])
    expect(cache).toBeUndefined()
  })
})

describe('a marker for whole requests, among the settings', () => {
  const settings = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } }

  it('is refused beside the kernel’s own, since the service takes no fifth', () => {
    const { model } = recordedAnthropic()
    expect(() => createKernel({ model, settings })).toThrow(
      expect.objectContaining({
        code: 'KERNEL_CONFIGURATION_INVALID',
        details: { option: 'settings' },
      }),
    )
  })

  it('is sent where the kernel places none', async () => {
    const { model, bodies } = recordedAnthropic()
    await createKernel({ model, tools: { look }, settings, cache: { ttl: false } }).run({
      query: 'q',
    })
    expect(bodies[0]).toMatchObject({ cache_control: { type: 'ephemeral' } })
    expect(bodies.map(countMarkers)).toEqual([1])
  })
})

describe('other providers', () => {
  const options = {
    instructions: 'You are a clerk.',
    tools: { look },
    capabilities: [withPlugins({ plugins: [rules] })],
  }
  const rolling = { messages: 'rolling', minimumTokens: 1 } as const

  it('are sent no markers: OpenAI-compatible', async () => {
    const { model, raw } = recordedOpenAICompatible([{ role: 'assistant', content: 'ok' }])
    const kernel = createKernel({ model, ...options, cache: { ttl: '1h', ...rolling } })
    const { cache, steps } = await kernel.run({ query: 'hello' })
    expect(raw).toHaveLength(1)
    expect(raw[0]).not.toMatch(/cache_?control/i)
    expect(raw[0]).toContain('Never book twice.')
    expect([cache, steps[0]?.cache, steps[0]?.warnings]).toEqual([undefined, undefined, []])
  })

  it.each([
    ['none', 'other.chat', undefined, false],
    ['none even when its dialect is forced to be none', 'anthropic.messages', 'none', false],
    ['all of them when its dialect is forced', 'other.chat', 'anthropic', true],
    ['all of them when it speaks the dialect', 'vertex.anthropic.messages', undefined, true],
  ] as const)('a model gets %s', async (_what, provider, dialect, expected) => {
    const model = scriptedModel([{ text: 'ok' }], { provider })
    const cache = { ...rolling, ...(dialect && { dialect }) }
    const kernel = createKernel({ model, ...options, cache })
    const result = await kernel.run({ query: 'hello' })
    const [sent] = model.received
    const marked = [...(sent?.tools ?? []), ...(sent?.prompt ?? [])].filter((one) =>
      JSON.stringify(one).includes('cacheControl'),
    )
    expect(marked).toHaveLength(expected ? 3 : 0)
    expect(result.cache !== undefined).toBe(expected)
  })
})

type Wishes = typeof wishes extends fc.Arbitrary<infer Value> ? Value : never

function kernelOf({ cache, prompt, pluginTtl, contributions, sections, toolMarks }: Wishes) {
  const plugin = {
    name: 'wishful',
    injectContributions: () =>
      contributions.map(({ position, ttl, words }, index) => ({
        content: `${position === 'cached' ? 'L1' : 'L2'} of plugin ${index} ${'w'.repeat(words)}`,
        position,
        cacheTtl: ttl,
      })),
  }
  const others: Capability = {
    name: 'others',
    sections: sections.map(
      ({ layer, cacheBreakpoint, cacheTtl, words }, index): PromptSection => ({
        ...{ name: `${index}`, layer, cacheBreakpoint },
        render: () => ({
          pieces: [{ origin: 'others', text: `${layer} of others ${'w'.repeat(words)}` }],
          cacheTtl,
        }),
      }),
    ),
  }
  const tools = toolMarks.map((ttl, index) => [
    `tool${index}`,
    ttl === undefined ? look : { ...look, ...markedAs(ttl) },
  ])
  return {
    instructions: 'You are a clerk.',
    tools: Object.fromEntries([['tool0', look], ...tools]),
    capabilities: [others, withPlugins({ plugins: [plugin], ...pluginTtl })],
    cache: cache as CacheOptions,
    prompt: prompt as PromptOptions,
  }
}

const ttl = fc.constantFrom<(CacheTtl | undefined)[]>(undefined, '5m', '1h')
const words = fc.constantFrom(0, 6_000)
const wishes = fc.record({
  cache: fc.record({
    ttl: fc.constantFrom<NonNullable<CacheOptions['ttl']>[]>('5m', '1h', false),
    messages: fc.constantFrom('off', 'stable-boundary', 'rolling', 'window-aware'),
    minimumTokens: fc.constantFrom(1, 1_024),
  }),
  prompt: fc.constantFrom(...[{}, {}, { layerMode: 'legacy' }, { contextStrategy: 'jit' }], {
    toolManifest: true,
    manifestCachePosition: 'volatile',
  }),
  pluginTtl: ttl.map((cacheTtl) => (cacheTtl === undefined ? {} : { cacheTtl })),
  contributions: fc.array(
    fc.record({ position: fc.constantFrom('cached', 'volatile'), ttl, words }),
    { maxLength: 3 },
  ),
  sections: fc.array(
    fc.record({
      layer: fc.constantFrom('L0', 'L1', 'L2'),
      cacheBreakpoint: fc.boolean(),
      cacheTtl: ttl,
      words,
    }),
    { maxLength: 5 },
  ),
  toolMarks: fc.array(ttl, { maxLength: 3 }),
  hostMarks: fc.array(
    fc.record({
      on: fc.constantFrom<HostMark['on'][]>(
        'message',
        'part',
        'both',
        'result',
        'output',
        'thought',
      ),
      ttl,
    }),
    { maxLength: 7 },
  ),
  steps: fc.integer({ min: 1, max: 3 }),
})
