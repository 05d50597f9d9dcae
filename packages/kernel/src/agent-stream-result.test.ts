import { getEventListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createAgentUIStreamResponse,
  parseJsonEventStream,
  readUIMessageStream,
  ToolLoopAgent,
  type UIMessage,
  type UIMessageChunk,
  uiMessageChunkSchema,
} from 'ai'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { TurnEvent } from './events.ts'
import { createKernel, type Kernel } from './kernel.ts'
import { scriptedModel } from './testing/scripted-model.ts'
import {
  askCall,
  collect,
  hanging,
  lookCall,
  plain,
  playing,
  refusing,
  resultFields,
  tools,
  watchUnhandled,
} from './testing-fixtures/agent-calls.ts'

beforeEach(() => {
  const stopWatching = watchUnhandled()
  return async () => expect(await stopWatching()).toEqual([])
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
    for (const name of resultFields) {
      expect([name, plain(await ours[name])]).toEqual([name, plain(await theirs[name])])
    }
  })

  it('has the fields of the blocking call', async () => {
    const { kernel } = playing([...script, ...script])
    const blocking = await kernel.generate({ prompt: 'go', options: {} })
    const streaming = await kernel.stream({ prompt: 'go', options: {} })
    for (const name of resultFields) {
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
    const stopWatching = watchUnhandled()
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
    expect(await stopWatching()).toEqual([])
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

/** Ids of calls and responses go on counting from one turn of a script to the next. */
function withoutIds(value: unknown): unknown {
  const text = JSON.stringify(value)
  return text === undefined
    ? undefined
    : JSON.parse(text.replaceAll(/"(call|response)-\d+"/g, '"id"'))
}

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
