import { anthropic } from '@ai-sdk/anthropic'
import { asSchema, dynamicTool, jsonSchema, type ToolSet, tool } from 'ai'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { cacheMarker, markerOn } from './cache/limit-markers.ts'
import type { Capability } from './capability.ts'
import { createKernel } from './kernel.ts'
import { scriptedModel } from './testing/scripted-model.ts'
import { type AnyTool, createToolRegistry, findTool, isExecutable, markTools } from './tools.ts'

const look = tool({
  description: 'Looks.',
  inputSchema: z.object({ id: z.string() }),
  execute: async ({ id }) => id,
})
const ask = tool({ inputSchema: z.object({ question: z.string() }) }) as AnyTool
const remote = dynamicTool({
  inputSchema: jsonSchema({ type: 'object' }),
  execute: async () => 'remote',
})
/** Defined by a provider, run by whoever calls the model. */
const bash = anthropic.tools.bash_20250124({ execute: async ({ command }) => command })
/** Defined and run by a provider. */
const search = anthropic.tools.webSearch_20250305({ maxUses: 1 })

const every: ToolSet = { look, ask, remote, bash, search }

describe('the tools of a kernel', () => {
  it('are those of the host, then those of each capability in order', () => {
    const { names, declared } = createToolRegistry({ look }, [
      { name: 'a', tools: { ask } },
      { name: 'b' },
      { name: 'c', tools: { remote } },
    ])
    expect(names).toEqual(['look', 'ask', 'remote'])
    expect(declared['look']).toBe(look)
    expect(declared['remote']).toBe(remote)
  })

  it('are registered in their order whatever they are called', () => {
    const name = fc.oneof(
      fc.string(),
      fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '0', ''),
    )
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 8 }), (given) => {
        const tools = toolSet(given.map((one) => [one, look]))
        const registry = createToolRegistry(tools, [])
        expect(registry.names).toEqual(Object.keys(tools))
        expect(Object.keys(registry.offered)).toEqual(Object.keys(tools))
        for (const one of given) expect(findTool(registry, one)).toBe(look)
      }),
    )
    expect(({} as Record<string, unknown>)['execute']).toBeUndefined()
  })

  it('cannot be changed afterwards (KERN-29)', () => {
    const mine: ToolSet = { look }
    const registry = createToolRegistry(mine, [])
    mine['late'] = ask
    expect(registry.names).toEqual(['look'])
    for (const part of [registry, registry.declared, registry.offered, registry.names]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
    expect(Object.isFrozen(look)).toBe(false)
  })
})

describe('a tool name', () => {
  it.each<[string, ToolSet, readonly Capability[], string[]]>([
    [
      'by the host and a capability',
      { look },
      [{ name: 'desk', tools: { look } }],
      ['the tools option', 'the capability "desk"'],
    ],
    [
      'by two capabilities',
      {},
      [
        { name: 'desk', tools: { look } },
        { name: 'shop', tools: { look: ask } },
      ],
      ['the capability "desk"', 'the capability "shop"'],
    ],
    [
      'that every object has',
      toolSet([['__proto__', look]]),
      [{ name: 'desk', tools: toolSet([['__proto__', ask]]) }],
      ['the tools option', 'the capability "desk"'],
    ],
  ])('cannot be claimed twice: %s', (_who, tools, capabilities, owners) => {
    expect(() => createToolRegistry(tools, capabilities)).toThrow(
      expect.objectContaining({
        code: 'KERNEL_TOOL_NAME_TAKEN',
        details: { toolName: expect.any(String), owners },
      }),
    )
  })

  it.each(['constructor', 'toString', '__proto__', 'valueOf', 'LOOK', 'look '])(
    'finds only what was declared under it: %s finds nothing',
    (name) => {
      expect(findTool(createToolRegistry(every, []), name)).toBeUndefined()
    },
  )
})

describe('something that is no tool', () => {
  it.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['a string', 'look'],
    ['a function', () => 'look'],
    ['a number', 4],
  ])('is refused at construction: %s', (_what, thing) => {
    expect(() => createToolRegistry({ look, odd: thing as AnyTool }, [])).toThrow(
      expect.objectContaining({
        code: 'KERNEL_CONFIGURATION_INVALID',
        details: { option: 'tools', toolName: 'odd' },
      }),
    )
  })
})

describe('a tool that relies on the SDK to be asked or told', () => {
  it.each<[string, object]>([
    ['needsApproval', { needsApproval: true }],
    ['needsApproval', { needsApproval: async () => false }],
    ['onInputStart', { onInputStart: () => {} }],
    ['onInputDelta', { onInputDelta: () => {} }],
    ['onInputAvailable', { onInputAvailable: () => {} }],
  ])('is refused, since nobody would: %s %#', (trait, more) => {
    expect(() => createToolRegistry({ pay: { ...look, ...more } }, [])).toThrow(
      expect.objectContaining({
        code: 'KERNEL_CONFIGURATION_INVALID',
        details: { option: 'tools', toolName: 'pay', trait },
        message: expect.stringContaining(trait),
      }),
    )
  })

  it('is taken when it says that it needs no approval', () => {
    const { names } = createToolRegistry({ pay: { ...look, needsApproval: false } }, [])
    expect(names).toEqual(['pay'])
  })
})

describe('the tools a model is offered', () => {
  const { offered } = createToolRegistry(every, [])

  it.each(Object.keys(every))('come without execute: %s', (name) => {
    expect(offered[name]).toBeDefined()
    expect(offered[name]).not.toHaveProperty('execute')
  })

  it('are otherwise what was declared', () => {
    expect(offered['look']).toMatchObject({ description: 'Looks.' })
    expect(offered['remote']).toMatchObject({ type: 'dynamic' })
    expect(offered['search']).toMatchObject({ type: 'provider', id: search.id, args: search.args })
  })

  it('have their schemas converted once and for all', async () => {
    const schema = asSchema(offered['look']?.inputSchema)
    expect(schema).toBe(offered['look']?.inputSchema)
    expect(await schema.jsonSchema).toEqual(await asSchema(look.inputSchema).jsonSchema)
    expect(await schema.validate?.({ id: 4 })).toMatchObject({ success: false })
  })

  it.each(['run', 'stream'] as const)(
    'of a provider are run by the kernel alone, after its gates (%s)',
    async (mode) => {
      const execute = vi.fn(async () => 'ran')
      const tools = { bash: anthropic.tools.bash_20250124({ execute }) }
      const refused = { name: 'bash', input: { command: 'rm -rf /' } }
      const allowed = { name: 'bash', input: { command: 'ls' } }
      const model = scriptedModel([{ toolCalls: [refused, allowed] }, { text: 'done' }])
      const guard: Capability = {
        name: 'guard',
        gate:
          () =>
          ({ input }) =>
            (input as { command: string }).command === 'ls'
              ? { allowed: true }
              : { allowed: false, message: 'no' },
      }
      const kernel = createKernel({ model, tools, capabilities: [guard] })
      if (mode === 'run') await kernel.run({ query: 'go' })
      else for await (const _ of kernel.stream({ query: 'go' }));
      expect(execute).toHaveBeenCalledTimes(1)
      expect(execute).toHaveBeenCalledWith({ command: 'ls' }, expect.anything())
    },
  )
})

describe('a cache marker among the definitions', () => {
  const hour = { providerOptions: cacheMarker('1h') }
  const markedLook = { ...look, ...hour } as AnyTool

  it.each<[string, ToolSet, string | undefined]>([
    ['the last', { look, ask }, 'ask'],
    ['the last that is no provider’s', { look, search }, 'look'],
    ['none', { search }, undefined],
    ['none of none', {}, undefined],
  ])('can stand on %s', (_which, tools, expected) => {
    expect(createToolRegistry(tools, []).markable).toBe(expected)
  })

  it('of the host is known, and of several the last', () => {
    const five = { ...ask, providerOptions: cacheMarker('5m') } as AnyTool
    expect(createToolRegistry({ look, ask }, []).marked).toBeUndefined()
    const { marked } = createToolRegistry({ look: markedLook, five, remote }, [])
    expect(marked).toEqual({ name: 'five', ttl: '5m' })
  })

  it('is put on one tool and taken off all others, once for each place', () => {
    const registry = createToolRegistry({ look: markedLook, ask }, [])
    const made = markTools(registry.offered, { name: 'ask', ttl: '5m' })
    expect(Object.keys(made)).toEqual(['look', 'ask'])
    expect(Object.values(made).map(markerOn)).toEqual([undefined, '5m'])
    expect(markTools(registry.offered, { name: 'ask', ttl: '5m' })).toBe(made)
    expect(markTools(registry.offered, { name: 'ask', ttl: '1h' })).not.toBe(made)
    expect(markerOn(registry.offered['look'] ?? {})).toBe('1h')
    expect(made['ask']?.inputSchema).toBe(registry.offered['ask']?.inputSchema)
  })

  it('can be none, which leaves what has none as it is', () => {
    const registry = createToolRegistry({ look: markedLook, ask }, [])
    const bare = markTools(registry.offered, undefined)
    expect(Object.values(bare).map(markerOn)).toEqual([undefined, undefined])
    expect(bare['ask']).toBe(registry.offered['ask'])
    expect(Object.isFrozen(bare)).toBe(true)
  })
})

describe('a tool is the kernel’s to run', () => {
  it.each<[boolean, string, AnyTool | undefined]>([
    [true, 'with execute', look],
    [true, 'dynamic', remote],
    [true, 'defined by a provider and run here', bash],
    [false, 'without execute', ask],
    [false, 'run by a provider', search],
    [false, 'unknown', undefined],
    [false, 'with an execute that is no function', { ...look, execute: 'x' } as never],
  ])('%s: %s', (expected, _what, one) => {
    expect(isExecutable(one)).toBe(expected)
  })
})

/** As JSON.parse would: `__proto__` is a name like any other. */
function toolSet(entries: readonly (readonly [string, AnyTool])[]): ToolSet {
  const tools: ToolSet = {}
  for (const [name, value] of entries) {
    Object.defineProperty(tools, name, { value, enumerable: true, configurable: true })
  }
  return tools
}
