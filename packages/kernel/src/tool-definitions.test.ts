import { asSchema, jsonSchema, type ToolSet, tool } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { cacheMarker } from './cache/limit-markers.ts'
import type { Capability } from './capability.ts'
import { createKernel } from './kernel.ts'
import type { KernelOptions } from './kernel-options.ts'
import { comparePrompts } from './prompt/compare-prompts.ts'
import { expectStablePrefix } from './testing/expect-stable-prefix.ts'
import { scriptedModel } from './testing/scripted-model.ts'
import { joinDefinitions } from './tool-definitions.ts'
import { type AnyTool, createToolRegistry } from './tools.ts'

const look = tool({ description: 'Looks.', inputSchema: z.object({ id: z.string() }) }) as AnyTool
const ask = tool({ inputSchema: z.object({}) }) as AnyTool
const search = {
  ...{ type: 'provider', isProviderExecuted: true, id: 'vendor.search', args: { most: 3 } },
  inputSchema: z.object({}),
} as unknown as AnyTool

describe('the definitions of the tools', () => {
  it('hold what the model reads of each, in order, and who brings it', async () => {
    const memory: Capability = { name: 'memory', tools: { search } }
    const { definitions } = await createToolRegistry({ look }, [memory]).offer()
    expect(definitions.map(({ name, capability }) => [name, capability])).toEqual([
      ['look', 'kernel'],
      ['search', 'memory'],
    ])
    expect(JSON.parse(joinDefinitions(definitions))).toEqual([
      {
        name: 'look',
        description: 'Looks.',
        inputSchema: await asSchema(look.inputSchema).jsonSchema,
      },
      { name: 'search', id: search.id, args: { most: 3 } },
    ])
  })

  it('are made once where no description is a function', async () => {
    const { offer } = createToolRegistry({ look, search }, [])
    expect(await offer()).toBe(await offer())
  })

  it.each<[string, ToolSet]>([
    ['name', { peek: look }],
    ['description', { look: { ...look, description: 'Peeks.' } as AnyTool }],
    ['moving description', { look: { ...look, description: () => 'Peeks.' } as AnyTool }],
    ['schema', { look: { ...look, inputSchema: z.object({ id: z.number() }) } as AnyTool }],
    ['example', { look: { ...look, inputExamples: [{ input: { id: 'x' } }] } as AnyTool }],
    ['strictness', { look: { ...look, strict: true } as AnyTool }],
    [
      'option of a provider',
      { look: { ...look, providerOptions: { anthropic: { deferLoading: true } } } as AnyTool },
    ],
    ['number of tools', { look, ask }],
    ['order', { ask, look }],
  ])(
    'differ with another %s, and two kernels that differ so are not stable',
    async (_what, tools) => {
      const preview = (given: ToolSet) =>
        createKernel({ model: scriptedModel([]), tools: given }).previewPrompt({ query: 'q' })
      const comparison = comparePrompts(await preview({ look }), await preview(tools))
      expect(comparison.stable).toBe(false)
      expect(comparison.changes[0]).toMatchObject({ layer: 'tools' })
    },
  )

  it('do not hold cache markers, which change nothing of what is cached', async () => {
    const marked = { ...look, providerOptions: cacheMarker('1h') } as AnyTool
    const texts = [{ look }, { look: marked }].map(async (tools) =>
      joinDefinitions((await createToolRegistry(tools, []).offer()).definitions),
    )
    const [plain, withMarker] = await Promise.all(texts)
    expect(withMarker).toBe(plain)
  })

  it.each<[string, AnyTool]>([
    [
      'a schema that rejects',
      { ...look, inputSchema: jsonSchema(() => Promise.reject(new Error('no'))) } as AnyTool,
    ],
    ['a description that throws', { ...look, description: fail } as AnyTool],
    ['an example JSON cannot hold', { ...look, inputExamples: [{ input: { id: 1n } }] } as AnyTool],
  ])('are a bare name with %s: the model call says what is wrong', async (_what, broken) => {
    const { definitions } = await createToolRegistry({ broken, ask }, []).offer()
    expect(definitions.map(({ text }) => text)).toEqual([
      '{"name":"broken"}',
      expect.stringContaining('inputSchema'),
    ])
  })

  it('end the turn with the words of a description that throws', async () => {
    const kernel = createKernel({
      model: scriptedModel([]),
      tools: { look: { ...look, description: fail } as AnyTool },
    })
    await expect(kernel.run({ query: 'q' })).rejects.toMatchObject({
      code: 'KERNEL_MODEL_FAILED',
      message: expect.stringContaining('no description today'),
    })
  })
})

describe('a description that is a function', () => {
  const calling = (id: string) => ({ toolCalls: [{ name: 'pay', input: { id } }] })

  it('is asked once a turn, and every step sends what it said', async () => {
    const description = vi.fn(() => `Said ${description.mock.calls.length}.`)
    const { kernel, sent } = desk(description, [calling('1'), { text: 'a' }, { text: 'b' }])
    const first = await kernel.run({ query: 'one' })
    expect(description).toHaveBeenCalledTimes(1)
    const second = await kernel.run({ query: 'two' })
    expect(sent()).toEqual(['Said 1.', 'Said 1.', 'Said 2.'])
    expect(first.prompt.tools.definitions[1]?.text).toContain('Said 1.')
    expect(second.prompt.tools.definitions[1]?.text).toContain('Said 2.')
  })

  it('that stays as it is leaves the prompt what it was', async () => {
    const { kernel } = desk(() => 'Pays.', [{ text: 'a' }, { text: 'b' }])
    const first = await kernel.run({ query: 'one' })
    expect((await kernel.run({ query: 'two' })).prompt).toBe(first.prompt)
  })

  it('and moves is the culprit, by name and byte, and no fault of the provider', async () => {
    let day = 0
    const script = ['a', 'b'].map((text) => ({ text, usage: { input: 5_000, cacheRead: 0 } }))
    const { kernel } = desk(() => `Day ${day}.`, script)
    const about = { sessionId: 's', scope: { tenantId: 'acme' } }
    await kernel.run({ query: 'one', ...about })
    day = 1
    const { cache, prompt } = await kernel.run({ query: 'two', ...about })
    const change = { kind: 'changed', layer: 'tools', section: 'pay', capability: 'kernel' }
    expect(cache?.parted).toMatchObject({ verdict: 'broken', change })
    const byte = cache?.parted?.change && 'byte' in cache.parted.change && cache.parted.change.byte
    const text = joinDefinitions(prompt.tools.definitions)
    expect(Buffer.from(text).subarray(Number(byte)).toString()).toMatch(/^1\./)
  })

  it('and moves fails a test of the prefix, by name', async () => {
    let day = 0
    const { kernel } = desk(() => {
      day += 1
      return `Day ${day}.`
    })
    await expect(expectStablePrefix(kernel, [{ query: 'a' }, { query: 'b' }])).rejects.toThrow(
      /byte \d+ of tools, the definition of "pay" of "kernel": .*Day 1\..* became .*Day 2\./,
    )
  })

  function desk(description: () => string, script: Parameters<typeof scriptedModel>[0] = []) {
    const model = scriptedModel(script, {
      ...{ provider: 'anthropic.messages', modelId: 'claude-sonnet-4-5' },
    })
    const pay = tool({
      ...{ description, inputSchema: z.object({ id: z.string() }), execute: async () => 'paid' },
    }) as AnyTool
    const options: KernelOptions = {
      ...{ model, instructions: 'You are a clerk. '.repeat(400), tools: { look: ask, pay } },
    }
    const sent = () =>
      model.received.map(({ tools }) => {
        const found = tools?.find(({ name }) => name === 'pay')
        return found?.type === 'function' ? found.description : undefined
      })
    return { kernel: createKernel(options), sent }
  }
})

function fail(): never {
  throw new Error('no description today')
}
