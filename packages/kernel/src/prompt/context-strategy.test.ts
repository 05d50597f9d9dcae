import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { Capability, HydrationRequest } from '../capability.ts'
import type { ContextHydratedEvent } from '../events.ts'
import { createKernel, type Kernel } from '../kernel.ts'
import type { KernelOptions } from '../kernel-options.ts'
import { silentLogger } from '../logger.ts'
import { type ScriptedStep, scriptedModel } from '../testing/scripted-model.ts'
import { hydrateToolName, resolveContextStrategy } from './context-strategy.ts'

const memory: Capability = { name: 'memory', hydrate: async ({ query }) => `known of ${query}` }
const broken: Capability = {
  name: 'broken',
  hydrate: () => {
    throw new Error('the store is down')
  },
}

describe('the strategy', () => {
  it.each([
    ['stratified', {}],
    ['stratified', { jitContext: false }],
    ['jit', { jitContext: true }],
    ['jit', { contextStrategy: 'jit' }],
    ['stratified', { contextStrategy: 'stratified', jitContext: true }],
    ['jit', { contextStrategy: 'jit', jitContext: false }],
  ] as const)('is %s for %j (PROMPT-04)', (expected, options) => {
    expect(resolveContextStrategy(options)).toBe(expected)
  })
})

describe('stratified', () => {
  it('looks up before the model is called, and puts what it found in L2', async () => {
    const { kernel, received } = kernelWith([memory, { name: 'b', hydrate: () => 'more' }])
    const { result, hydrated } = await follow(kernel)
    expect(received[0]?.prompt[0]).toMatchObject({
      role: 'system',
      content: 'known of hello\n\nmore',
    })
    expect(received[0]?.tools ?? []).toEqual([])
    expect(result.prompt.layers).toMatchObject([
      { layer: 'L2', sections: [{ name: 'hydrated-context', capability: 'kernel' }] },
    ])
    expect(hydrated).toEqual([
      {
        type: 'context-hydrated',
        query: 'hello',
        chars: 20,
        sources: [
          { capability: 'memory', chars: 14, durationMs: expect.any(Number) },
          { capability: 'b', chars: 4, durationMs: expect.any(Number) },
        ],
      },
    ])
  })

  it('tells of it before the prompt is told of, and says nothing where nobody can look up', async () => {
    const { types } = await follow(kernelWith([memory]).kernel)
    expect(types.slice(0, 3)).toEqual(['turn-start', 'context-hydrated', 'prompt-assembled'])
    const silent = await follow(kernelWith([{ name: 'idle' }]).kernel)
    expect(silent.hydrated).toEqual([])
  })

  it('asks with the turn: who, for whom and what', async () => {
    const hydrate = vi.fn((_: HydrationRequest) => '')
    const { kernel } = kernelWith([{ name: 'memory', hydrate }])
    const about = { sessionId: 's', scope: { tenantId: 'acme' }, state: { channel: 'slack' } }
    const { runId } = await kernel.run({ query: 'hello', ...about })
    expect(hydrate).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ ...about, query: 'hello', runId, signal: expect.any(AbortSignal) }),
    )
  })

  it('is part of a preview', async () => {
    const { kernel } = kernelWith([memory])
    const { layers } = await kernel.previewPrompt({ query: 'you' })
    expect(layers[0]?.sections[0]?.text).toBe('known of you')
  })

  it('shows the capabilities what was found, at every step', async () => {
    const seen: string[] = []
    const watcher: Capability = {
      name: 'watcher',
      forcedTool: ({ hydrated }) => {
        seen.push(hydrated)
        return undefined
      },
    }
    await kernelWith([memory, watcher]).kernel.run({ query: 'hello' })
    expect(seen).toEqual(['known of hello'])
  })
})

describe('a memory that is down', () => {
  it.each<[string, Capability['hydrate'], string]>([
    ['throws', broken.hydrate, 'the store is down'],
    ['rejects', () => Promise.reject(new Error('no route')), 'no route'],
    ['gives no text', () => undefined as never, 'it gave undefined, not a string'],
    ['hangs', () => new Promise(() => {}), 'it took longer than 20 ms'],
  ])('costs recall and not the answer, when it %s', async (_how, hydrate, error) => {
    const warn = vi.fn()
    const down: Capability = { name: 'down', ...(hydrate && { hydrate }) }
    const { kernel, received } = kernelWith([down, memory], {
      logger: { ...silentLogger, warn },
      limits: { toolTimeoutMs: 20 },
    })
    const { result, hydrated } = await follow(kernel)
    expect(result.text).toBe('done')
    expect(received[0]?.prompt[0]).toMatchObject({ content: 'known of hello' })
    expect(hydrated[0]?.sources).toMatchObject([
      { capability: 'down', chars: 0, error },
      { capability: 'memory', chars: 14 },
    ])
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      '"down" could not look up context; the turn goes on without',
      { error },
    )
  })

  it('leaves no event of a turn that ends while it hangs', async () => {
    const stop = new AbortController()
    const { kernel } = kernelWith([{ name: 'slow', hydrate: () => new Promise(() => {}) }])
    const turn = kernel.run({ query: 'hello', signal: stop.signal })
    await delay(1)
    stop.abort()
    await expect(turn).rejects.toMatchObject({ code: 'KERNEL_TURN_ABORTED' })
  })
})

describe('jit', () => {
  const asks: ScriptedStep = {
    toolCalls: [{ name: hydrateToolName, input: { query: 'her seat' } }],
  }

  it('looks nothing up by itself and offers the tool (PROMPT-06)', async () => {
    const hydrate = vi.fn(() => 'x')
    const { kernel, received } = kernelWith([{ name: 'memory', hydrate }], jit)
    const { hydrated } = await follow(kernel)
    expect(hydrate).not.toHaveBeenCalled()
    expect(hydrated).toEqual([])
    expect(received[0]?.tools?.map(({ name }) => name)).toEqual([hydrateToolName])
    expect(received[0]?.prompt.map(({ role }) => role)).toEqual(['user'])
  })

  it('looks up what the model asks for, tells of it, and lets the model read the text', async () => {
    const { kernel, received } = kernelWith([memory, broken], jit, [asks, { text: 'done' }])
    const { hydrated, result } = await follow(kernel, { sessionId: 's' })
    expect(result.text).toBe('done')
    expect(hydrated).toMatchObject([
      {
        query: 'her seat',
        chars: 17,
        sources: [{ capability: 'memory' }, { capability: 'broken', error: 'the store is down' }],
      },
    ])
    expect(received[1]?.prompt.at(-1)).toMatchObject({
      role: 'tool',
      content: [{ output: { type: 'text', value: 'known of her seat' } }],
    })
  })

  it('says that nothing is known where nothing was found', async () => {
    const empty: Capability = { name: 'empty', hydrate: () => '' }
    const { kernel, received } = kernelWith([empty, broken], jit, [asks, { text: 'done' }])
    await kernel.run({ query: 'hello' })
    expect(JSON.stringify(received[1]?.prompt.at(-1))).toContain('Nothing is known about this.')
  })

  it('is a failed call, and the model reads why, where nobody could look', async () => {
    const { kernel, received } = kernelWith([broken], jit, [asks, { text: 'done' }])
    const { result, hydrated } = await follow(kernel)
    expect(result.text).toBe('done')
    expect(received[1]?.prompt.at(-1)).toMatchObject({
      content: [
        {
          output: {
            type: 'error-text',
            value: 'Context could not be looked up: the store is down',
          },
        },
      ],
    })
    expect(hydrated).toEqual([])
  })

  it('asks with the identity of the turn', async () => {
    const hydrate = vi.fn((_: HydrationRequest) => 'x')
    const { kernel } = kernelWith([{ name: 'memory', hydrate }], jit, [asks, { text: 'done' }])
    const about = { sessionId: 's', scope: { tenantId: 'acme' }, state: { channel: 'slack' } }
    const { runId } = await kernel.run({ query: 'hello', ...about })
    expect(hydrate).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        ...{ ...about, runId, query: 'her seat', isAskedByModel: true },
        messages: [
          { role: 'user', content: 'hello' },
          expect.objectContaining({ role: 'assistant' }),
        ],
      }),
    )
  })

  it('does not let the tool of that name be declared by somebody else', () => {
    const tools = { [hydrateToolName]: {} as never }
    expect(() => kernelWith([], { ...jit, tools })).toThrow(
      expect.objectContaining({ code: 'KERNEL_TOOL_NAME_TAKEN' }),
    )
  })
})

describe('a function that is replaced', () => {
  it.each(['stratified', 'jit'] as const)(
    'takes effect at the next call: %s (PROMPT-07)',
    async (contextStrategy) => {
      const step = (text: string): ScriptedStep[] =>
        contextStrategy === 'jit'
          ? [{ toolCalls: [{ name: hydrateToolName, input: { query: text } }] }, { text }]
          : [{ text }]
      const live: { name: string; hydrate: NonNullable<Capability['hydrate']> } = {
        name: 'memory',
        hydrate: () => 'old',
      }
      const script = [...step('one'), ...step('two')]
      const { kernel } = kernelWith([live], { prompt: { contextStrategy } }, script)
      const before = await follow(kernel)
      live.hydrate = () => 'and new'
      const after = await follow(kernel)
      expect([before, after].map(({ hydrated }) => hydrated[0]?.chars)).toEqual([3, 7])
    },
  )
})

const jit: Partial<KernelOptions> = { prompt: { contextStrategy: 'jit' } }

function kernelWith(
  capabilities: readonly Capability[],
  options: Partial<KernelOptions> = {},
  script: readonly ScriptedStep[] = [{ text: 'done' }],
) {
  const model = scriptedModel(script)
  return { kernel: createKernel({ model, capabilities, ...options }), received: model.received }
}

async function follow(kernel: Kernel, about: { sessionId?: string } = {}) {
  const events = kernel.stream({ query: 'hello', ...about })
  const hydrated: ContextHydratedEvent[] = []
  const types: string[] = []
  let next = await events.next()
  while (!next.done) {
    types.push(next.value.type)
    if (next.value.type === 'context-hydrated') hydrated.push(next.value)
    next = await events.next()
  }
  return { result: next.value, hydrated, types }
}
