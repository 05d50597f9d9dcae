import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { APICallError, type ModelMessage, modelMessageSchema, type ToolSet, tool } from 'ai'
import { convertArrayToReadableStream } from 'ai/test'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { KernelError } from './errors.ts'
import type { TurnEvent } from './events.ts'
import { createKernel, type Kernel } from './kernel.ts'
import { type ScriptedStep, scriptedModel } from './testing/scripted-model.ts'
import type { TurnResult } from './turn-state.ts'

const tools = {
  read: tool({
    inputSchema: z.object({ id: z.string() }),
    execute: async ({ id }) => ({ id, seats: 2 }),
  }),
  cancel: tool({
    inputSchema: z.object({ id: z.string() }),
    execute: async ({ id }) => `cancelled ${id}`,
  }),
  slow: tool({
    inputSchema: z.object({}),
    execute: async (_input, { abortSignal }) =>
      await new Promise<string>((resolve, reject) => {
        const timer = setTimeout(() => resolve('at last'), 20)
        abortSignal?.addEventListener('abort', () => {
          clearTimeout(timer)
          reject(abortSignal.reason)
        })
      }),
  }),
}

const readThenCancel: ScriptedStep[] = [
  { text: 'Let me look.', toolCalls: [{ name: 'read', input: { id: 'A1' } }] },
  {
    reasoning: 'It is there.',
    toolCalls: [
      { name: 'cancel', input: { id: 'A1' } },
      { name: 'slow', input: {} },
    ],
  },
  { text: 'A1 is cancelled, and so is the hotel.' },
]

describe('a turn', () => {
  it('runs model and tools until the model answers without calls', async () => {
    const model = scriptedModel(readThenCancel)
    const result = await createKernel({ model, tools }).run({ query: 'Cancel A1' })

    model.assertDone()
    expect(result.text).toBe('A1 is cancelled, and so is the hotel.')
    expect(result.finishReason).toBe('stop')
    expect(result.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(result.usage.totalTokens).toBe(45)
    expect(result.steps.map((step) => step.usage.totalTokens)).toEqual([15, 15, 15])
  })

  it('sends the model the whole untouched transcript at every step', async () => {
    const model = scriptedModel(readThenCancel)
    const result = await createKernel({ model, tools }).run({ query: 'Cancel A1' })
    expect(model.received.map((call) => call.prompt.map((message) => message.role))).toEqual([
      ['user'],
      ['user', 'assistant', 'tool'],
      ['user', 'assistant', 'tool', 'assistant', 'tool'],
    ])
    expect(result.added).toEqual(result.messages)
  })

  it('is the fold of its own event stream, blocking and streaming alike', async () => {
    const run = await createKernel({ model: scriptedModel(readThenCancel), tools }).run({
      query: 'Cancel A1',
      runId: 'r',
    })
    const { events, result } = await collect(
      createKernel({ model: scriptedModel(readThenCancel), tools }),
    )
    expect(events.at(-1)).toEqual({ type: 'turn-end', result })
    expect(result?.messages).toEqual(run.messages)
    expect(result?.text).toBe(run.text)
    expect(result?.usage).toEqual(run.usage)
  })

  it('continues from the messages of the last result', async () => {
    const model = scriptedModel([{ text: 'Hello Ana.' }, { text: 'You are Ana.' }])
    const kernel = createKernel({ model })
    const first = await kernel.run({ query: 'I am Ana' })
    const second = await kernel.run({ query: 'Who am I?', history: first.messages })
    expect(second.messages.slice(0, 2)).toEqual(first.messages)
    expect(second.added.map((message) => message.role)).toEqual(['user', 'assistant'])
    expect(model.received[1]?.prompt).toHaveLength(3)
  })

  it('ends at the step limit with every call answered', async () => {
    const model = scriptedModel(
      Array.from({ length: 3 }, () => ({ toolCalls: [{ name: 'read', input: { id: 'x' } }] })),
    )
    const result = await createKernel({ model, tools, limits: { steps: 3 } }).run({ query: 'loop' })
    expect(result.finishReason).toBe('step-limit')
    expect(result.steps).toHaveLength(3)
    expectLoadable(result.messages)
  })

  it('answers the calls of an answer that was cut off, and runs none of them', async () => {
    let ran = 0
    const counting = { ...tools, read: { ...tools.read, execute: async () => (ran += 1) } }
    const model = scriptedModel([
      { toolCalls: [{ name: 'read', input: { id: 'x' } }], finishReason: 'length' },
    ])
    const result = await createKernel({ model, tools: counting }).run({ query: 'q' })
    expect(ran).toBe(0)
    expect(result.finishReason).toBe('length')
    expectLoadable(result.messages)
    expect(JSON.stringify(result.messages.at(-1))).toContain('length')
  })

  it('goes on when the provider only paused', async () => {
    const model = scriptedModel([
      { text: 'searching', rawFinishReason: 'pause_turn' },
      { text: 'found' },
    ])
    const result = await createKernel({ model }).run({ query: 'q' })
    expect(result.text).toBe('found')
    model.assertDone()
  })

  it('leaves calls of tools without execute to the caller, and says so', async () => {
    const ask = tool({ inputSchema: z.object({ question: z.string() }) })
    const model = scriptedModel([
      { toolCalls: [{ name: 'ask', input: { question: 'Which?' } }] },
      { text: 'Thank you.' },
    ])
    const kernel = createKernel({ model, tools: { ask: ask as ToolSet[string] } })
    const first = await kernel.run({ query: 'q' })
    expect(first.finishReason).toBe('tool-calls')
    expect(first.pendingCalls).toEqual([
      { toolCallId: 'call-1', toolName: 'ask', input: { question: 'Which?' } },
    ])
    const answer: ModelMessage = {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'call-1',
          toolName: 'ask',
          output: { type: 'text', value: 'That one' },
        },
      ],
    }
    const next = await kernel.generate({ messages: [...first.messages, answer], options: {} })
    expect(next.text).toBe('Thank you.')
  })

  it.each(['run', 'stream'] as const)(
    'waits when a provider asks for leave to run a tool of its own (%s)',
    async (entry) => {
      const question: (LanguageModelV4Content & LanguageModelV4StreamPart)[] = [
        {
          type: 'tool-call',
          toolCallId: 'c1',
          toolName: 'mcp_pay',
          input: '{}',
          providerExecuted: true,
          dynamic: true,
        },
        { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' },
      ]
      const asking = scriptedModel([{ toolCalls: [{ name: 'x' }] }, { text: 'Paid.' }])
      const model: typeof asking = {
        ...asking,
        doGenerate: async (sent) => {
          const answer = await asking.doGenerate(sent)
          return asking.received.length === 1 ? { ...answer, content: question } : answer
        },
        doStream: async (sent) => {
          const { stream } = await asking.doStream(sent)
          if (asking.received.length > 1) return { stream }
          const parts: LanguageModelV4StreamPart[] = [...question, await lastOf(stream)]
          return { stream: convertArrayToReadableStream(parts) }
        },
      }
      const kernel = createKernel({ model })
      const first = await finish(kernel, entry)
      expect(first.steps).toHaveLength(1)
      expect(first.messages.at(-1)).toMatchObject({
        content: [
          { type: 'tool-call', toolCallId: 'c1', providerExecuted: true },
          { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' },
        ],
      })
      const leave: ModelMessage = {
        role: 'tool',
        content: [
          {
            type: 'tool-approval-response',
            approvalId: 'a1',
            approved: true,
            providerExecuted: true,
          },
        ],
      }
      const next = await kernel.generate({ messages: [...first.messages, leave], options: {} })
      expect(next.text).toBe('Paid.')
      expect(JSON.stringify(asking.received[1]?.prompt)).toContain('tool-approval-response')
    },
  )

  it('gives an empty answer when the model does, and stores no empty message', async () => {
    const result = await createKernel({ model: scriptedModel([{}]) }).run({ query: 'q' })
    expect(result.text).toBe('')
    expect(result.messages).toHaveLength(1)
  })
})

describe('a turn that fails', () => {
  const failing = (error: unknown, errorAfter?: number): ScriptedStep[] => [
    { toolCalls: [{ name: 'read', input: { id: 'A1' } }] },
    { text: 'half an answer', error, ...(errorAfter !== undefined && { errorAfter }) },
  ]
  const down = new APICallError({
    message: 'the provider is down',
    url: 'http://provider',
    requestBodyValues: {},
    isRetryable: false,
  })

  it.each([
    ['before the stream', undefined],
    ['amid the stream', 5],
  ])('keeps what it had when the provider fails %s', async (_when, errorAfter) => {
    const model = scriptedModel(failing(down, errorAfter), { deltaChars: 4 })
    const { events, error } = await collect(createKernel({ model, tools }))
    expect(error).toMatchObject({ code: 'KERNEL_MODEL_FAILED', cause: down })
    const last = events.at(-1)
    expect(last).toMatchObject({ type: 'turn-error', error })
    const messages = messagesOf(last)
    expect(error?.details['messages']).toEqual(messages)
    expectLoadable(messages)
    expect(JSON.stringify(messages)).toContain('seats')
    if (errorAfter) expect(JSON.stringify(messages)).toContain('half')
  })

  it('rejects a blocking run with the same error', async () => {
    const run = createKernel({ model: scriptedModel(failing(down)), tools }).run({ query: 'q' })
    await expect(run).rejects.toMatchObject({ name: 'KernelError', code: 'KERNEL_MODEL_FAILED' })
  })

  it.each(['run', 'stream'] as const)(
    'does not hang on a model that never answers and never listens (%s)',
    async (entry) => {
      const deaf = { ...scriptedModel([]), doGenerate: never, doStream: never }
      const kernel = createKernel({ model: deaf, limits: { modelTimeoutMs: 15 } })
      await expect(finish(kernel, entry)).rejects.toMatchObject({ code: 'KERNEL_MODEL_TIMED_OUT' })
    },
  )

  it('does not hang on a stream that stalls', async () => {
    const stalls = {
      ...scriptedModel([]),
      doStream: async () => ({
        stream: new ReadableStream({
          start: (controller) => {
            controller.enqueue({ type: 'text-start', id: '0' })
            controller.enqueue({ type: 'text-delta', id: '0', delta: 'hel' })
          },
        }),
      }),
    }
    const kernel = createKernel({ model: stalls, limits: { modelTimeoutMs: 15 } })
    const { events, error } = await collect(kernel)
    expect(error?.code).toBe('KERNEL_MODEL_TIMED_OUT')
    expect(JSON.stringify(events.at(-1))).toContain('hel')
  })

  it.each([
    [1, 'the prompt is assembled', ['user']],
    [2, 'a tool was called', ['user', 'assistant', 'tool']],
    [4, 'the model has answered', ['user', ...twice(['assistant', 'tool']), 'assistant']],
    [5, 'the answer is final', ['user', ...twice(['assistant', 'tool']), 'assistant']],
  ])('keeps what it had when its listener throws at change %i, as %s', async (at, _when, roles) => {
    // As a turn of another kernel would have failed: neither its code nor its messages are ours.
    const thrown = new KernelError('KERNEL_TURN_ABORTED', 'elsewhere', {
      details: { messages: [] },
    })
    let changes = 0
    const onStatePatch = () => {
      changes += 1
      if (changes === at) throw thrown
    }
    const model = scriptedModel(readThenCancel)
    const { events, error } = await collect(createKernel({ model, tools, onStatePatch }))
    expect(error).toMatchObject({ code: 'KERNEL_TURN_FAILED' })
    expect(error?.message).toContain('onStatePatch failed: elsewhere')
    expect(error?.cause).toBe(thrown)
    const messages = messagesOf(events.at(-1))
    expect(events.at(-1)).toEqual({ type: 'turn-error', runId: 'r', error, messages })
    expect(error?.details['messages']).toEqual(messages)
    expect(messages.map(({ role }) => role)).toEqual(roles)
    expect(changes).toBe(at)
    await expectContinues(messages)
  })

  it.each<[string, () => unknown]>([
    ['throws', raise],
    ['never settles', never],
    ['gives no output of the SDK', () => ({ type: 'bogus' })],
    ['gives a value of the wrong kind', () => ({ type: 'text', value: 5 })],
  ])(
    'loses only the result of a provider when the toModelOutput for it %s',
    async (_what, write) => {
      const search = tool({
        inputSchema: z.object({}),
        outputSchema: z.object({ hits: z.number() }),
        toModelOutput: write as never,
      })
      const searched = { toolCallId: 's1', toolName: 'search', providerExecuted: true }
      const said: LanguageModelV4StreamPart[] = [
        { type: 'tool-call', ...searched, input: '{}' },
        { type: 'tool-result', ...searched, result: { hits: 2 } },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'read', input: '{"id":"A1"}' },
      ]
      const playing = scriptedModel([{ toolCalls: [{ name: 'read' }] }, { text: 'done' }])
      const model: typeof playing = {
        ...playing,
        doStream: async (sent) => {
          const { stream } = await playing.doStream(sent)
          if (playing.received.length > 1) return { stream }
          return { stream: convertArrayToReadableStream([...said, await lastOf(stream)]) }
        },
      }
      const { result } = await collect(
        createKernel({
          model,
          tools: { ...tools, search } as ToolSet,
          limits: { toolTimeoutMs: 20 },
        }),
      )
      expect(result?.text).toBe('done')
      expect(JSON.stringify(result?.messages[1])).toContain('search failed: ')
      await expectContinues(result?.messages ?? [])
    },
  )

  it.each<[string, unknown]>([
    ['text', 'stop'],
    ['an empty object', {}],
    ['nothing', undefined],
  ])(
    'ends when a provider gives %s as its finish reason, whatever the limit',
    async (_what, bad) => {
      const playing = scriptedModel([{ text: 'well' }, { text: 'never asked for' }])
      const model: typeof playing = {
        ...playing,
        doGenerate: async (sent) => {
          const answer = await playing.doGenerate(sent)
          return { ...answer, finishReason: bad as typeof answer.finishReason }
        },
      }
      const run = createKernel({ model }).run({ query: 'q' })
      await run.then(
        ({ finishReason }) => expect(finishReason).toBe('other'),
        (error) => expect(error).toMatchObject({ code: 'KERNEL_MODEL_FAILED' }),
      )
      expect(playing.received).toHaveLength(1)
    },
  )

  it('ends at once when the consumer leaves while the model is silent', async () => {
    let told: unknown
    const silent = {
      ...scriptedModel([]),
      doStream: async ({ abortSignal }: { abortSignal?: AbortSignal }) =>
        await new Promise<never>(() => {
          abortSignal?.addEventListener('abort', () => {
            told = abortSignal.reason
          })
        }),
    }
    const kernel = createKernel({ model: silent })
    const aborts: unknown[] = []
    kernel.observe('turn-abort', (event) => {
      aborts.push(event.type)
    })
    const stream = kernel.stream({ query: 'q' })
    await stream.next()
    await stream.next()
    await stream.next()
    const waiting = stream.next()
    await new Promise((resolve) => setTimeout(resolve, 5))
    await stream.return(undefined as never)
    await waiting
    expect(told).toMatchObject({ code: 'KERNEL_TURN_ABORTED' })
    expect(aborts).toEqual(['turn-abort'])
  })

  it('does not mistake a slow consumer for a silent model', async () => {
    const model = scriptedModel([{ text: 'unhurried' }], { deltaChars: 3 })
    const stream = createKernel({ model, limits: { modelTimeoutMs: 10 } }).stream({ query: 'q' })
    let next = await stream.next()
    while (!next.done) {
      if (next.value.type === 'text-delta') await new Promise((done) => setTimeout(done, 15))
      next = await stream.next()
    }
    expect(next.value.text).toBe('unhurried')
  })

  it('ends when it takes longer than its limit', async () => {
    const deaf = { ...scriptedModel([]), doGenerate: never }
    const run = createKernel({ model: deaf, limits: { turnTimeoutMs: 15 } }).run({ query: 'q' })
    await expect(run).rejects.toMatchObject({ code: 'KERNEL_TURN_TIMED_OUT' })
  })

  it('begins nothing when its signal has fired already', async () => {
    const model = scriptedModel([{ text: 'never' }])
    const signal = AbortSignal.abort(new Error('too late'))
    const run = createKernel({ model }).run({ query: 'q', signal })
    await expect(run).rejects.toMatchObject({
      code: 'KERNEL_TURN_ABORTED',
      cause: new Error('too late'),
    })
    expect(model.received).toHaveLength(0)
  })
})

describe('a turn aborted at any moment', async () => {
  const model = () => scriptedModel(readThenCancel, { deltaChars: 6 })
  const whole = await collect(createKernel({ model: model(), tools }))

  it('has enough moments to be worth the test', () => {
    expect(whole.events.length).toBeGreaterThan(25)
  })

  it.each(whole.events.map((event, index) => [index, event.type] as const))(
    'leaves a loadable transcript when its signal fires at event %i (%s)',
    async (index, type) => {
      const controller = new AbortController()
      const { events, error } = await collect(createKernel({ model: model(), tools }), {
        signal: controller.signal,
        onEvent: (_event, at) => at === index && controller.abort(new Error('stop')),
      })
      if (type === 'turn-end') return expect(error).toBeUndefined()
      expect(error).toMatchObject({ code: 'KERNEL_TURN_ABORTED' })
      const last = events.at(-1)
      expect(last).toMatchObject({ type: 'turn-abort', reason: new Error('stop') })
      expect(events.filter(isTerminal)).toHaveLength(1)
      await expectContinues(messagesOf(last))
    },
  )

  it.each(whole.events.map((event, index) => [index, event.type] as const))(
    'tells observers, and leaves a loadable transcript, when the consumer leaves at event %i (%s)',
    async (index, type) => {
      const kernel = createKernel({ model: model(), tools })
      const aborts: ModelMessage[][] = []
      kernel.observe('turn-abort', ({ messages }) => {
        aborts.push([...messages])
      })
      let at = 0
      for await (const _event of kernel.stream({ query: 'Cancel A1' })) {
        if (at === index) break
        at += 1
      }
      if (type === 'turn-end') return expect(aborts).toEqual([])
      expect(aborts).toHaveLength(1)
      await expectContinues(aborts[0] ?? [])
    },
  )

  it('keeps results that were in and marks those that were not', async () => {
    const controller = new AbortController()
    const { events } = await collect(createKernel({ model: model(), tools }), {
      signal: controller.signal,
      onEvent: (event) =>
        event.type === 'tool-result' && event.toolName === 'cancel' && controller.abort(),
    })
    const text = JSON.stringify(events.at(-1))
    expect(text).toContain('cancelled A1')
    expect(text).toContain('whether it took effect is not known')
  })
})

describe('a restored history', () => {
  it('is answered where a crash left calls open, whatever was lost', async () => {
    const { messages } = await createKernel({ model: scriptedModel(readThenCancel), tools }).run({
      query: 'Cancel A1',
    })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: messages.length }), async (kept) => {
        await expectContinues(messages.slice(0, kept))
      }),
      { numRuns: messages.length * 2 },
    )
  })
})

async function collect(
  kernel: Kernel,
  options: {
    signal?: AbortSignal
    onEvent?: (event: TurnEvent, index: number) => unknown
  } = {},
) {
  const events: TurnEvent[] = []
  const { signal, onEvent } = options
  const stream = kernel.stream({ query: 'Cancel A1', runId: 'r', ...(signal && { signal }) })
  try {
    let next = await stream.next()
    while (!next.done) {
      events.push(next.value)
      onEvent?.(next.value, events.length - 1)
      next = await stream.next()
    }
    return { events, result: next.value as TurnResult, error: undefined }
  } catch (error) {
    expect(error).toBeInstanceOf(KernelError)
    return { events, result: undefined, error: error as KernelError }
  }
}

async function finish(kernel: Kernel, entry: 'run' | 'stream') {
  if (entry === 'run') return await kernel.run({ query: 'q' })
  const stream = kernel.stream({ query: 'q' })
  let next = await stream.next()
  while (!next.done) next = await stream.next()
  return next.value
}

/** Valid for the SDK, every call answered, and accepted by a further turn. */
async function expectContinues(history: readonly ModelMessage[]) {
  const model = scriptedModel([{ text: 'on we go' }])
  const result = await createKernel({ model, tools }).run({ query: 'And now?', history })
  expectLoadable(result.messages)
  expect(result.text).toBe('on we go')
}

function expectLoadable(messages: readonly ModelMessage[]) {
  const open = new Set<string>()
  for (const message of messages) {
    expect(modelMessageSchema.safeParse(message).success).toBe(true)
    if (message.role !== 'tool') expect([...open]).toEqual([])
    if (typeof message.content === 'string') continue
    for (const part of message.content) {
      if (part.type === 'tool-call') open.add(part.toolCallId)
      if (part.type === 'tool-result') expect(open.delete(part.toolCallId)).toBe(true)
    }
  }
  expect([...open]).toEqual([])
}

function twice<Item>(items: readonly Item[]): Item[] {
  return [...items, ...items]
}

async function lastOf<Item>(stream: AsyncIterable<Item>): Promise<Item> {
  let last: Item | undefined
  for await (const item of stream) last = item
  if (last === undefined) throw new Error('the stream is empty')
  return last
}

function messagesOf(event: TurnEvent | undefined): readonly ModelMessage[] {
  if (event?.type === 'turn-abort' || event?.type === 'turn-error') return event.messages
  throw new Error(`${event?.type} carries no messages`)
}

function isTerminal({ type }: TurnEvent) {
  return type === 'turn-end' || type === 'turn-abort' || type === 'turn-error'
}

function never(): Promise<never> {
  return new Promise(() => {})
}

function raise(): never {
  throw new Error('no words for it')
}
