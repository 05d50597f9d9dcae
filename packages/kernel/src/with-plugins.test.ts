import { createPluginRoster, type DomainPlugin, type RenderState } from '@symfonic/plugins'
import { type ModelMessage, tool } from 'ai'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import type { Capability } from './capability.ts'
import { createKernel } from './kernel.ts'
import type { KernelOptions } from './kernel-options.ts'
import { scriptedModel } from './testing/scripted-model.ts'
import { type PluginsOptions, withPlugins } from './with-plugins.ts'

const look = tool({ inputSchema: z.object({}), execute: async () => 'seen' })
const rules: DomainPlugin = {
  name: 'rules',
  injectContributions: () => [
    { content: 'Never book twice.' },
    { content: 'Ana is here.', position: 'volatile' },
  ],
}

describe('the text of plugins', () => {
  it('stands in L1 and L2, behind the core context and in front of the rest', async () => {
    const others: Capability = {
      name: 'others',
      sections: (['L1', 'L2'] as const).map((layer) => ({
        ...{ name: 'other', layer },
        render: () => `other ${layer}`,
      })),
    }
    const prompt = await preview(
      { plugins: [rules] },
      { prompt: { domain: { description: 'A desk.' } }, capabilities: [others] },
    )
    expect(
      prompt.layers.map(({ layer, sections }) => [layer, sections.map(({ text }) => text)]),
    ).toEqual([
      ['L1', ['A desk.', '### rules\nNever book twice.', 'other L1']],
      ['L2', ['### rules\nAna is here.', 'other L2']],
    ])
    expect(prompt.layers[0]?.sections[1]).toMatchObject({
      name: 'Domain Plugin',
      capability: 'plugins',
      pieces: [{ origin: 'rules', text: '### rules\nNever book twice.' }],
    })
  })

  it('moves with its priority', async () => {
    const early = await preview(
      { plugins: [rules], priority: 1 },
      { prompt: { domain: { description: 'A desk.' } } },
    )
    expect(early.layers[0]?.sections.map(({ name }) => name)).toEqual(['Domain Plugin', 'domain'])
  })

  it('is asked for once a turn, and not again at the next step', async () => {
    const asked: unknown[] = []
    const plugin: DomainPlugin = {
      name: 'counted',
      injectContributions: ({ QUERY }) => {
        asked.push(QUERY)
        return []
      },
    }
    const model = scriptedModel([{ toolCalls: [{ name: 'look' }] }, { text: 'a' }, { text: 'b' }])
    const kernel = createKernel({
      model,
      tools: { look },
      capabilities: [withPlugins({ plugins: [plugin] })],
    })
    await kernel.run({ query: 'one' })
    await kernel.run({ query: 'two' })
    expect(asked).toEqual(['one', 'two'])
  })

  it.each<[string, DomainPlugin]>([
    ['throws', { name: 'bad', injectContributions: fail }],
    ['writes too much', { name: 'bad', injectSystemPrompt: () => 'x'.repeat(1_000_001) }],
    ['hangs', { name: 'bad', injectContributions: () => new Promise(() => {}) }],
    [
      'says nothing that can be read',
      { name: 'bad', injectContributions: () => [{ content: 1 }] as never },
    ],
  ])(
    'costs a plugin that %s its own text, and nobody else’s, and is reported',
    async (_what, bad) => {
      // On a clock that stands still only who hangs is late, however slow the machine is.
      vi.spyOn(performance, 'now').mockReturnValue(0)
      onTestFinished(() => void vi.restoreAllMocks())
      const prompt = await preview({ plugins: [bad, rules], timeLimitMs: 5 })
      expect(prompt.layers.map(({ sections }) => sections[0]?.text)).toEqual([
        '### rules\nNever book twice.',
        '### rules\nAna is here.',
      ])
      expect(prompt.failed).toEqual([
        {
          ...{ layer: 'L1', section: 'Domain Plugin', capability: 'plugins', origin: 'bad' },
          reason: expect.stringContaining('left out'),
        },
      ])
    },
  )

  it('leaves nobody out who has nothing to say, or says it in an older way', async () => {
    const silent: DomainPlugin = { name: 'silent', injectContributions: () => [] }
    const older: DomainPlugin = {
      ...{ name: 'older', injectSystemPrompt: () => 'Old.' },
      injectContributions: () => [{ content: 'New.', position: 'kernel' }],
    }
    expect((await preview({ plugins: [silent, older] })).failed).toEqual([])
  })

  it('is left out, and the turn goes on, when the host’s render state throws', async () => {
    const options: PluginsOptions = { plugins: [rules], renderState: fail }
    const result = await kernelOf(options).run({ query: 'q' })
    expect(result.text).toBe('done')
    expect(result.prompt.failed).toMatchObject([
      { layer: 'L1', section: 'Domain Plugin', reason: expect.stringContaining('down') },
      { layer: 'L2', section: 'Domain Plugin', reason: expect.stringContaining('down') },
    ])
  })

  it('does not keep a turn that is aborted while a plugin hangs', async () => {
    const controller = new AbortController()
    const hanging: DomainPlugin = {
      name: 'hanging',
      injectSystemPrompt: () => {
        setTimeout(() => controller.abort(), 1)
        return new Promise(() => {})
      },
    }
    const running = kernelOf({ plugins: [hanging] }).run({ query: 'q', signal: controller.signal })
    await expect(running).rejects.toMatchObject({ code: 'KERNEL_TURN_ABORTED' })
  })

  it('is flat under jit, with one warning about the volatile part for each kernel (PLUG-44)', async () => {
    const warnings: string[] = []
    const model = scriptedModel([{ text: 'a' }, { text: 'b' }])
    const kernel = createKernel({
      model,
      prompt: { contextStrategy: 'jit' },
      capabilities: [withPlugins({ plugins: [rules] })],
      logger: { ...quiet, warn: (line) => warnings.push(line) },
    })
    await kernel.run({ query: 'one' })
    await kernel.run({ query: 'two' })
    expect(model.received.map(({ prompt }) => prompt[0])).toEqual([
      expect.objectContaining({
        content: '### rules\nNever book twice.\n\n### rules\nAna is here.',
      }),
      expect.objectContaining({
        content: '### rules\nNever book twice.\n\n### rules\nAna is here.',
      }),
    ])
    expect(warnings).toEqual([expect.stringContaining('"Domain Plugin" of "plugins" is volatile')])
  })

  it('is written to the kernel’s own log when something is wrong with it', async () => {
    const lines: string[] = []
    const both: DomainPlugin = { ...rules, injectSystemPrompt: () => 'legacy' }
    const model = scriptedModel([{ text: 'a' }, { text: 'b' }])
    const kernel = createKernel({
      model,
      capabilities: [withPlugins({ plugins: [both] })],
      logger: { ...quiet, info: (line) => lines.push(line) },
    })
    await kernel.run({ query: 'one' })
    await kernel.run({ query: 'two' })
    expect(lines).toEqual([expect.stringContaining('injectSystemPrompt is not called')])
  })

  it('is reported once to each kernel that shares the plugins, and to its own log', async () => {
    const both: DomainPlugin = {
      name: 'both',
      injectContributions: () => [{ content: 'x', position: 'kernel' }],
      validateStateTransition: fail,
    }
    const shared = withPlugins({ plugins: [both] })
    const kernels = ['first', 'second'].map((id) => {
      const lines: string[] = []
      const toolCalls = [{ name: 'look' }]
      const kernel = createKernel({
        model: scriptedModel([{ toolCalls }, { text: 'a' }, { toolCalls }, { text: 'b' }]),
        tools: { look },
        capabilities: [shared],
        id,
        logger: { ...quiet, warn: (line) => void lines.push(line) },
      })
      return { kernel, lines }
    })
    for (const _ of ['one turn', 'another']) {
      for (const { kernel } of kernels) await kernel.run({ query: 'q' })
    }
    expect(kernels.map(({ lines }) => lines)).toEqual(
      Array(2).fill([expect.stringContaining('reserved'), expect.stringContaining('abstained')]),
    )
  })

  it('of plugins that are admitted before the kernel is composed is there, and of later ones not', async () => {
    const roster = createPluginRoster()
    const capability = withPlugins({ plugins: roster })
    await roster.admit(rules)
    const kernel = createKernel({ model: scriptedModel([]), capabilities: [capability] })
    await roster.admit({ name: 'late', injectSystemPrompt: () => 'Late.' })
    const { layers } = await kernel.previewPrompt({ query: 'q' })
    expect(layers[0]?.sections.map(({ text }) => text)).toEqual(['### rules\nNever book twice.'])
  })

  it('is that of the list as it was given, whatever becomes of the list', async () => {
    const plugins = [rules]
    const kernel = kernelOf({ plugins })
    plugins.push({ name: 'late', injectSystemPrompt: () => 'Late.' })
    const [cached] = (await kernel.previewPrompt({ query: 'q' })).layers
    expect(cached?.sections.map(({ text }) => text)).toEqual(['### rules\nNever book twice.'])
  })

  it('without plugins is nothing', async () => {
    expect((await preview({ plugins: [] })).layers).toEqual([])
  })
})

describe('the state that plugins render from', () => {
  const scope = { tenantId: 'acme', namespace: 'berlin', userId: 'ana' }
  const domain = { name: 'travel', description: 'A desk.' }
  const memory: Capability = { name: 'memory', hydrate: async ({ query }) => `about ${query}` }

  it.each(['stratified', 'jit'] as const)(
    'has the four keys, always: %s (PLUG-11..13)',
    async (contextStrategy) => {
      const full = await stateOf({ query: 'q', scope }, { prompt: { contextStrategy, domain } })
      expect(full).toMatchObject({
        TENANT_ID: 'acme',
        NAMESPACE: 'berlin',
        DOMAIN_NAME: 'travel',
        QUERY: 'q',
      })
      const bare = await stateOf({ query: 'q' }, { prompt: { contextStrategy } })
      expect(bare).toMatchObject({ TENANT_ID: '', NAMESPACE: '', DOMAIN_NAME: '', QUERY: 'q' })
      const partial = await stateOf(
        {
          query: '',
          attachments: [{ type: 'text', text: 'see this' }],
          scope: { tenantId: 'acme' },
        },
        { prompt: { contextStrategy } },
      )
      expect(partial).toMatchObject({
        TENANT_ID: 'acme',
        NAMESPACE: '',
        DOMAIN_NAME: '',
        QUERY: '',
      })
    },
  )

  it.each(['stratified', 'jit'] as const)(
    'has an empty query where the turn continues an answered call: %s (PLUG-12)',
    async (contextStrategy) => {
      const states: RenderState[] = []
      const kernel = kernelOf({ plugins: [listening(states)] }, { prompt: { contextStrategy } })
      const messages: ModelMessage[] = [
        { role: 'user', content: 'how many seats?' },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} }],
        },
        {
          role: 'tool',
          content: [
            {
              ...{ type: 'tool-result', toolCallId: 'c', toolName: 'look' },
              output: { type: 'text', value: 'seen' },
            },
          ],
        },
      ]
      await kernel.generate({ messages, options: { scope } })
      expect(states).toMatchObject([{ QUERY: '', TENANT_ID: 'acme' }])
    },
  )

  it('has what was looked up, the tools and the time under stratified (PLUG-14)', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0, 2, 3, 4, 5) })
    onTestFinished(() => void vi.useRealTimers())
    const state = await stateOf(
      { query: 'seats' },
      { prompt: { domain, toolManifest: ['look', 'ask'] }, capabilities: [memory] },
    )
    expect(state).toMatchObject({
      TOOL_MANIFEST: 'look\nask',
      ACTIVE_TOOLS: ['look'],
      HYDRATED_CONTEXT: 'about seats',
      MEMORY_CONTEXT: 'about seats',
      DOMAIN_DESCRIPTION: 'A desk.',
      CURRENT_TIMESTAMP: '2030-01-02T03:04:05.000Z',
    })
  })

  it('has nothing looked up under jit, and the tool that does so (PLUG-14)', async () => {
    const state = await stateOf(
      { query: 'seats' },
      { prompt: { contextStrategy: 'jit' }, capabilities: [memory] },
    )
    expect(state).toMatchObject({
      TOOL_MANIFEST: 'look\nhydrate_context',
      ACTIVE_TOOLS: ['look', 'hydrate_context'],
      HYDRATED_CONTEXT: '',
      MEMORY_CONTEXT: '',
    })
  })

  it('has the host’s own keys, which replace further ones and never the four', async () => {
    const states: RenderState[] = []
    const renderState: PluginsOptions['renderState'] = ({ state, step }) => ({
      ...(state as object),
      ...{ MEMORY_CONTEXT: 'mine', TENANT_ID: 'globex', QUERY: 'forged', STEP: step },
    })
    const kernel = kernelOf({ plugins: [listening(states)], renderState })
    await kernel.run({ query: 'q', scope, state: { PLATFORM: 'slack' } })
    expect(states).toMatchObject([
      { TENANT_ID: 'acme', QUERY: 'q', MEMORY_CONTEXT: 'mine', PLATFORM: 'slack', STEP: 0 },
    ])
  })

  it('is frozen: a plugin cannot write to what the next one reads', async () => {
    const states: RenderState[] = []
    const scribbles: DomainPlugin = {
      name: 'scribbles',
      injectSystemPrompt: (state) => {
        ;(state as Record<string, unknown>)['QUERY'] = 'forged'
        return ''
      },
    }
    await kernelOf({ plugins: [scribbles, listening(states)] }).run({ query: 'q' })
    expect(states).toMatchObject([{ QUERY: 'q' }])
  })

  it('is the turn’s own where turns overlap', async () => {
    const states: RenderState[] = []
    const overtaken = Promise.withResolvers<void>()
    const slow: DomainPlugin = {
      name: 'slow',
      injectContributions: async (state) => {
        if (state.TENANT_ID === 'acme') await overtaken.promise
        states.push(state)
        overtaken.resolve()
        return [{ content: state.QUERY, position: 'volatile' }]
      },
    }
    const model = scriptedModel(Array.from({ length: 2 }, () => ({ text: 'done' })))
    const kernel = createKernel({ model, capabilities: [withPlugins({ plugins: [slow] })] })
    const [acme, globex] = await Promise.all(
      ['acme', 'globex'].map((tenantId) =>
        kernel.run({ query: `for ${tenantId}`, scope: { tenantId } }),
      ),
    )
    expect(states.map(({ TENANT_ID, QUERY }) => [TENANT_ID, QUERY])).toEqual([
      ['globex', 'for globex'],
      ['acme', 'for acme'],
    ])
    expect([acme, globex].map((result) => result?.prompt.layers[0]?.sections[0]?.text)).toEqual([
      '### slow\nfor acme',
      '### slow\nfor globex',
    ])
  })

  async function stateOf(
    input: Parameters<ReturnType<typeof kernelOf>['run']>[0],
    options: Partial<KernelOptions> = {},
  ) {
    const states: RenderState[] = []
    await kernelOf({ plugins: [listening(states)] }, options).run(input)
    expect(states).toHaveLength(1)
    return states[0]
  }
})

describe('options', () => {
  it.each<[string, unknown, string]>([
    ['plugins that are no list', 'rules', 'PLUGIN_NOT_A_PLUGIN'],
    ['no plugins at all', undefined, 'PLUGIN_NOT_A_PLUGIN'],
    ['a plugin without a name', [{}], 'PLUGIN_NOT_A_PLUGIN'],
    ['two plugins of one name', [{ name: 'a' }, { name: 'a' }], 'PLUGIN_NAME_TAKEN'],
    [
      'a misspelt guard',
      [{ name: 'a', validateStateTransitions: () => false }],
      'PLUGIN_NOT_A_PLUGIN',
    ],
    [
      'a guard that is no function',
      [{ name: 'a', validateStateTransition: 'yes' }],
      'PLUGIN_NOT_A_PLUGIN',
    ],
  ])('with %s are refused', (_what, plugins, code) => {
    expect(() => withPlugins({ plugins: plugins as never })).toThrow(
      expect.objectContaining({ code }),
    )
  })

  it.each<[string, object]>([
    ['timeLimitMs', { timeLimitMs: 0 }],
    ['cacheTtl', { cacheTtl: '2h' }],
    ['timeLimit', { timeLimit: 5 }],
    ['on_decision', { on_decision: () => {} }],
    ['__proto__', JSON.parse('{ "__proto__": 1 }')],
    ['onDecision', { onDecision: 5 }],
    ['renderState', { renderState: 5 }],
    ['guardContext', { guardContext: { user: 'u1' } }],
    ['priority', { priority: '15' }],
    ['priority', { priority: Number.NaN }],
    ['cacheBreakpoint', { cacheBreakpoint: 'no' }],
  ])('with a %s that nobody knows or can use are refused: %j', (option, more) => {
    const options = Object.defineProperties({ plugins: [] }, Object.getOwnPropertyDescriptors(more))
    expect(() => withPlugins(options)).toThrow(
      expect.objectContaining({
        code: 'PLUGIN_OPTION_INVALID',
        details: expect.objectContaining({ option }),
        message: expect.stringMatching(/(Give|Write) [^.]+\.$/),
      }),
    )
  })

  it.each([undefined, null, 5, []])('are not %j', (options) => {
    expect(() => withPlugins(options as never)).toThrow(
      expect.objectContaining({ code: 'PLUGIN_OPTION_INVALID', details: { option: 'options' } }),
    )
  })

  it('may be undefined, which is absent, and a time limit may be for ever', () => {
    const none = { priority: undefined, cacheTtl: undefined, renderState: undefined } as object
    expect(() => withPlugins({ plugins: [], ...none })).not.toThrow()
    expect(() => withPlugins({ plugins: [], timeLimitMs: Number.POSITIVE_INFINITY })).not.toThrow()
  })
})

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

function fail(): never {
  throw new Error('down')
}

function listening(states: RenderState[]): DomainPlugin {
  return {
    name: 'listening',
    injectContributions: (state) => {
      states.push(state)
      return []
    },
  }
}

function kernelOf(
  options: PluginsOptions,
  { capabilities = [], ...more }: Partial<KernelOptions> = {},
) {
  return createKernel({
    model: scriptedModel([{ text: 'done' }]),
    tools: { look },
    capabilities: [...capabilities, withPlugins(options)],
    ...more,
  })
}

function preview(options: PluginsOptions, more?: Partial<KernelOptions>) {
  return kernelOf(options, more).previewPrompt({ query: 'q' })
}
