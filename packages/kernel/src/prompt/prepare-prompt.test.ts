import { type ModelMessage, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { cacheMarker } from '../cache/limit-markers.ts'
import type { Capability } from '../capability.ts'
import { composePlan } from '../compose.ts'
import type { KernelOptions } from '../kernel-options.ts'
import { scriptedModel } from '../testing/scripted-model.ts'
import { turnView } from '../testing-fixtures/turn-view.ts'
import { preparePrompt } from './prepare-prompt.ts'

const look = tool({ inputSchema: z.object({}), execute: async () => 'seen' })
const marked = { ...look, providerOptions: cacheMarker('1h') }
const desk: Capability = {
  name: 'desk',
  sections: (['L0', 'L1'] as const).map((layer) => ({ name: layer, layer, render: () => layer })),
}

describe('a prepared prompt', () => {
  it('is rendered with what was looked up', async () => {
    const memory: Capability = { name: 'memory', hydrate: () => 'known' }
    const { prompt, hydration } = await prepare({ capabilities: [memory] })
    expect(hydration?.text).toBe('known')
    expect(prompt.blocks.map(({ text }) => text)).toEqual(['known'])
  })

  it.each<[string, Partial<KernelOptions>]>([
    ['nobody can', {}],
    [
      'the strategy is jit',
      {
        prompt: { contextStrategy: 'jit' },
        capabilities: [{ name: 'memory', hydrate: () => 'known' }],
      },
    ],
  ])('has looked nothing up where %s', async (_why, options) => {
    expect((await prepare(options)).hydration).toBeUndefined()
  })

  it('weighs the tools it stands behind', async () => {
    const { prompt } = await prepare({ tools: { look } })
    const { tools } = prompt.report
    expect(tools).toMatchObject({ names: ['look'], tokens: Math.ceil(tools.chars / 4) })
    expect(tools.chars).toBeGreaterThan(20)
  })
})

describe('the markers of a prepared prompt', () => {
  it.each<[string, Partial<KernelOptions>, ModelMessage[], object]>([
    ['leave one for a message', {}, [], { tools: '5m', blocks: ['5m', '5m'], messages: 1 }],
    [
      'leave two for the ladder: the tools go without',
      { cache: { messages: 'rolling' } },
      [],
      { tools: undefined, blocks: ['5m', '5m'], messages: 2 },
    ],
    [
      'leave what the host has marked itself, two at most',
      {},
      ['a', 'b', 'c'].map((content) => ({
        role: 'user',
        content,
        providerOptions: cacheMarker('5m'),
      })),
      { tools: undefined, blocks: ['5m', '5m'], messages: 2 },
    ],
    [
      'go to the tools when messages want none',
      { cache: { messages: 'off', ttl: '1h' } },
      [],
      { tools: '1h', blocks: ['1h', '1h'], messages: 1 },
    ],
    [
      'keep what the host wished for its tools',
      { tools: { look: marked } },
      [],
      { tools: '1h', blocks: ['5m', '5m'], messages: 1 },
    ],
    [
      'are only the host’s own where there are to be none',
      { tools: { look: marked }, cache: { ttl: false } },
      [],
      { tools: '1h', blocks: [undefined, undefined], messages: 3 },
    ],
    [
      'are none on tools where there are none',
      { tools: {} },
      [],
      { tools: undefined, blocks: ['5m', '5m'], messages: 2 },
    ],
  ])('%s', async (_what, options, messages, expected) => {
    const { prompt } = await prepare(
      { tools: { look }, capabilities: [desk], ...options },
      messages,
    )
    expect(prompt.allotment).toEqual(expected)
  })
})

function prepare(options: Partial<KernelOptions>, messages: readonly ModelMessage[] = []) {
  const cache = { dialect: 'anthropic' as const, minimumTokens: 0, ...options.cache }
  const plan = composePlan({ model: scriptedModel([]), ...options, cache })
  return preparePrompt(plan, (hydrated) => turnView({ hydrated, messages }))
}
