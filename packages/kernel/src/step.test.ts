import { tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Capability } from './capability.ts'
import { createKernel } from './kernel.ts'
import type { Logger } from './logger.ts'
import { silentLogger } from './logger.ts'
import { scriptedModel } from './testing/scripted-model.ts'

const tools = {
  read: tool({ inputSchema: z.object({}), execute: async () => 'read it' }),
  write: tool({ inputSchema: z.object({}), execute: async () => 'wrote it' }),
}

const forcing = (forcedTool: NonNullable<Capability['forcedTool']>): Capability => ({
  name: 'forcing',
  forcedTool,
})

describe('a forced tool', () => {
  it.each(['run', 'stream'] as const)(
    'is asked for live at every step and released once it has been called (%s)',
    async (entry) => {
      const model = scriptedModel([{ toolCalls: [{ name: 'read' }] }, { text: 'done' }])
      const force = forcing((view) => (view.called.has('read') ? undefined : 'read'))
      await finish(createKernel({ model, tools, capabilities: [force] }), entry)
      expect(model.received.map((sent) => sent.toolChoice)).toEqual([
        { type: 'tool', toolName: 'read' },
        { type: 'auto' },
      ])
      expect(model.received[0]?.tools).toEqual(model.received[1]?.tools)
    },
  )

  it.each(['run', 'stream'] as const)(
    'that the model ignores costs nothing but an event: the answer stands (%s)',
    async (entry) => {
      const model = scriptedModel([{ text: 'I would rather not.' }])
      const kernel = createKernel({ model, tools, capabilities: [forcing(() => 'read')] })
      const ignored: unknown[] = []
      kernel.observe('forced-tool-ignored', (event) => {
        ignored.push(event)
      })
      const result = await finish(kernel, entry)
      expect(ignored).toEqual([{ type: 'forced-tool-ignored', step: 1, toolName: 'read' }])
      expect(result).toMatchObject({ text: 'I would rather not.', finishReason: 'stop' })
      expect(result.usage.totalTokens).toBe(15)
    },
  )

  it.each<[string, NonNullable<Capability['forcedTool']>]>([
    ['does not exist', () => 'fly'],
    ['is a prototype name', () => 'constructor'],
    ['could not be chosen', raise],
  ])('that %s forces nothing, with a warning', async (_what, force) => {
    const warnings: string[] = []
    const logger: Logger = { ...silentLogger, warn: (message) => warnings.push(message) }
    const model = scriptedModel([{ text: 'fine' }])
    await createKernel({ model, tools, capabilities: [forcing(force)], logger }).run({ query: 'q' })
    expect(model.received[0]?.toolChoice).toEqual({ type: 'auto' })
    expect(warnings).toHaveLength(1)
  })

  it('comes from the first capability that names one', async () => {
    const model = scriptedModel([{ toolCalls: [{ name: 'write' }] }, { text: 'done' }])
    const once = (name: 'read' | 'write') => (view: { step: number }) =>
      view.step === 1 ? name : undefined
    const capabilities = [
      { name: 'none', forcedTool: () => undefined },
      { name: 'a', forcedTool: once('write') },
      { name: 'b', forcedTool: once('read') },
    ]
    await createKernel({ model, tools, capabilities }).run({ query: 'q' })
    expect(model.received[0]?.toolChoice).toEqual({ type: 'tool', toolName: 'write' })
  })
})

describe('the tool list', () => {
  it('stays the same to the byte whatever is refused or forced', async () => {
    const model = scriptedModel([
      { toolCalls: [{ name: 'write' }] },
      { toolCalls: [{ name: 'read' }] },
      { text: 'done' },
    ])
    const order: Capability = {
      name: 'order',
      gate: (view) => (call) =>
        call.toolName === 'read' || view.called.has('read')
          ? { allowed: true }
          : { allowed: false, message: 'read first' },
    }
    await createKernel({ model, tools, capabilities: [order] }).run({ query: 'q' })
    const lists = new Set(model.received.map((sent) => JSON.stringify(sent.tools)))
    expect(lists.size).toBe(1)
  })
})

async function finish(kernel: ReturnType<typeof createKernel>, entry: 'run' | 'stream') {
  if (entry === 'run') return await kernel.run({ query: 'q' })
  const stream = kernel.stream({ query: 'q' })
  let next = await stream.next()
  while (!next.done) next = await stream.next()
  return next.value
}

function raise(): never {
  throw new Error('broken')
}
