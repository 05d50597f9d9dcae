import { getEventListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Agent,
  createAgentUIStreamResponse,
  type GenerateTextResult,
  isStepCount,
  parseJsonEventStream,
  readUIMessageStream,
  ToolLoopAgent,
  type ToolSet,
  tool,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Capability } from './capability.ts'
import type { KernelOptions } from './compose.ts'
import type { TurnEvent } from './events.ts'
import { createKernel, type Kernel } from './kernel.ts'
import { type ScriptedStep, scriptedModel } from './testing/scripted-model.ts'

const look = tool({
  inputSchema: z.object({ id: z.string() }),
  execute: async ({ id }) => ({ seen: id }),
})
const broken = tool({
  inputSchema: z.object({}),
  execute: async (): Promise<string> => {
    throw new Error('down')
  },
})
/** Without execute: the client answers. */
const ask = tool({ inputSchema: z.object({ question: z.string() }), outputSchema: z.string() })
const tools = { look, broken, ask } as ToolSet

const lookCall = { name: 'look', input: { id: 'x' } }
const askCall = { name: 'ask', input: { question: 'Which one?' } }

const unhandled: unknown[] = []
const note = (reason: unknown) => unhandled.push(reason)

beforeEach(() => {
  unhandled.length = 0
  process.on('unhandledRejection', note)
})

afterEach(async () => {
  // An unhandled rejection is announced once the microtasks are done.
  await delay(0)
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

describe('a kernel is an agent of the AI SDK', () => {
  it('by its shape', () => {
    const kernel = createKernel({ model: scriptedModel([]), id: 'desk', tools })
    const agent: Agent<object, ToolSet> = kernel as never
    expect(agent).toMatchObject({ version: 'agent-v1', id: 'desk' })
    expect(Object.keys(agent.tools)).toEqual(['look', 'broken', 'ask'])
  })

  it.each<[string, ScriptedStep[]]>([
    ['text', [{ text: 'hello' }]],
    ['nothing', [{}]],
    ['reasoning', [{ reasoning: 'hm', text: 'hello', usage: { input: 3, cacheRead: 2 } }]],
    ['a tool', [{ text: 'let me see', toolCalls: [lookCall, lookCall] }, { text: 'seen' }]],
    ['a tool that fails', [{ toolCalls: [{ name: 'broken' }] }, { text: 'sorry' }]],
    ['an unknown tool', [{ toolCalls: [{ name: 'fly' }] }, { text: 'sorry' }]],
    ['invalid input', [{ toolCalls: [{ name: 'look', input: '{' }] }, { text: 'sorry' }]],
    ['a client’s tool', [{ toolCalls: [lookCall, askCall] }]],
    ['a cut-off answer', [{ text: 'half', finishReason: 'length', rawFinishReason: 'max' }]],
    [
      'three steps',
      [{ toolCalls: [lookCall] }, { reasoning: 'more', toolCalls: [lookCall] }, { text: 'done' }],
    ],
  ])('whose result is that of a ToolLoopAgent: %s', async (_what, script) => {
    const [ours, theirs] = await both(script)
    expect(fieldsOf(ours)).toEqual(fieldsOf(theirs))
  })

  it('that answers calls of a cut-off step, where the SDK leaves them open', async () => {
    const [ours, theirs] = await both([{ toolCalls: [lookCall], finishReason: 'length' }])
    expect(theirs.responseMessages.map(({ role }) => role)).toEqual(['assistant'])
    expect(ours.responseMessages.map(({ role }) => role)).toEqual(['assistant', 'tool'])
    expect(ours).toMatchObject({ finishReason: 'length', text: '' })
  })

  it('that shows a refusal as the tool’s error', async () => {
    const kernel = createKernel({
      model: scriptedModel([{ toolCalls: [lookCall] }, { text: 'ok' }]),
      tools,
      capabilities: [refusing('Read first.')],
    })
    const result = await kernel.generate({ prompt: 'go', options: {} })
    expect(result.content).toMatchObject([
      { type: 'tool-call', toolName: 'look' },
      { type: 'tool-error', toolName: 'look', error: 'Read first.' },
      { type: 'text', text: 'ok' },
    ])
    expect(result.toolResults).toEqual([])
  })

  it('that gives the rewritten text, and the steps as they were', async () => {
    const kernel = createKernel({
      model: scriptedModel([{ text: 'hello' }]),
      onResponseRender: [(text) => text.toUpperCase()],
    })
    const result = await kernel.generate({ prompt: 'go', options: {} })
    expect([result.text, result.finalStep.text]).toEqual(['HELLO', 'hello'])
  })

  it('that ends with "other" at its step limit', async () => {
    const script = Array.from({ length: 3 }, () => ({ toolCalls: [lookCall] }))
    const kernel = createKernel({ model: scriptedModel(script), tools, limits: { steps: 2 } })
    const result = await kernel.generate({ prompt: 'go', options: {} })
    expect(result).toMatchObject({ finishReason: 'other', steps: { length: 2 } })
  })

  it('that shows files of reasoning among the reasoning', async () => {
    const model = scriptedModel([{ text: 'hello' }])
    const picture = {
      type: 'reasoning-file' as const,
      mediaType: 'image/png',
      data: { type: 'data' as const, data: 'AAAA' },
    }
    const doGenerate: typeof model.doGenerate = async (sent) => {
      const answer = await model.doGenerate(sent)
      return { ...answer, content: [picture, ...answer.content] }
    }
    const kernel = createKernel({ model: { ...model, doGenerate } })
    const agent = new ToolLoopAgent({
      model: { ...scriptedModel([{ text: 'hello' }]), doGenerate },
    })
    const ours = await kernel.generate({ prompt: 'go', options: {} }).catch((error) => error)
    expect(ours.reasoning).toMatchObject([{ type: 'reasoning-file', file: { base64: 'AAAA' } }])
    expect(ours.reasoningText).toBeUndefined()
    expect(ours.finalStep.reasoning).toEqual([
      { type: 'reasoning-file', mediaType: 'image/png', data: 'AAAA' },
    ])
    expect(agent.version).toBe(kernel.version)
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
    const refusal = { code: 'KERNEL_TURN_ABORTED', cause: { name: 'TimeoutError' } }
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

describe('a streamed agent call', () => {
  const script = [
    { reasoning: 'hm', text: 'let me see', toolCalls: [lookCall] },
    { text: 'it is x' },
  ]

  it('has the parts of a ToolLoopAgent, in its order', async () => {
    const { kernel } = playing(script)
    const agent = new ToolLoopAgent({ model: scriptedModel(script), tools })
    const ours = await collect((await kernel.stream({ prompt: 'go', options: {} })).stream)
    const theirs = await collect((await agent.stream({ prompt: 'go' })).stream)
    expect(ours.map(({ type }) => type)).toEqual(theirs.map(({ type }) => type))
  })

  it('has the fields of a ToolLoopAgent', async () => {
    const { kernel } = playing(script)
    const agent = new ToolLoopAgent({ model: scriptedModel(script), tools })
    const ours = await kernel.stream({ prompt: 'go', options: {} })
    const theirs = await agent.stream({ prompt: 'go' })
    for (const name of streamFields) {
      expect([name, plain(await ours[name])]).toEqual([name, plain(await theirs[name])])
    }
  })

  it('has the fields of the blocking call', async () => {
    const { kernel } = playing([...script, ...script])
    const blocking = await kernel.generate({ prompt: 'go', options: {} })
    const streaming = await kernel.stream({ prompt: 'go', options: {} })
    for (const name of streamFields) {
      const [ours, theirs] = [plain(await streaming[name]), plain(blocking[name])]
      expect([name, withoutIds(ours)]).toEqual([name, withoutIds(theirs)])
    }
  })

  it('runs when only a field is asked for', async () => {
    const { kernel, model } = playing([{ text: 'hi' }])
    const result = await kernel.stream({ prompt: 'go', options: {} })
    expect(await result.text).toBe('hi')
    expect(model.received).toHaveLength(1)
  })

  it('costs nothing when nobody reads it', async () => {
    const { kernel, model } = playing([{ text: 'hi' }])
    const started = vi.fn()
    kernel.observe('turn-start', started)
    const { signal } = new AbortController()
    await kernel.stream({ prompt: 'go', options: {}, abortSignal: signal })
    await delay(2)
    expect(started).not.toHaveBeenCalled()
    expect(model.received).toEqual([])
  })

  it('can be read several times, early, late and side by side, and is one turn', async () => {
    const { kernel, model } = playing(script)
    const result = await kernel.stream({ prompt: 'go', options: {} })
    const [first, texts, usage, second, finishReason] = await Promise.all([
      collect(result.stream),
      collect(result.textStream),
      result.usage,
      collect(result.fullStream),
      result.finishReason,
    ])
    expect(texts.join('')).toBe('let me seeit is x')
    expect(second).toEqual(first)
    expect(finishReason).toBe('stop')
    expect(usage).toMatchObject({ inputTokens: 20, outputTokens: 10 })
    // As with the SDK, whoever comes late reads it from the start.
    expect(await collect(result.stream)).toEqual(first)
    expect(await result.text).toBe('it is x')
    expect(model.received).toHaveLength(2)
  })

  it('gives the same promise-like answer however often a field is asked for', async () => {
    const { kernel, model } = playing([{ text: 'hi' }])
    const result = await kernel.stream({ prompt: 'go', options: {} })
    expect(await Promise.all([result.text, result.text, result.text])).toEqual(['hi', 'hi', 'hi'])
    expect(model.received).toHaveLength(1)
  })

  it('can be consumed for its effects', async () => {
    const { kernel, model } = playing([{ text: 'hi' }])
    const result = await kernel.stream({ prompt: 'go', options: {} })
    await result.consumeStream()
    expect(model.received).toHaveLength(1)
    expect(await result.text).toBe('hi')
  })

  it('can be answered as text', async () => {
    const { kernel } = playing([{ text: 'a longer answer than one delta' }])
    const result = await kernel.stream({ prompt: 'go', options: {} })
    const response = result.toTextStreamResponse({ status: 201 })
    expect(response.status).toBe(201)
    expect(await response.text()).toBe('a longer answer than one delta')
  })

  it('can be answered as UI messages', async () => {
    const { kernel } = playing([{ text: 'hi' }])
    const result = await kernel.stream({ prompt: 'go', options: {} })
    const chunks = await chunksOf(result.toUIMessageStreamResponse())
    expect(chunks.map(({ type }) => type)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ])
  })
})

describe('a streamed agent call that is stopped', () => {
  it('ends with an abort part, and its fields reject for who asks', async () => {
    const { kernel, started } = hanging()
    const controller = new AbortController()
    const result = await kernel.stream({
      prompt: 'go',
      options: {},
      abortSignal: controller.signal,
    })
    const parts = collect(result.stream)
    const text = result.text
    await started
    controller.abort(new Error('the user left'))
    expect((await parts).map(({ type }) => type)).toEqual(['start', 'start-step', 'abort'])
    await expect(text).rejects.toMatchObject({ code: 'KERNEL_TURN_ABORTED' })
    await expect(result.steps).rejects.toMatchObject({ details: { messages: [{ role: 'user' }] } })
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })

  it('rejects nothing that nobody asked for', async () => {
    const { kernel, started } = hanging()
    const controller = new AbortController()
    const result = await kernel.stream({
      prompt: 'go',
      options: {},
      abortSignal: controller.signal,
    })
    const reading = collect(result.stream)
    await started
    controller.abort()
    await reading
    await delay(2)
    expect(unhandled).toEqual([])
  })

  it('may have been stopped before it began', async () => {
    const { kernel, model } = playing([{ text: 'hi' }])
    const abortSignal = AbortSignal.abort('before')
    const result = await kernel.stream({ prompt: 'go', options: {}, abortSignal })
    expect((await collect(result.stream)).at(-1)).toMatchObject({ type: 'abort' })
    await expect(result.text).rejects.toMatchObject({ cause: 'before' })
    expect(model.received).toEqual([])
  })

  it('ends with an error part when the model fails, and its fields reject', async () => {
    const { kernel } = playing([{ error: new Error('no credit') }])
    const result = await kernel.stream({ prompt: 'go', options: {} })
    const parts = await collect(result.stream)
    expect(parts.map(({ type }) => type)).toEqual(['start', 'start-step', 'error'])
    expect(parts.at(-1)).toMatchObject({ error: { code: 'KERNEL_MODEL_FAILED' } })
    await expect(result.finishReason).rejects.toMatchObject({ code: 'KERNEL_MODEL_FAILED' })
  })

  it.each<[string, (result: Awaited<ReturnType<typeof streaming>>) => Promise<unknown>]>([
    [
      'its only reader breaks off',
      async (result) => {
        for await (const _ of result.stream) break
      },
    ],
    [
      'its last reader breaks off',
      async (result) => {
        for await (const _ of result.textStream) break
        for await (const _ of result.stream) break
      },
    ],
    [
      'its response is cancelled',
      async (result) => {
        const reader = result.toTextStreamResponse().body?.getReader()
        await reader?.read()
        await reader?.cancel()
      },
    ],
  ])('stops its turn when %s', async (_who, leave) => {
    const { kernel, aborted } = endless()
    const result = await streaming(kernel)
    await leave(result)
    const { reason } = await aborted
    expect(reason).toMatchObject({ code: 'KERNEL_TURN_ABORTED', message: /left/ })
    await expect(result.text).rejects.toMatchObject({ code: 'KERNEL_TURN_ABORTED' })
  })

  it('never begins when its reader leaves before', async () => {
    const { kernel, model } = playing([{ text: 'hi' }])
    const result = await streaming(kernel)
    await result.stream.cancel()
    await expect(result.text).rejects.toMatchObject({ code: 'KERNEL_TURN_ABORTED' })
    expect(model.received).toEqual([])
  })

  it('goes on while anybody still reads', async () => {
    const { kernel } = playing([{ text: 'a longer answer than one delta' }])
    const result = await kernel.stream({ prompt: 'go', options: {} })
    const text = result.text
    for await (const _ of result.stream) break
    expect(await text).toBe('a longer answer than one delta')
  })

  it('goes on when it is consumed while a client goes away', async () => {
    const { kernel } = playing([{ text: 'a longer answer than one delta' }])
    const ended = turnEnd(kernel)
    const result = await kernel.stream({ prompt: 'go', options: {} })
    const consumed = result.consumeStream()
    await result.toUIMessageStreamResponse().body?.cancel()
    await consumed
    expect(await ended).toMatchObject({ result: { finishReason: 'stop' } })
  })
})

describe('a kernel behind a chat', () => {
  it('streams a turn, and the conversation goes on with what the client has', async () => {
    const { kernel, model } = playing([
      { reasoning: 'hm', text: 'let me see', toolCalls: [lookCall] },
      { text: 'it is x' },
      { text: 'still x' },
    ])
    const first = await chat(kernel, [question('1', 'what is it?')])
    expect(first.at(-1)).toMatchObject({
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'let me see' },
        { type: 'tool-look', state: 'output-available', output: { seen: 'x' } },
        { type: 'step-start' },
        { type: 'text', text: 'it is x' },
      ],
    })
    const second = await chat(kernel, [...first, question('2', 'and now?')])
    expect(second.at(-1)?.parts.at(-1)).toMatchObject({ type: 'text', text: 'still x' })
    expect(model.received[2]?.prompt.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    model.assertDone()
  })

  it('leaves a client’s tool open, and goes on with its answer in the same message', async () => {
    const { kernel, model } = playing([
      { text: 'One moment.', toolCalls: [askCall] },
      { text: 'x it is' },
    ])
    const first = await chat(kernel, [question('1', 'which?')])
    const answer = first.at(-1)
    expect(answer?.parts.at(-1)).toMatchObject({
      type: 'tool-ask',
      state: 'input-available',
      input: askCall.input,
    })
    const answered = {
      ...answer,
      parts: answer?.parts.map((part) =>
        part.type === 'tool-ask' ? { ...part, state: 'output-available', output: 'x' } : part,
      ),
    } as UIMessage
    const second = await chat(kernel, [...first.slice(0, -1), answered])
    expect(second).toHaveLength(2)
    expect(second.at(-1)).toMatchObject({ id: answer?.id })
    expect(second.at(-1)?.parts.at(-1)).toMatchObject({ type: 'text', text: 'x it is' })
    expect(model.received[1]?.prompt.slice(1)).toMatchObject([
      { role: 'assistant', content: [{ type: 'text' }, { type: 'tool-call', toolName: 'ask' }] },
      { role: 'tool', content: [{ toolName: 'ask', output: { type: 'text', value: 'x' } }] },
    ])
  })

  it('shows refusals and failures as errors of their tools', async () => {
    const { kernel } = playing([{ toolCalls: [lookCall] }, { text: 'ok' }], {
      capabilities: [refusing('Read first.')],
    })
    const messages = await chat(kernel, [question('1', 'go')], { onError: String })
    expect(messages.at(-1)?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'tool-look', state: 'output-error', errorText: 'Read first.' },
      { type: 'step-start' },
      { type: 'text', text: 'ok' },
    ])
    // What the client keeps of it can be sent back.
    const next = playing([{ text: 'fine' }])
    const again = await chat(next.kernel, [...messages, question('2', 'more')])
    expect(again.at(-1)?.parts.at(-1)).toMatchObject({ text: 'fine' })
    expect(next.model.received[0]?.prompt).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'tool', content: [{ output: { type: 'error-text', value: 'Read first.' } }] },
      { role: 'assistant' },
      { role: 'user' },
    ])
  })

  it('passes on the turn options and tells of steps', async () => {
    const onStepEnd = vi.fn()
    const { kernel } = playing([{ text: 'hi' }])
    const started = vi.fn()
    kernel.observe('turn-start', started)
    await chat(kernel, [question('1', 'go')], {
      options: { scope: { tenantId: 'acme' } },
      onStepEnd,
    })
    expect(started.mock.calls[0]?.[0]).toMatchObject({ scope: { tenantId: 'acme' } })
    expect(onStepEnd).toHaveBeenCalledTimes(1)
  })

  it('stops the turn when the client goes away', async () => {
    const { kernel, aborted } = endless()
    const response = await respond(kernel, [question('1', 'go')])
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    expect(await aborted).toMatchObject({ type: 'turn-abort' })
  })

  it('tells the client of a failure without its details', async () => {
    const { kernel } = playing([{ error: new Error('key sk-123 is bad') }])
    const chunks = await chunksOf(await respond(kernel, [question('1', 'go')]))
    expect(chunks.at(-1)).toMatchObject({ type: 'error' })
    expect(JSON.stringify(chunks)).not.toContain('sk-123')
  })
})

const streamFields = [
  'text',
  'reasoningText',
  'reasoning',
  'files',
  'sources',
  'toolCalls',
  'staticToolCalls',
  'dynamicToolCalls',
  'toolResults',
  'staticToolResults',
  'dynamicToolResults',
  'finishReason',
  'rawFinishReason',
  'usage',
  'totalUsage',
  'warnings',
  'responseMessages',
  'providerMetadata',
  'steps',
] as const

function playing(script: readonly ScriptedStep[], options: Partial<KernelOptions> = {}) {
  const model = scriptedModel(script)
  return { kernel: createKernel({ model, tools, ...options }), model }
}

/** A kernel whose model never answers, with the moment it was asked. */
function hanging() {
  const asked = Promise.withResolvers<void>()
  const model = {
    ...scriptedModel([]),
    doGenerate: () => {
      asked.resolve()
      return new Promise<never>(() => {})
    },
    doStream: () => {
      asked.resolve()
      return new Promise<never>(() => {})
    },
  }
  return { kernel: createKernel({ model }), started: asked.promise }
}

/** A kernel whose model never stops talking, with the moment its turn is aborted. */
function endless() {
  const model = {
    ...scriptedModel([]),
    doStream: async () => ({
      stream: new ReadableStream({
        pull: async (controller) => {
          await delay(1)
          controller.enqueue({ type: 'text-delta' as const, id: '0', delta: 'on ' })
        },
      }),
    }),
  }
  const kernel = createKernel({ model })
  const aborted = new Promise<Extract<TurnEvent, { type: 'turn-abort' }>>((resolve) => {
    kernel.observe('turn-abort', resolve)
  })
  return { kernel, aborted }
}

function turnEnd(kernel: Kernel) {
  return new Promise((resolve) => {
    kernel.observe('turn-end', resolve)
  })
}

function streaming(kernel: Kernel) {
  return kernel.stream({ prompt: 'go', options: {} })
}

function refusing(message: string): Capability {
  return { name: 'rules', gate: () => () => ({ allowed: false, message }) }
}

async function both(script: readonly ScriptedStep[]) {
  const { kernel } = playing(script)
  const agent = new ToolLoopAgent({
    model: scriptedModel(script),
    tools,
    stopWhen: isStepCount(20),
  })
  return [
    await kernel.generate({ prompt: 'go', options: {} }),
    await agent.generate({ prompt: 'go' }),
  ] as const
}

type AnyResult = GenerateTextResult<ToolSet, Record<string, unknown>, never>

function fieldsOf(result: unknown) {
  const about = result as AnyResult
  return Object.fromEntries(
    [...streamFields, 'content' as const].map((name) => [name, plain(about[name])]),
  )
}

/**
 * Comparable: steps by what they say, without what no two runs have in common, and without the two
 * differences that are meant: a failure names its tool, and input that would not parse is {}.
 */
function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/^(AI_\w+|Error|broken failed): /, '')
  if (value instanceof Error) return plain(value.message)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  if ('stepNumber' in value) return plainStep(value as AnyResult['steps'][number])
  const entries = Object.entries(value).filter(
    ([name, inner]) => name !== 'raw' && inner !== undefined && inner !== false,
  )
  return Object.fromEntries(
    entries.map(([name, inner]) => [
      name,
      name === 'input' && typeof inner === 'string' ? {} : plain(inner),
    ]),
  )
}

function plainStep(step: AnyResult['steps'][number]) {
  const { stepNumber, text, reasoningText, finishReason, rawFinishReason, model } = step
  return {
    ...{ stepNumber, text, reasoningText, finishReason, rawFinishReason, model },
    content: plain(step.content),
    reasoning: plain(step.reasoning),
    toolCalls: plain(step.toolCalls),
    toolResults: plain(step.toolResults),
    usage: plain(step.usage),
    messages: plain(step.response.messages),
    response: plain({ id: step.response.id, modelId: step.response.modelId }),
  }
}

/** Ids of calls and responses go on counting from one turn of a script to the next. */
function withoutIds(value: unknown): unknown {
  const text = JSON.stringify(value)
  return text === undefined
    ? undefined
    : JSON.parse(text.replaceAll(/"(call|response)-\d+"/g, '"id"'))
}

async function collect<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of stream) items.push(item)
  return items
}

type AgentCall = Parameters<Kernel['generate']>[0]

type ChatOptions = Partial<Omit<Parameters<typeof createAgentUIStreamResponse>[0], 'agent'>>

function respond(kernel: Kernel, uiMessages: UIMessage[], more: object = {}) {
  return createAgentUIStreamResponse({
    agent: kernel as never,
    uiMessages,
    options: {} as never,
    ...(more as ChatOptions),
  })
}

/** One round of a chat client: it sends its messages, and keeps what comes back. */
async function chat(kernel: Kernel, uiMessages: UIMessage[], more: object = {}) {
  const chunks = await chunksOf(await respond(kernel, uiMessages, more))
  const last = uiMessages.at(-1)
  const continued = last?.role === 'assistant' ? last : undefined
  const stream = new ReadableStream<UIMessageChunk>({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  let answer: UIMessage | undefined
  const reading = readUIMessageStream({ stream, ...(continued && { message: continued }) })
  for await (const message of reading) answer = message
  const kept = continued ? uiMessages.slice(0, -1) : uiMessages
  return answer ? [...kept, answer] : kept
}

async function chunksOf(response: Response): Promise<UIMessageChunk[]> {
  expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
  if (response.body === null) return []
  const events = parseJsonEventStream({ stream: response.body, schema: uiMessageChunkSchema })
  const chunks: UIMessageChunk[] = []
  for await (const event of events as AsyncIterable<{ success: boolean; value: UIMessageChunk }>) {
    expect(event).toMatchObject({ success: true })
    chunks.push(event.value)
  }
  return chunks
}

function question(id: string, text: string): UIMessage {
  return { id, role: 'user', parts: [{ type: 'text', text }] }
}
