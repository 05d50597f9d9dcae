import { tool } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Capability, PromptSection } from './capability.ts'
import { composePlan, type Plan } from './compose.ts'
import { defaultLimits, type KernelOptions } from './kernel-options.ts'
import { generateCaller, streamCaller } from './sdk-model-caller.ts'
import { scriptedModel } from './testing/scripted-model.ts'
import { turnView } from './testing-fixtures/turn-view.ts'

const model = scriptedModel([])
const look = tool({ inputSchema: z.object({}), execute: async () => 'seen' })
const section = { name: 's', layer: 'L1', render: () => 's' } satisfies PromptSection

describe('a plan', () => {
  it('needs a model and nothing else', () => {
    expect(composePlan({ model })).toMatchObject({
      id: undefined,
      model,
      gates: [],
      forcers: [],
      stages: [],
      renderers: [],
      limits: { steps: 20, modelTimeoutMs: 300_000, toolTimeoutMs: 300_000 },
      settings: {},
      cache: { ttl: false, strategy: undefined, watch: undefined },
      callers: { generate: generateCaller, stream: streamCaller },
      onStatePatch: undefined,
    })
  })

  it('takes what it is given', () => {
    const logger = { debug() {}, info() {}, warn() {}, error() {} }
    const onStatePatch = vi.fn()
    const plan = composePlan({
      model,
      id: 'desk',
      tools: { look },
      settings: { temperature: 0, headers: { 'x-team': 'desk' } },
      logger,
      onStatePatch,
      callers: { stream: generateCaller },
    })
    expect(plan).toMatchObject({ id: 'desk', logger, onStatePatch })
    expect(plan.settings).toEqual({ temperature: 0, headers: { 'x-team': 'desk' } })
    expect(plan.callers).toEqual({ generate: generateCaller, stream: generateCaller })
    expect(plan.tools.names).toEqual(['look'])
  })

  it('asks each capability for the traits it declares, in the order given', () => {
    const allow = () => () => ({ allowed: true as const })
    const force = () => undefined
    const plan = composePlan({
      model,
      capabilities: [
        { name: 'a', gate: allow },
        { name: 'b', forcedTool: force, tools: { look } },
        { name: 'c', gate: allow, forcedTool: force },
        { name: 'd' },
      ],
    })
    expect(plan.gates.map(({ capability }) => capability)).toEqual(['a', 'c'])
    expect(plan.forcers.map(({ capability }) => capability)).toEqual(['b', 'c'])
    expect(plan.tools.names).toEqual(['look'])
  })

  it('puts the kernel text first whatever priority others take', async () => {
    const first = { ...section, name: 'first', layer: 'L0', priority: -1e308 } as const
    const plan = composePlan({
      model,
      instructions: 'You are a clerk.',
      capabilities: [{ name: 'desk', sections: [section, first] }],
    })
    const { report } = await assemble(plan)
    expect(report.layers.flatMap(({ sections }) => sections.map(({ name }) => name))).toEqual([
      'instructions',
      'first',
      's',
    ])
    expect(report.layers[0]?.sections[0]?.text).toBe('You are a clerk.')
  })

  it('is frozen, and nothing the host does to its lists afterwards reaches it', async () => {
    const capabilities: Capability[] = [{ name: 'a', sections: [section] }]
    const settings = { temperature: 0 }
    const limits = { steps: 3 }
    const renderers = [() => 'x']
    const plan = composePlan({
      model,
      capabilities,
      settings,
      limits,
      onResponseRender: renderers,
    })
    capabilities.push({ name: 'b', sections: [section] })
    settings.temperature = 1
    limits.steps = 9
    renderers.length = 0
    const { layers } = (await assemble(plan)).report
    expect(layers.flatMap(({ sections }) => sections)).toHaveLength(1)
    expect(plan.settings).toEqual({ temperature: 0 })
    expect(plan.limits.steps).toBe(3)
    expect(plan.renderers).toHaveLength(1)
    const parts = [plan, plan.agent, plan.cache, plan.gates, plan.stages, plan.limits, plan.callers]
    for (const part of parts) expect(Object.isFrozen(part)).toBe(true)
  })
})

describe('the limits of a plan', () => {
  it.each<[string, KernelOptions['limits'], object]>([
    ['nothing', undefined, defaultLimits],
    ['some', { steps: 3 }, { ...defaultLimits, steps: 3 }],
    ['a turn limit', { turnTimeoutMs: 5 }, { ...defaultLimits, turnTimeoutMs: 5 }],
    ['the longest timer', { toolTimeoutMs: 2_147_483_647 }, { toolTimeoutMs: 2_147_483_647 }],
  ])('are the defaults and what is said otherwise: %s', (_what, limits, expected) => {
    expect(composePlan({ model, ...(limits && { limits }) }).limits).toMatchObject(expected)
  })

  it.each(['steps', 'modelTimeoutMs', 'toolTimeoutMs', 'turnTimeoutMs'])(
    'are the defaults where undefined is said: %s',
    (name) => {
      const limits = { [name]: undefined } as KernelOptions['limits']
      expect(composePlan({ model, ...(limits && { limits }) }).limits).toEqual(defaultLimits)
    },
  )

  it.each<[string, unknown]>([
    ['steps', 0],
    ['steps', -1],
    ['steps', Number.NaN],
    ['steps', Number.POSITIVE_INFINITY],
    ['steps', '3'],
    ['steps', null],
    ['modelTimeoutMs', 0],
    ['toolTimeoutMs', -5],
    ['turnTimeoutMs', Number.NaN],
    // A timer that long would fire at once.
    ['modelTimeoutMs', 2 ** 31],
    ['turnTimeoutMs', Number.MAX_SAFE_INTEGER],
  ])('are refused when no turn could keep them: %s of %s', (name, value) => {
    expect(() => composePlan({ model, limits: { [name]: value } as never })).toThrow(
      expect.objectContaining({
        code: 'KERNEL_CONFIGURATION_INVALID',
        message: expect.stringContaining(`limits.${name}`),
        details: { option: 'limits' },
      }),
    )
  })
})

describe('what a plan takes as it is', () => {
  it.each<[string, object]>([
    ['no prompt options', { prompt: {} }],
    ['all of them left open', { prompt: { version: undefined, domain: undefined, blocks: [] } }],
    ['a manifest of all tools', { prompt: { toolManifest: [] } }],
    ['every policy', { cache: { messages: 'window-aware' } }],
    [
      'a strategy with more to it',
      { cache: { messages: { name: 'own', slots: 9, boundaries() {}, state: 1 } } },
    ],
    ['all of the cache left open', { cache: { ttl: undefined, messages: undefined } }],
    [
      'a section in every respect',
      withSections([{ ...section, priority: -1, budgetTokens: 9, required: true }]),
    ],
  ])('%s', (_what, options) => {
    expect(() => composePlan({ model, ...options } as KernelOptions)).not.toThrow()
  })
})

describe('something that cannot be composed', () => {
  const gate = { name: 'desk' }
  const own = { name: 'own', slots: 1, boundaries: () => [] }

  it.each<[string, string, unknown]>([
    ['no options', 'options', undefined],
    ['null', 'options', null],
    ['no model', 'model', {}],
    ['an empty model id', 'model', { model: '' }],
    ['instructions that are no text', 'instructions', { model, instructions: ['x'] }],
    ['instructions that are null', 'instructions', { model, instructions: null }],
    ['capabilities that are no list', 'capabilities', { model, capabilities: gate }],
    ['a capability that is nothing', 'capabilities', { model, capabilities: [undefined] }],
    ['a capability without a name', 'capabilities', { model, capabilities: [{}] }],
    ['a capability with an empty name', 'capabilities', { model, capabilities: [{ name: '' }] }],
    ['two of one name', 'capabilities', { model, capabilities: [gate, gate] }],
    ['sections that are no list', 'capabilities', withSections(section)],
    ['a section that is nothing', 'capabilities', withSections([null])],
    ['a section without a layer', 'capabilities', withSections([{ ...section, layer: undefined }])],
    ['a section in no layer', 'capabilities', withSections([{ ...section, layer: 'L3' }])],
    ['a layer every object has', 'capabilities', withSections([{ ...section, layer: 'toString' }])],
    ['a section that renders nothing', 'capabilities', withSections([{ ...section, render: 'x' }])],
    ['a rewriter that is no list', 'onResponseRender', { model, onResponseRender: () => 'x' }],
    ['a ttl Anthropic has not', 'cache', { model, cache: { ttl: '2h' } }],
    ['tools that are no tools', 'tools', { model, tools: { look: 'x' } }],
    ['tools that are a list', 'tools', { model, tools: [] }],
    ['a model that is a number', 'model', { model: 5 }],
    ['an option nobody knows', 'options', { model, capabilites: [] }],
    ['a section nobody can order', 'capabilities', withSections([{ ...section, prioritty: 1 }])],
    ['a section misspelt', 'capabilities', withSections([{ ...section, requird: true }])],
    ['a section half required', 'capabilities', withSections([{ ...section, required: 1 }])],
    [
      'a breakpoint that is a word',
      'capabilities',
      withSections([{ ...section, cacheBreakpoint: 'yes' }]),
    ],
    [
      'a block source with more to it',
      'capabilities',
      withTraits({ blockSources: { a: { render: () => 'x', needScope: true } } }),
    ],
    [
      'a block source that needs a word',
      'capabilities',
      withTraits({ blockSources: { a: { render: () => 'x', needsScope: 'yes' } } }),
    ],
    ['a shortest prefix below none', 'cache', { model, cache: { minimumTokens: -1 } }],
    ['a limit nobody knows', 'limits', { model, limits: { step: 5 } }],
    ['half a step', 'limits', { model, limits: { steps: 1.5 } }],
    ['limits that are null', 'limits', { model, limits: null }],
    [
      'a trait nobody knows',
      'capabilities',
      { model, capabilities: [{ name: 'a', gates: () => {} }] },
    ],
    [
      'a gate that is no function',
      'capabilities',
      { model, capabilities: [{ name: 'a', gate: 'x' }] },
    ],
    [
      'a forced tool that is no function',
      'capabilities',
      { model, capabilities: [{ name: 'a', forcedTool: 'x' }] },
    ],
    [
      'a stage nobody knows',
      'capabilities',
      { model, capabilities: [{ name: 'a', stages: { salvag: () => 'x' } }] },
    ],
    [
      'a stage that is no function',
      'capabilities',
      { model, capabilities: [{ name: 'a', stages: { salvage: 'x' } }] },
    ],
    ['a rewriter that is no function', 'onResponseRender', { model, onResponseRender: ['x'] }],
    ['a section without a name', 'capabilities', withSections([{ ...section, name: undefined }])],
    ['a priority of no number', 'capabilities', withSections([{ ...section, priority: '1' }])],
    ['a priority of NaN', 'capabilities', withSections([{ ...section, priority: Number.NaN }])],
    ['a budget of no number', 'capabilities', withSections([{ ...section, budgetTokens: '9' }])],
    ['a look-up that is no function', 'capabilities', withTraits({ hydrate: 'x' })],
    ['a guard that is no function', 'capabilities', withTraits({ guard: 'x' })],
    ['block sources that are a list', 'capabilities', withTraits({ blockSources: [] })],
    ['a block source that is nothing', 'capabilities', withTraits({ blockSources: { a: null } })],
    [
      'a block source that renders nothing',
      'capabilities',
      withTraits({ blockSources: { a: {} } }),
    ],
    ['a prompt that is no object', 'prompt', { model, prompt: 'You are a clerk.' }],
    ['a prompt that is null', 'prompt', { model, prompt: null }],
    ['something about prompts nobody knows', 'prompt', { model, prompt: { layers: 2 } }],
    ['a version that is a number', 'prompt', { model, prompt: { version: 1 } }],
    ['a layer mode nobody knows', 'prompt', { model, prompt: { layerMode: 'flat' } }],
    ['a strategy nobody knows', 'prompt', { model, prompt: { contextStrategy: 'lazy' } }],
    ['a flag that is a word', 'prompt', { model, prompt: { jitContext: 'yes' } }],
    ['a position nobody knows', 'prompt', { model, prompt: { manifestCachePosition: 'L2' } }],
    ['a domain that is a text', 'prompt', { model, prompt: { domain: 'travel' } }],
    ['a description that is no text', 'prompt', { model, prompt: { domain: { description: 1 } } }],
    ['a domain with more to it', 'prompt', { model, prompt: { domain: { tools: [] } } }],
    ['a manifest that is a text', 'prompt', { model, prompt: { toolManifest: 'look' } }],
    ['a manifest of no names', 'prompt', { model, prompt: { toolManifest: [1] } }],
    ['blocks that are no list', 'prompt', { model, prompt: { blocks: {} } }],
    ['a block that is nothing', 'prompt', withBlock(null)],
    ['a block without a name', 'prompt', withBlock({ text: 'x' })],
    ['a block in no position', 'prompt', withBlock({ name: 'a', text: 'x', position: 'L1' })],
    ['a block of no priority', 'prompt', withBlock({ name: 'a', text: 'x', priority: 'high' })],
    ['a block with more to it', 'prompt', withBlock({ name: 'a', text: 'x', layer: 'L1' })],
    ['a cache that is no object', 'cache', { model, cache: true }],
    ['something about caches nobody knows', 'cache', { model, cache: { TTL: '5m' } }],
    ['a ttl of true', 'cache', { model, cache: { ttl: true } }],
    ['a dialect nobody speaks', 'cache', { model, cache: { dialect: 'openai' } }],
    ['a shortest prefix of no number', 'cache', { model, cache: { minimumTokens: '1024' } }],
    ['an estimator that is none', 'cache', { model, cache: { estimateTokens: 4 } }],
    ['a policy nobody knows', 'cache', { model, cache: { messages: 'always' } }],
    ['a policy of null', 'cache', { model, cache: { messages: null } }],
    [
      'a strategy without a name',
      'cache',
      { model, cache: { messages: { ...own, name: undefined } } },
    ],
    [
      'a strategy that chooses nothing',
      'cache',
      { model, cache: { messages: { ...own, boundaries: 1 } } },
    ],
    [
      'a strategy of no slots',
      'cache',
      { model, cache: { messages: { ...own, slots: Number.NaN } } },
    ],
    ['a caller that is nothing', 'callers', { model, callers: { stream: null } }],
    ['a logger that cannot log', 'logger', { model, logger: {} }],
    ['a listener that is no function', 'onStatePatch', { model, onStatePatch: 'x' }],
  ])('is refused by name: %s', (_what, option, options) => {
    expect(() => composePlan(options as KernelOptions)).toThrow(
      expect.objectContaining({
        name: 'KernelError',
        code: 'KERNEL_CONFIGURATION_INVALID',
        details: expect.objectContaining({ option }),
        message: expect.stringMatching(/ (Give|Rename) .*\.$/),
      }),
    )
  })

  it.each<[string, unknown]>([
    ['limits.steps is the text "3".', { limits: { steps: '3' } }],
    ['limits.steps is NaN.', { limits: { steps: Number.NaN } }],
    ['limits.steps is null.', { limits: { steps: null } }],
    ['The priority of "s" of "desk" is NaN.', withSections([{ ...section, priority: Number.NaN }])],
    ['The name of prompt.blocks[0] is missing.', withBlock({ text: 'x' })],
    ['instructions is null.', { instructions: null }],
    ['tools is a list.', { tools: [] }],
    ['The block source "a" of "desk" is null.', withTraits({ blockSources: { a: null } })],
    ['render of "a" of "desk" is missing.', withTraits({ blockSources: { a: {} } })],
    [
      'cache.minimumTokens is -1. Give a finite number, at least 0.',
      { cache: { minimumTokens: -1 } },
    ],
    ['stages of "desk" has "salvag"', withTraits({ stages: { salvag: () => 'x' } })],
    ['salvage of stages of "desk" is null.', withTraits({ stages: { salvage: null } })],
    ['id is a symbol.', { id: Symbol('x') }],
    ['prompt.version is an object.', { prompt: { version: {} } }],
  ])('is called what it is: %s', (said, options) => {
    const message = expect.stringContaining(said)
    expect(() => composePlan({ model, ...(options as object) })).toThrow(
      expect.objectContaining({ message }),
    )
  })

  it('has a code of its own for a tool name that is taken', () => {
    const capabilities = [{ name: 'desk', tools: { look } }]
    expect(() => composePlan({ model, tools: { look }, capabilities })).toThrow(
      expect.objectContaining({ code: 'KERNEL_TOOL_NAME_TAKEN' }),
    )
  })
})

function withBlock(block: unknown) {
  return { model, prompt: { blocks: [block] } }
}

function withTraits(traits: object) {
  return { model, capabilities: [{ name: 'desk', ...traits }] }
}

function withSections(sections: unknown) {
  return { model, capabilities: [{ name: 'desk', sections }] }
}

function assemble({ assemblePrompt }: Plan) {
  const tools = { definitions: [], ttl: undefined }
  return assemblePrompt(turnView(), { tools, messageMarkers: 0 })
}
