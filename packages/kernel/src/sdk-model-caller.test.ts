import { tracingChannel } from 'node:diagnostics_channel'
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import {
  AI_SDK_TELEMETRY_TRACING_CHANNEL,
  APICallError,
  type ModelMessage,
  RetryError,
  ToolChoiceViolationError,
  tool,
} from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createKernel } from './kernel.ts'
import type { ModelCaller, ModelPart, ModelRequest } from './model-caller.ts'
import { generateCaller, streamCaller } from './sdk-model-caller.ts'
import { createStepContent } from './step-content.ts'
import { scriptedModel } from './testing/scripted-model.ts'
import { createToolRegistry } from './tools.ts'

const callers: [string, ModelCaller][] = [
  ['a blocking call', generateCaller],
  ['a streaming call', streamCaller],
]
const look = tool({
  description: 'Looks.',
  inputSchema: z.object({ id: z.string() }),
  execute: async () => 'seen',
})
const { offered } = createToolRegistry({ look, ask: look }, [])

const text: LanguageModelV4Content = { type: 'text', text: 'hello there' }
const lookCall = call('1', 'look', '{"id":"x"}')
const usage = {
  inputTokens: { total: 11, noCache: 5, cacheRead: 4, cacheWrite: 2 },
  outputTokens: { total: 7, text: 4, reasoning: 3 },
  raw: { input_tokens: 11 },
}
const countedUsage = {
  inputTokens: 11,
  inputTokenDetails: { noCacheTokens: 5, cacheReadTokens: 4, cacheWriteTokens: 2 },
  outputTokens: 7,
  outputTokenDetails: { textTokens: 4, reasoningTokens: 3 },
  totalTokens: 18,
  raw: { input_tokens: 11 },
}

describe('both calls give the same', () => {
  it.each<[string, LanguageModelV4Content[]]>([
    ['text', [text]],
    ['no text at all', []],
    ['several texts', [text, { type: 'text', text: '' }, text]],
    [
      'reasoning with its signature',
      [
        {
          type: 'reasoning',
          text: 'hm',
          providerMetadata: { anthropic: { signature: 'c2lnbmVk' } },
        },
        text,
      ],
    ],
    ['several calls', [text, lookCall, call('2', 'ask', '{"id":"y"}')]],
    ['a call with invalid input', [call('1', 'look', '{"id":1}'), call('2', 'look', '{')]],
    ['an unknown tool', [call('1', 'fly', '{}'), call('2', '__proto__', '{}')]],
    [
      'sources',
      [
        text,
        { type: 'source', sourceType: 'url', id: 's', url: 'https://example.test', title: 'T' },
        { type: 'source', sourceType: 'document', id: 'd', mediaType: 'text/plain', title: 'D' },
      ],
    ],
    [
      'files',
      [
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
        {
          type: 'reasoning-file',
          mediaType: 'image/png',
          data: { type: 'data', data: new Uint8Array([1, 2, 3]) },
        },
      ],
    ],
    [
      'what the provider ran itself',
      [
        { ...call('1', 'web', '{"q":1}'), providerExecuted: true, dynamic: true },
        { ...searched('1'), result: { hits: 2 } },
        { ...call('2', 'web', '{"q":2}'), providerExecuted: true, dynamic: true },
        { ...searched('2'), result: 'down', isError: true },
      ],
    ],
    ['something of the provider’s own', [{ type: 'custom', kind: 'openai.compaction' }]],
  ])('%s', async (_what, content) => {
    const [blocking, streaming] = await both({ content })
    expect(shown(streaming)).toEqual(shown(blocking))
    expect(blocking.filter(({ type }) => type === 'error')).toEqual([])
  })

  it('how the call ended and what it used', async () => {
    const finishReason = { unified: 'length' as const, raw: 'max_tokens' }
    const providerMetadata = { anthropic: { usage: { n: 1 } } }
    for (const parts of await both({ content: [text], finishReason, providerMetadata })) {
      expect(parts.at(-1)).toMatchObject({
        type: 'model-call-end',
        finishReason: 'length',
        rawFinishReason: 'max_tokens',
        usage: countedUsage,
        providerMetadata,
      })
    }
  })

  it('which response it was', async () => {
    const response = { id: 'r-1', modelId: 'answering-model', timestamp: new Date(5) }
    for (const parts of await both({ content: [text], response })) {
      expect(parts.find(({ type }) => type === 'model-call-response-metadata')).toEqual({
        type: 'model-call-response-metadata',
        ...response,
      })
    }
  })

  it('the warnings of the provider', async () => {
    vi.stubGlobal('AI_SDK_LOG_WARNINGS', false)
    const warnings = [{ type: 'unsupported' as const, feature: 'seed' }]
    for (const parts of await both({ content: [text], warnings })) {
      expect(parts[0]).toEqual({ type: 'model-call-start', warnings })
    }
  })

  it('a text as start, deltas and end of one id', async () => {
    for (const parts of await both({ content: [text, text] })) {
      const ids = new Map<string, string[]>()
      for (const part of parts) {
        if (!/^text-/.test(part.type) || !('id' in part)) continue
        const types = ids.get(part.id ?? '') ?? []
        if (types.at(-1) !== part.type) types.push(part.type)
        ids.set(part.id ?? '', types)
      }
      const whole = ['text-start', 'text-delta', 'text-end']
      expect([...ids.values()]).toEqual([whole, whole])
    }
  })
})

describe('calls of one id', () => {
  const same = [call('1', 'look', '{"id":"x"}'), call('1', 'look', '{"id":"y"}')]

  it('keep their own input when they are streamed', async () => {
    const parts = await collect(streamCaller, { content: same })
    expect(shown(parts).content).toMatchObject([{ input: { id: 'x' } }, { input: { id: 'y' } }])
  })

  it('are not run with the input of another when they are not', async () => {
    const parts = await collect(generateCaller, { content: same })
    expect(shown(parts).content).toMatchObject([
      { toolCallId: '1', input: { id: 'x' } },
      { toolCallId: '1', toolName: 'look', input: {}, invalid: true, error: expect.any(Error) },
    ])
  })
})

describe.each(callers)('%s asks the model', (_which, caller) => {
  it('with all it was given, and changes none of it', async () => {
    const messages = Object.freeze<ModelMessage[]>([{ role: 'user', content: 'hello' }])
    const { signal } = new AbortController()
    const sent = await sentBy(caller, {
      messages,
      signal,
      instructions: [
        { role: 'system', content: 'L0', providerOptions: { p: { n: 1 } } },
        { role: 'system', content: 'L1' },
      ],
      settings: {
        temperature: 0.5,
        maxOutputTokens: 9,
        seed: 3,
        headers: { 'x-team': 'desk' },
        providerOptions: { p: { n: 2 } },
      },
    })
    expect(sent).toMatchObject({
      temperature: 0.5,
      maxOutputTokens: 9,
      seed: 3,
      headers: { 'x-team': 'desk' },
      providerOptions: { p: { n: 2 } },
      toolChoice: { type: 'auto' },
      prompt: [
        { role: 'system', content: 'L0', providerOptions: { p: { n: 1 } } },
        { role: 'system', content: 'L1' },
        { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      ],
      tools: [
        { type: 'function', name: 'look', description: 'Looks.' },
        { type: 'function', name: 'ask' },
      ],
    })
    expect(sent).not.toHaveProperty('maxRetries')
  })

  it('for the forced tool, with every other tool still in the list', async () => {
    const sent = await sentBy(caller, {
      forcedTool: 'ask',
      content: [call('1', 'ask', '{"id":"x"}')],
    })
    expect(sent?.toolChoice).toEqual({ type: 'tool', toolName: 'ask' })
    expect(sent?.tools?.map(({ name }) => name)).toEqual(['look', 'ask'])
  })

  it('without instructions or tools when there are none', async () => {
    const sent = await sentBy(caller, { instructions: [], tools: {} })
    expect(sent?.prompt.map(({ role }) => role)).toEqual(['user'])
    expect(sent?.tools).toBeUndefined()
  })

  it('and runs no tool itself', async () => {
    const execute = vi.fn(async () => 'ran')
    const registry = createToolRegistry({ look: { ...look, execute } }, [])
    await collect(caller, { content: [lookCall], tools: registry.offered })
    expect(execute).not.toHaveBeenCalled()
  })
})

describe.each(callers)('%s that fails', (_which, caller) => {
  it('is tried again until it succeeds', async () => {
    const { parts, attempts } = failing(caller, [busy(), busy()])
    expect(textOf(await parts)).toBe('hello there')
    expect(attempts()).toBe(3)
  })

  it('is tried three times, and all errors are told', async () => {
    const { parts, attempts } = failing(caller, [busy(), busy(), busy(), busy()])
    const error = await parts.catch((reason: unknown) => reason)
    expect(RetryError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ reason: 'maxRetriesExceeded', errors: [busy(), busy(), busy()] })
    expect(attempts()).toBe(3)
  })

  it.each<[number, number, boolean]>([
    [0, 1, false],
    [1, 2, true],
  ])('is retried %i times when that is set', async (maxRetries, expected, wrapped) => {
    const { parts, attempts } = failing(caller, [busy(), busy(), busy()], { maxRetries })
    const error = await parts.catch((reason: unknown) => reason)
    expect(attempts()).toBe(expected)
    expect(RetryError.isInstance(error)).toBe(wrapped)
  })

  it.each<[string, unknown]>([
    ['an error of the provider that is final', busy({ isRetryable: false })],
    ['an error of ours', new TypeError('broken')],
    ['something that is no error', 'broken'],
  ])('is not tried again for %s', async (_what, error) => {
    const { parts, attempts } = failing(caller, [error])
    await expect(parts).rejects.toBe(error)
    expect(attempts()).toBe(1)
  })

  it('is not tried again once a later failure is final', async () => {
    const { parts, attempts } = failing(caller, [busy(), busy({ isRetryable: false })])
    await expect(parts).rejects.toMatchObject({ reason: 'errorNotRetryable' })
    expect(attempts()).toBe(2)
  })

  it('stops waiting for its next attempt when it is aborted', async () => {
    const controller = new AbortController()
    const patient = busy({ responseHeaders: { 'retry-after-ms': '30000' } })
    const { parts, attempts } = failing(caller, [patient], { signal: controller.signal })
    const outcome = parts.catch((reason: unknown) => reason)
    await vi.waitFor(() => expect(attempts()).toBe(1), 30_000)
    controller.abort()
    expect(await outcome).toMatchObject({ name: 'AbortError' })
    expect(attempts()).toBe(1)
  })

  it('is not tried again when it was aborted', async () => {
    const error = new DOMException('stopped', 'AbortError')
    const { parts, attempts } = failing(caller, [error])
    await expect(parts).rejects.toBe(error)
    expect(attempts()).toBe(1)
  })
})

describe.each(callers)('the wait before %s is repeated', (_which, caller) => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it.each<[string, Record<string, string> | undefined, number]>([
    ['is two seconds', undefined, 2000],
    ['is two seconds without a word', {}, 2000],
    ['is what is asked for in milliseconds', { 'retry-after-ms': '300' }, 300],
    ['is what is asked for in seconds', { 'retry-after': '3' }, 3000],
    ['prefers milliseconds', { 'retry-after-ms': '300', 'retry-after': '3' }, 300],
    ['may be nothing', { 'retry-after-ms': '0' }, 0],
    ['lasts to the date that is asked for', { 'retry-after': new Date(5000).toUTCString() }, 5000],
    ['ignores a date that has passed', { 'retry-after': new Date(-9000).toUTCString() }, 2000],
    ['ignores more than a minute', { 'retry-after': '3600' }, 2000],
    ['ignores less than nothing', { 'retry-after-ms': '-5' }, 2000],
    ['ignores nonsense', { 'retry-after': 'soon' }, 2000],
  ])('%s', async (_what, responseHeaders, expected) => {
    vi.useFakeTimers({ now: 0 })
    const { parts, attemptTimes } = failing(caller, [busy({ responseHeaders })])
    await vi.runAllTimersAsync()
    await parts
    expect(attemptTimes()).toEqual([0, expected])
  })
})

describe.each(callers)('%s whose forced tool the model ignores', (_which, caller) => {
  it('keeps what was said and what it cost, and says last what is missing', async () => {
    const response = { id: 'r-1', modelId: 'answering-model', timestamp: new Date(5) }
    const content = [{ type: 'reasoning' as const, text: 'hm' }, text]
    // One of them says that the model cannot be forced.
    vi.stubGlobal('AI_SDK_LOG_WARNINGS', false)
    const warnings = [{ type: 'unsupported' as const, feature: 'toolChoice' }]
    const parts = await collect(caller, { forcedTool: 'look', content, response, warnings })
    const [end, error] = parts.slice(-2)
    expect(parts[0]).toEqual({ type: 'model-call-start', warnings })
    expect(end).toMatchObject({ type: 'model-call-end', usage: countedUsage })
    expect(error).toMatchObject({ type: 'error', error: { finishReason: 'stop' } })
    expect(error?.type === 'error' && ToolChoiceViolationError.isInstance(error.error)).toBe(true)
    expect(parts.filter(({ type }) => type === 'error')).toHaveLength(1)
    expect(shown(parts).content).toMatchObject([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'hello there' },
    ])
    expect(parts).toContainEqual(
      expect.objectContaining({
        type: 'model-call-response-metadata',
        id: 'r-1',
        modelId: 'answering-model',
      }),
    )
  })

  it('keeps the call of another tool', async () => {
    const parts = await collect(caller, { forcedTool: 'ask', content: [lookCall] })
    expect(shown(parts).content).toMatchObject([{ type: 'tool-call', toolName: 'look' }])
    expect(parts.at(-1)?.type).toBe('error')
  })

  it('is content with an invalid call of it', async () => {
    const parts = await collect(caller, { forcedTool: 'look', content: [call('1', 'look', '{')] })
    expect(parts.at(-1)?.type).toBe('model-call-end')
    expect(shown(parts).content).toMatchObject([{ toolName: 'look', invalid: true }])
  })
})

describe('a stream', () => {
  const beginning: LanguageModelV4StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'half' },
  ]

  it('that breaks in the middle says so behind what has come, and is not tried again', async () => {
    const error = busy()
    const doStream = vi.fn(async () => ({
      stream: streamOf([...beginning, { type: 'error', error }]),
    }))
    const model = new MockLanguageModelV4({ doStream })
    const parts = await collect(streamCaller, { model })
    expect(textOf(parts)).toBe('half')
    expect(parts.at(-1)).toMatchObject({ type: 'error' })
    expect(doStream).toHaveBeenCalledTimes(1)
  })

  it('that tears throws behind what has come', async () => {
    let pulls = 0
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      pull: (controller) => {
        const part = beginning[pulls]
        pulls += 1
        if (part) controller.enqueue(part)
        else controller.error(new Error('connection reset'))
      },
    })
    const parts: ModelPart[] = []
    const model = new MockLanguageModelV4({ doStream: async () => ({ stream }) })
    const reading = (async () => {
      for await (const part of streamCaller(request({ model }))) parts.push(part)
    })()
    await expect(reading).rejects.toThrow('connection reset')
  })

  it('that just ends has no end part', async () => {
    const model = new MockLanguageModelV4({
      doStream: async () => ({ stream: streamOf(beginning) }),
    })
    const parts = await collect(streamCaller, { model })
    expect(parts.map(({ type }) => type)).not.toContain('model-call-end')
    expect(textOf(parts)).toBe('half')
  })

  it('lets go of the provider when its reader leaves', async () => {
    const cancel = vi.fn()
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      pull: (controller) => {
        controller.enqueue({ type: 'text-delta', id: '0', delta: 'x' })
      },
      cancel,
    })
    const model = new MockLanguageModelV4({ doStream: async () => ({ stream }) })
    for await (const part of streamCaller(request({ model }))) {
      if (part.type === 'text-delta') break
    }
    await vi.waitFor(() => expect(cancel).toHaveBeenCalledTimes(1), 30_000)
  })

  it('hands on each delta as it comes', async () => {
    const gate = Promise.withResolvers<void>()
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      start: async (controller) => {
        for (const part of beginning) controller.enqueue(part)
        await gate.promise
        controller.close()
      },
    })
    const model = new MockLanguageModelV4({ doStream: async () => ({ stream }) })
    for await (const part of streamCaller(request({ model }))) {
      if (part.type === 'text-delta') gate.resolve()
    }
  })
})

describe('telemetry of the SDK', () => {
  it('is told of blocking calls as soon as somebody listens', async () => {
    const told: unknown[] = []
    const kernel = createKernel({ model: scriptedModel([{ text: 'a' }, { text: 'b' }]) })
    const listener = { start: (message: unknown) => told.push(message) }
    const channel = tracingChannel(AI_SDK_TELEMETRY_TRACING_CHANNEL)
    await kernel.run({ query: 'unheard' })
    expect(told).toEqual([])
    channel.subscribe(listener as never)
    await kernel.run({ query: 'heard' })
    channel.unsubscribe(listener as never)
    expect(told).not.toEqual([])
  })
})

interface Answer {
  readonly content?: readonly LanguageModelV4Content[]
  readonly finishReason?: { unified: 'stop' | 'length' | 'tool-calls'; raw: string | undefined }
  readonly response?: { id: string; modelId: string; timestamp: Date }
  readonly warnings?: { type: 'unsupported'; feature: string }[]
  readonly providerMetadata?: { [provider: string]: { usage: { n: number } } }
}

function request(about: Partial<ModelRequest> & Answer): ModelRequest {
  return {
    model: about.model ?? modelOf(about),
    instructions: about.instructions ?? [],
    messages: about.messages ?? [{ role: 'user', content: 'hello' }],
    tools: about.tools ?? offered,
    forcedTool: about.forcedTool,
    settings: about.settings ?? {},
    signal: about.signal ?? new AbortController().signal,
  }
}

async function collect(caller: ModelCaller, about: Partial<ModelRequest> & Answer) {
  const parts: ModelPart[] = []
  for await (const part of caller(request(about))) parts.push(part)
  return parts
}

async function both(about: Answer): Promise<[blocking: ModelPart[], streaming: ModelPart[]]> {
  return [await collect(generateCaller, about), await collect(streamCaller, about)]
}

/** What a call comes to, however its texts were cut. */
function shown(parts: readonly ModelPart[]) {
  const step = createStepContent()
  for (const part of parts) step.add(part)
  const content = step.parts.map((part) =>
    part.type === 'file' || part.type === 'reasoning-file'
      ? { ...part, file: { data: part.file.base64, mediaType: part.file.mediaType } }
      : part,
  )
  const end = parts.find((part) => part.type === 'model-call-end')
  const { performance: _, ...ending } = end ?? { performance: undefined }
  return { content, calls: step.calls, ending }
}

function textOf(parts: readonly ModelPart[]): string {
  return parts.flatMap((part) => (part.type === 'text-delta' ? [part.text] : [])).join('')
}

async function sentBy(caller: ModelCaller, about: Partial<ModelRequest> & Answer) {
  const model = modelOf(about)
  await collect(caller, { ...about, model })
  return [...model.doGenerateCalls, ...model.doStreamCalls][0]
}

/** A call to a model that fails so often before it answers. */
function failing(
  caller: ModelCaller,
  errors: readonly unknown[],
  about: { readonly maxRetries?: number; readonly signal?: AbortSignal } = {},
) {
  const times: number[] = []
  const attempt =
    <Result>(answer: (options: LanguageModelV4CallOptions) => PromiseLike<Result>) =>
    async (options: LanguageModelV4CallOptions): Promise<Result> => {
      times.push(Date.now())
      if (times.length <= errors.length) throw errors[times.length - 1]
      return answer(options)
    }
  const working = modelOf({ content: [text] })
  const model = new MockLanguageModelV4({
    doGenerate: attempt((options) => working.doGenerate(options)),
    doStream: attempt((options) => working.doStream(options)),
  })
  const { maxRetries, signal } = about
  const parts = collect(caller, {
    model,
    settings: { ...(maxRetries !== undefined && { maxRetries }) },
    ...(signal && { signal }),
  })
  // Handled by the test, perhaps not before it fails.
  parts.catch(() => {})
  return { parts, attempts: () => times.length, attemptTimes: () => times }
}

function busy(
  about: { isRetryable?: boolean; responseHeaders?: Record<string, string> | undefined } = {},
) {
  const { isRetryable = true } = about
  const headers = 'responseHeaders' in about ? about.responseHeaders : { 'retry-after-ms': '1' }
  return new APICallError({
    message: 'busy',
    url: 'https://model.example.test',
    requestBodyValues: {},
    statusCode: isRetryable ? 529 : 400,
    isRetryable,
    ...(headers && { responseHeaders: headers }),
  })
}

function modelOf(answer: Answer) {
  const {
    content = [text],
    finishReason = { unified: 'stop', raw: undefined },
    warnings = [],
    response,
    providerMetadata,
  } = answer
  const end = { finishReason, usage, ...(providerMetadata && { providerMetadata }) }
  return new MockLanguageModelV4({
    doGenerate: async () => ({
      content: [...content],
      warnings,
      ...end,
      ...(response && { response }),
    }),
    doStream: async () => ({
      stream: streamOf([
        { type: 'stream-start', warnings },
        ...(response ? [{ type: 'response-metadata' as const, ...response }] : []),
        ...content.flatMap(streamed),
        { type: 'finish', ...end },
      ]),
    }),
  })
}

function streamed(part: LanguageModelV4Content, index: number): LanguageModelV4StreamPart[] {
  if (part.type !== 'text' && part.type !== 'reasoning') return [part]
  const { type, text: whole, providerMetadata } = part
  const id = String(index)
  return [
    { type: `${type}-start`, id },
    { type: `${type}-delta`, id, delta: whole.slice(0, 3) },
    { type: `${type}-delta`, id, delta: whole.slice(3) },
    { type: `${type}-end`, id, ...(providerMetadata && { providerMetadata }) },
  ]
}

function streamOf(chunks: LanguageModelV4StreamPart[]) {
  return simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null })
}

function call(toolCallId: string, toolName: string, input: string) {
  return { type: 'tool-call' as const, toolCallId, toolName, input }
}

function searched(toolCallId: string) {
  return { type: 'tool-result' as const, toolCallId, toolName: 'web', dynamic: true }
}
