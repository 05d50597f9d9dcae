import { setTimeout as delay } from 'node:timers/promises'
import type { Agent, ToolSet } from 'ai'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createKernel, type Kernel } from './kernel.ts'
import { scriptedModel } from './testing/scripted-model.ts'
import {
  collect,
  hanging,
  lookCall,
  playing,
  tools,
  watchUnhandled,
} from './testing-fixtures/agent-calls.ts'

type AgentCall = Parameters<Kernel['generate']>[0]

beforeEach(() => {
  const stopWatching = watchUnhandled()
  return async () => expect(await stopWatching()).toEqual([])
})

describe('a kernel is an agent of the AI SDK', () => {
  it('by its shape', () => {
    const kernel = createKernel({ model: scriptedModel([]), id: 'desk', tools })
    const agent: Agent<object, ToolSet> = kernel as never
    expect(agent).toMatchObject({ version: 'agent-v1', id: 'desk' })
    expect(Object.keys(agent.tools)).toEqual(['look', 'broken', 'ask'])
  })
})

describe('what an agent call may ask for', () => {
  it.each<[string, object]>([
    ['a text', { prompt: 'hello' }],
    ['a prompt of messages', { prompt: [{ role: 'user', content: 'hello' }] }],
    ['messages', { messages: [{ role: 'user', content: 'hello' }] }],
  ])('is %s', async (_what, call) => {
    const { kernel, model } = playing([{ text: 'hi' }])
    await kernel.generate({ ...call, options: {} } as never)
    expect(model.received[0]?.prompt).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hello' }], providerOptions: undefined },
    ])
  })

  it('is a turn’s own options', async () => {
    const seen = vi.fn()
    const { kernel } = playing([{ text: 'hi' }])
    kernel.observe('turn-start', seen)
    const scope = { tenantId: 'acme' }
    await kernel.generate({ prompt: 'hello', options: { scope, sessionId: 's', runId: 'r' } })
    expect(seen).toHaveBeenCalledWith(
      expect.objectContaining({ scope, sessionId: 's', runId: 'r', query: 'hello' }),
    )
  })

  it.each([
    'onStart',
    'experimental_onStart',
    'onStepStart',
    'experimental_onStepStart',
    'onToolExecutionStart',
    'experimental_onToolCallStart',
    'onToolExecutionEnd',
    'experimental_onToolCallFinish',
    'onEnd',
    'onFinish',
    'experimental_sandbox',
    'experimental_transform',
  ])('is not %s, and says so by name before the model is asked', async (name) => {
    const { kernel, model } = playing([{ text: 'hi' }])
    const call = { prompt: 'hello', options: {}, [name]: () => {} }
    const refusal = {
      code: 'KERNEL_INPUT_INVALID',
      message: expect.stringContaining(name),
      details: { field: name },
    }
    await expect(kernel.generate(call as never)).rejects.toMatchObject(refusal)
    await expect(kernel.stream(call as never)).rejects.toMatchObject(refusal)
    expect(model.received).toEqual([])
  })

  it('may leave a callback undefined, as wrappers do', async () => {
    const { kernel } = playing([{ text: 'hi' }])
    const call = { prompt: 'hello', options: {}, onEnd: undefined, timeout: undefined }
    expect(await kernel.generate(call as never)).toMatchObject({ text: 'hi' })
  })

  it.each<[string, object]>([
    ['no messages', { messages: [] }],
    ['no prompt', { prompt: undefined }],
    ['a system message', { messages: [{ role: 'system', content: 'Obey.' }] }],
    ['a message that is none', { messages: [{ role: 'user', content: null }] }],
    ['messages that are no list', { messages: 'hello' }],
    ['a prompt that is a number', { prompt: 4 }],
    ['a scope without a tenant', { prompt: 'hello', options: { scope: {} } }],
  ])(
    'is refused as a rejected promise, not as a stream that just ends: %s',
    async (_what, call) => {
      const { kernel, model } = playing([{ text: 'hi' }])
      const refusal = { code: 'KERNEL_INPUT_INVALID' }
      await expect(kernel.generate({ options: {}, ...call } as never)).rejects.toMatchObject(
        refusal,
      )
      await expect(kernel.stream({ options: {}, ...call } as never)).rejects.toMatchObject(refusal)
      expect(model.received).toEqual([])
    },
  )

  it('is no structured output', async () => {
    const { kernel } = playing([{ text: 'hi' }, { text: 'hi' }])
    const refusal = expect.objectContaining({ details: { field: 'output' } })
    const blocking = await kernel.generate({ prompt: 'hello', options: {} })
    expect(() => blocking.output).toThrow(refusal)
    const streaming = await kernel.stream({ prompt: 'hello', options: {} })
    expect(() => streaming.output).toThrow(refusal)
    expect(() => streaming.partialOutputStream).toThrow(refusal)
    expect(() => streaming.elementStream).toThrow(refusal)
  })
})

describe('the end of a step is told', () => {
  it.each(['onStepEnd', 'onStepFinish'])(
    'to %s, in order, before the next one begins',
    async (name) => {
      const log: string[] = []
      const { kernel } = playing([{ toolCalls: [lookCall] }, { text: 'seen' }])
      kernel.observe('step-start', ({ step }) => void log.push(`start ${step}`))
      const onStepEnd = async (step: { stepNumber: number; text: string }) => {
        await delay(2)
        log.push(`end ${step.stepNumber} "${step.text}"`)
      }
      await kernel.generate({ prompt: 'go', options: {}, [name]: onStepEnd } as never)
      expect(log).toEqual(['start 1', 'end 0 ""', 'start 2', 'end 1 "seen"'])
    },
  )

  it('and breaks nothing when the callback fails', async () => {
    const error = vi.fn()
    const { kernel } = playing([{ text: 'hi' }], {
      logger: { debug() {}, info() {}, warn() {}, error },
    })
    const onStepEnd = () => Promise.reject(new Error('down'))
    expect(await kernel.generate({ prompt: 'go', options: {}, onStepEnd })).toMatchObject({
      text: 'hi',
    })
    expect(error).toHaveBeenCalledWith('onStepEnd failed', { error: expect.any(Error) })
  })
})

describe('a time limit of an agent call', () => {
  it.each<[string, unknown]>([
    ['a number', 15],
    ['a total', { totalMs: 15 }],
  ])('may be %s and ends the turn', async (_what, timeout) => {
    const { kernel } = hanging()
    const call = { prompt: 'go', options: {}, timeout } as AgentCall
    const refusal = { code: 'KERNEL_TURN_TIMED_OUT' }
    await expect(kernel.generate(call)).rejects.toMatchObject(refusal)
    const { kernel: other } = hanging()
    const result = await other.stream(call)
    expect((await collect(result.stream)).at(-1)).toMatchObject({ type: 'abort' })
    await expect(result.text).rejects.toMatchObject(refusal)
  })

  it.each<[string, unknown]>([
    ['a limit for steps', { stepMs: 5 }],
    ['a limit for steps beside the total', { totalMs: 5, stepMs: 5 }],
    ['a limit for chunks', { chunkMs: 5 }],
    ['nothing', {}],
  ])('is refused, not ignored, when it is %s', async (_what, timeout) => {
    const { kernel } = playing([{ text: 'hi' }])
    const call = { prompt: 'go', options: {}, timeout } as never
    const refusal = { code: 'KERNEL_INPUT_INVALID', details: { field: 'timeout' } }
    await expect(kernel.generate(call)).rejects.toMatchObject(refusal)
    await expect(kernel.stream(call)).rejects.toMatchObject(refusal)
  })

  it('works beside the signal of the caller, whichever is first', async () => {
    const { kernel } = hanging()
    const controller = new AbortController()
    const running = kernel.generate({
      prompt: 'go',
      options: {},
      timeout: 5000,
      abortSignal: controller.signal,
    })
    controller.abort('the user left')
    await expect(running).rejects.toMatchObject({ cause: 'the user left' })
  })
})
