import { tool } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Capability, PromptSection, TurnView } from './capability.ts'
import { composePlan } from './compose.ts'
import { defaultLimits, type KernelOptions } from './kernel-options.ts'
import { generateCaller, streamCaller } from './sdk-model-caller.ts'
import { scriptedModel } from './testing/scripted-model.ts'

const model = scriptedModel([])
const look = tool({ inputSchema: z.object({}), execute: async () => 'seen' })
const section = { name: 's', layer: 'L1', render: () => '' } satisfies PromptSection

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
      cacheTtl: '5m',
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
      cacheTtl: false,
      logger,
      onStatePatch,
      callers: { stream: generateCaller },
    })
    expect(plan).toMatchObject({ id: 'desk', cacheTtl: false, logger, onStatePatch })
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
    expect(plan.sections.map((owned) => owned.section.name)).toEqual(['instructions', 'first', 's'])
    expect(await plan.sections[0]?.section.render({} as TurnView)).toBe('You are a clerk.')
  })

  it('is frozen, and nothing the host does to its lists afterwards reaches it', () => {
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
    expect(plan.sections).toHaveLength(2)
    expect(plan.settings).toEqual({ temperature: 0 })
    expect(plan.limits.steps).toBe(3)
    expect(plan.renderers).toHaveLength(1)
    const parts = [plan, plan.sections, plan.gates, plan.stages, plan.limits, plan.callers]
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

describe('something that cannot be composed', () => {
  const gate = { name: 'desk' }

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
    ['a ttl Anthropic has not', 'cacheTtl', { model, cacheTtl: '2h' }],
    ['tools that are no tools', 'tools', { model, tools: { look: 'x' } }],
    ['tools that are a list', 'tools', { model, tools: [] }],
    ['a model that is a number', 'model', { model: 5 }],
    ['an option nobody knows', 'options', { model, capabilites: [] }],
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

  it('has a code of its own for a tool name that is taken', () => {
    const capabilities = [{ name: 'desk', tools: { look } }]
    expect(() => composePlan({ model, tools: { look }, capabilities })).toThrow(
      expect.objectContaining({ code: 'KERNEL_TOOL_NAME_TAKEN' }),
    )
  })
})

function withSections(sections: unknown) {
  return { model, capabilities: [{ name: 'desk', sections }] }
}
