import type {
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import { generateText, type ModelMessage, modelMessageSchema, type ToolSet, tool } from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createCancellation } from './cancellation.ts'
import type { ModelCaller, ModelPart } from './model-caller.ts'
import { writeProviderResults } from './provider-results.ts'
import { generateCaller, streamCaller } from './sdk-model-caller.ts'
import {
  createStepContent,
  resultParts,
  type StepContent,
  toAssistantMessage,
  toResultPart,
  toResultsMessage,
} from './step-content.ts'
import { errorOutput } from './tool-output.ts'
import { createToolRegistry } from './tools.ts'
import { answerEveryCall } from './transcript.ts'

const signature: SharedV4ProviderMetadata = { anthropic: { signature: 'c2lnbmVk' } }
const tools: ToolSet = {
  look: tool({ inputSchema: z.object({ id: z.string() }), outputSchema: z.string() }),
  any: tool({ inputSchema: z.any(), outputSchema: z.string() }),
  web: tool({
    inputSchema: z.any(),
    outputSchema: z.any(),
    toModelOutput: ({ output }) => ({ type: 'text', value: `web: ${JSON.stringify(output)}` }),
  }),
}
const registry = createToolRegistry(tools, [])

type Shape = [string, LanguageModelV4Content[]]

const shapes: Shape[] = [
  ['nothing', []],
  ['empty text', [text('')]],
  ['empty text with something of the provider’s', [text('', signature)]],
  ['text', [text('hello')]],
  ['texts', [text('a'), text(''), text('b')]],
  ['text with citations', [text('a', { anthropic: { citations: [{ index: 1 }] } })]],
  ['reasoning', [reasoning('hm'), text('hello')]],
  ['signed reasoning', [reasoning('hm', signature), text('hello')]],
  ['redacted reasoning', [reasoning('', { anthropic: { redactedData: 'xx' } }), text('hello')]],
  ['empty reasoning', [reasoning('')]],
  ['a call', [call('1', 'look', '{"id":"x"}')]],
  ['a call with its signature', [call('1', 'look', '{"id":"x"}', signature)]],
  ['calls', [text('let me see'), call('1', 'look', '{"id":"x"}'), call('2', 'any', '[1]')]],
  ['a call without arguments', [call('1', 'any', '')]],
  ['a call with a text as input', [call('1', 'any', '"x"')]],
  ['a call with null as input', [call('1', 'any', 'null')]],
  ['a call the schema refuses', [call('1', 'look', '{"id":1}')]],
  ['a refused list', [call('1', 'look', '[1,2]')]],
  ['a refused null', [call('1', 'look', 'null')]],
  ['input that is no JSON', [call('1', 'look', '{"id": ')]],
  ['an unknown tool', [call('1', 'fly', '{"to":"moon"}')]],
  ['a tool every object has', [call('1', 'constructor', '{}')]],
  ['good and bad calls', [call('1', 'look', '{'), call('2', 'look', '{"id":"x"}')]],
  ['a search of the provider’s', [theirs('1', 'web'), found('1', 'web', { hits: 2 }), text('two')]],
  ['a text it found', [theirs('1', 'web'), found('1', 'web', 'plain')]],
  ['an unknown search', [theirs('1', 'scan'), found('1', 'scan', { hits: 2 })]],
  ['a search that failed', [theirs('1', 'web'), found('1', 'web', { code: 4 }, true)]],
  ['a search still under way', [text('wait'), theirs('1', 'web')]],
  ['a file', [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } }]],
  [
    'bytes with something of the provider’s',
    [
      {
        type: 'file',
        mediaType: 'image/png',
        data: { type: 'data', data: new Uint8Array([1, 2]) },
        providerMetadata: signature,
      },
    ],
  ],
  [
    'a file of reasoning',
    [{ type: 'reasoning-file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } }],
  ],
  ['a source', [text('see'), source('1'), text('there')]],
  ['only sources', [source('1'), source('2')]],
  [
    'something of the provider’s own',
    [{ type: 'custom', kind: 'openai.compaction', providerMetadata: signature }],
  ],
]

describe.each<[string, ModelCaller]>([
  ['a blocking call', generateCaller],
  ['a streaming call', streamCaller],
])('the message of %s', (_which, caller) => {
  it.each(shapes)('is the AI SDK’s own for %s', async (_what, content) => {
    await expectSameMessages(caller, content)
  })

  it('is the AI SDK’s own for any sequence of parts', async () => {
    await fc.assert(
      fc.asyncProperty(answers, (content) => expectSameMessages(caller, content)),
      { numRuns: 60 },
    )
  })

  it.each(shapes)('is one that can be stored and restored: %s', async (_what, content) => {
    const message = toAssistantMessage(await stepOf(caller, content))
    if (message === undefined) return expect(sentBySdk(content)).resolves.toEqual([])
    expect(modelMessageSchema.parse(message)).toEqual(defined(message))
    expect(JSON.parse(JSON.stringify(message))).toEqual(defined(message))
  })
})

describe('a step cut short anywhere', () => {
  it('can be turned into messages that a turn takes as history', async () => {
    await fc.assert(
      fc.asyncProperty(answers, fc.nat(60), async (content, cut) => {
        const parts = await collect(streamCaller, content)
        const step = createStepContent()
        for (const part of parts.slice(0, cut)) step.add(part)
        const messages = [
          toAssistantMessage(step),
          toResultsMessage(step, 'The turn ended.'),
        ].filter((message) => message !== undefined)
        for (const message of messages) {
          expect(modelMessageSchema.safeParse(message).success).toBe(true)
        }
        expect(answerEveryCall(messages)).toBe(messages)
      }),
      { numRuns: 60 },
    )
  })

  it('keeps the text that has arrived', async () => {
    const step = createStepContent()
    step.add({ type: 'text-start', id: '0' })
    step.add({ type: 'text-delta', id: '0', text: 'half a sen' })
    expect(toAssistantMessage(step)).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'half a sen' }],
    })
  })
})

describe('growing texts', () => {
  it.each<[string, ModelPart[], unknown[]]>([
    [
      'are told apart by their ids',
      [
        start('a'),
        start('b'),
        delta('a', '1'),
        delta('b', '2'),
        delta('a', '3'),
        end('b'),
        end('a'),
      ],
      [{ text: '13' }, { text: '2' }],
    ],
    [
      'are told apart by their kind',
      [
        { type: 'reasoning-start', id: 'a' },
        start('a'),
        delta('a', 'said'),
        { type: 'reasoning-delta', id: 'a', text: 'thought' },
      ],
      [
        { type: 'reasoning', text: 'thought' },
        { type: 'text', text: 'said' },
      ],
    ],
    [
      'begin anew when an id comes back',
      [start('a'), delta('a', '1'), end('a'), start('a'), delta('a', '2'), end('a')],
      [{ text: '1' }, { text: '2' }],
    ],
    ['may begin without being announced', [delta('a', '1'), delta('a', '2')], [{ text: '12' }]],
    ['do not mind an end without a beginning', [end('a')], []],
    [
      'keep the last that the provider said of them',
      [
        start('a', { p: { n: 1 } }),
        delta('a', 'x', { p: { n: 2 } }),
        delta('a', 'y'),
        end('a', { p: { n: 3 } }),
      ],
      [{ text: 'xy', providerMetadata: { p: { n: 3 } } }],
    ],
    [
      'keep what the provider said at first when it says no more',
      [start('a', { p: { n: 1 } }), delta('a', 'x'), end('a')],
      [{ text: 'x', providerMetadata: { p: { n: 1 } } }],
    ],
    [
      'keep their place among other parts',
      [
        start('a'),
        { type: 'source', sourceType: 'url', id: 's', url: 'https://example.test' },
        delta('a', 'late'),
      ],
      [{ text: 'late' }, { type: 'source' }],
    ],
    [
      'do not mind ids every object has',
      [start('__proto__'), delta('__proto__', 'x'), delta('constructor', 'y')],
      [{ text: 'x' }, { text: 'y' }],
    ],
  ])('%s', (_what, parts, expected) => {
    const step = createStepContent()
    for (const part of parts) step.add(part)
    expect(step.parts).toHaveLength(expected.length)
    expect(step.parts).toMatchObject(expected)
  })
})

describe('the calls of a step', () => {
  it('are those the kernel answers: not the provider’s, but invalid ones as well', async () => {
    const step = await stepOf(streamCaller, [
      call('1', 'look', '{"id":"x"}'),
      theirs('2', 'web'),
      call('3', 'fly', '{}'),
    ])
    expect(
      step.calls.map(({ call: { toolCallId, invalid = false } }) => [toolCallId, invalid]),
    ).toEqual([
      ['1', false],
      ['3', true],
    ])
    expect(step.parts.map((part) => part.type)).toEqual(['tool-call', 'tool-call', 'tool-call'])
  })

  it('are written down before a tool can change its input', async () => {
    const step = await stepOf(generateCaller, [call('1', 'any', '{"seats":[1]}')])
    for (const { call: given } of step.calls) (given.input as { seats: number[] }).seats.push(2)
    expect(step.calls).toMatchObject([
      { call: { input: { seats: [1, 2] } }, recordedInput: { seats: [1] } },
    ])
    expect(toAssistantMessage(step)).toMatchObject({
      content: [{ input: { seats: [1] } }],
    })
  })

  it('are answered in call order; those without an answer stay open or are explained', async () => {
    const step = await threeCalls()
    const [first, , third] = step.calls
    if (third) third.output = { type: 'text', value: 'third' }
    if (first) first.output = errorOutput('first')
    expect(toResultsMessage(step)).toEqual({
      role: 'tool',
      content: [result('1', errorOutput('first')), result('3', { type: 'text', value: 'third' })],
    })
    expect(toResultsMessage(step, 'why')).toMatchObject({
      content: [{}, result('2', errorOutput('why')), {}],
    })
  })

  it('make no message when there are none, or none is answered', async () => {
    expect(toResultsMessage(createStepContent(), 'why')).toBeUndefined()
    expect(toResultsMessage(await threeCalls())).toBeUndefined()
  })

  it('are shown with their results as the SDK shows them', async () => {
    const step = await threeCalls()
    const outputs = [
      { type: 'json', value: { seats: 2 } },
      errorOutput('no'),
      { type: 'execution-denied', reason: 'denied' },
    ] as const
    for (const [index, output] of outputs.entries()) {
      const open = step.calls[index]
      if (open) open.output = output
    }
    const about = (toolCallId: string) => ({ toolCallId, toolName: 'any', input: {} })
    expect(resultParts(step)).toEqual([
      { type: 'tool-result', ...about('1'), output: { seats: 2 } },
      { type: 'tool-error', ...about('2'), error: 'no' },
      { type: 'tool-error', ...about('3'), error: 'denied' },
    ])
  })

  it('that are dynamic have dynamic results', async () => {
    const step = await stepOf(streamCaller, [call('1', 'fly', '{}')])
    const [open] = step.calls
    if (open) open.output = errorOutput('no such tool')
    expect(resultParts(step)).toMatchObject([{ type: 'tool-error', dynamic: true }])
  })

  it('name their results by themselves', () => {
    const about = { toolCallId: '1', toolName: 'look' }
    const output = errorOutput('no')
    expect(toResultPart({ type: 'tool-call', ...about, input: {}, dynamic: true }, output)).toEqual(
      result('1', output, 'look'),
    )
  })
})

async function expectSameMessages(caller: ModelCaller, content: readonly LanguageModelV4Content[]) {
  const message = toAssistantMessage(await stepOf(caller, content))
  expect(message === undefined ? [] : [message]).toEqual(await sentBySdk(content))
}

/**
 * The assistant's messages as the SDK writes them, without what it answers to invalid calls. One
 * difference is meant: a refused null is sent back as {}, since providers want an object there.
 */
async function sentBySdk(content: readonly LanguageModelV4Content[]): Promise<ModelMessage[]> {
  const { responseMessages } = await generateText({
    model: modelOf(content),
    tools,
    prompt: 'hello',
  })
  return responseMessages.flatMap((message) => {
    if (message.role !== 'assistant' || typeof message.content === 'string') return []
    const parts = message.content.map((part) =>
      part.type === 'tool-call' && part.input === null && part.toolName !== 'any'
        ? { ...part, input: {} }
        : part,
    )
    return [{ ...message, content: parts }]
  })
}

async function stepOf(
  caller: ModelCaller,
  content: readonly LanguageModelV4Content[],
): Promise<StepContent> {
  const step = createStepContent()
  for (const part of await collect(caller, content)) step.add(part)
  await writeProviderResults(step, registry, createCancellation(undefined), 1_000)
  return step
}

async function threeCalls(): Promise<StepContent> {
  return stepOf(
    streamCaller,
    ['1', '2', '3'].map((id) => call(id, 'any', '{}')),
  )
}

async function collect(caller: ModelCaller, content: readonly LanguageModelV4Content[]) {
  const parts: ModelPart[] = []
  const request = {
    model: modelOf(content),
    instructions: [],
    messages: [{ role: 'user' as const, content: 'hello' }],
    tools: registry.offered,
    forcedTool: undefined,
    settings: {},
    signal: new AbortController().signal,
  }
  for await (const part of caller(request)) parts.push(part)
  return parts
}

function modelOf(content: readonly LanguageModelV4Content[]) {
  const finishReason = { unified: 'stop' as const, raw: undefined }
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  return new MockLanguageModelV4({
    doGenerate: async () => ({ content: [...content], finishReason, usage, warnings: [] }),
    doStream: async () => ({
      stream: simulateReadableStream<LanguageModelV4StreamPart>({
        initialDelayInMs: null,
        chunkDelayInMs: null,
        chunks: [
          { type: 'stream-start', warnings: [] },
          ...content.flatMap(streamed),
          { type: 'finish', finishReason, usage },
        ],
      }),
    }),
  })
}

/** A part as a provider would stream it: texts in two deltas, what it says of them at the end. */
function streamed(part: LanguageModelV4Content, index: number): LanguageModelV4StreamPart[] {
  if (part.type !== 'text' && part.type !== 'reasoning') return [part]
  const { type, text: whole, providerMetadata } = part
  const id = String(index)
  const half = Math.floor(whole.length / 2)
  return [
    { type: `${type}-start`, id },
    { type: `${type}-delta`, id, delta: whole.slice(0, half) },
    { type: `${type}-delta`, id, delta: whole.slice(half) },
    { type: `${type}-end`, id, ...(providerMetadata && { providerMetadata }) },
  ]
}

const metadata = fc.option(fc.constant(signature), { nil: undefined })
const input = fc.oneof(
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.constantFrom('', '{', '{"id":"x"}', 'null', '[]'),
)

/** Any answer of a model; ids are unique, as they are within a real one. */
const answers = fc
  .array(
    fc.oneof(
      fc.record({ kind: fc.constant('text' as const), value: fc.string(), metadata }),
      fc.record({ kind: fc.constant('reasoning' as const), value: fc.string(), metadata }),
      fc.record({
        kind: fc.constant('call' as const),
        name: fc.constantFrom('look', 'any', 'fly', 'toString'),
        input,
        metadata,
      }),
      fc.record({
        kind: fc.constant('search' as const),
        name: fc.constantFrom('web', 'scan'),
        found: fc.option(fc.jsonValue(), { nil: undefined }),
        failed: fc.boolean(),
      }),
      fc.record({ kind: fc.constantFrom('file', 'reasoning-file', 'custom', 'source') }),
    ),
    { maxLength: 7 },
  )
  .map((entries) =>
    entries.flatMap((entry, index): LanguageModelV4Content[] => {
      const id = `id-${index}`
      switch (entry.kind) {
        case 'text':
          return [text(entry.value, entry.metadata)]
        case 'reasoning':
          return [reasoning(entry.value, entry.metadata)]
        case 'call':
          return [call(id, entry.name, entry.input, entry.metadata)]
        case 'search': {
          const done =
            entry.found === undefined ? [] : [found(id, entry.name, entry.found, entry.failed)]
          return [theirs(id, entry.name), ...done]
        }
        case 'file':
        case 'reasoning-file': {
          const data = { type: 'data' as const, data: 'AAAA' }
          return [{ type: entry.kind, mediaType: 'image/png', data }]
        }
        case 'custom':
          return [{ type: 'custom', kind: 'openai.compaction', providerMetadata: signature }]
        default:
          return [source(id)]
      }
    }),
  )

function text(value: string, providerMetadata?: SharedV4ProviderMetadata): LanguageModelV4Content {
  return { type: 'text', text: value, ...(providerMetadata && { providerMetadata }) }
}

function reasoning(
  value: string,
  providerMetadata?: SharedV4ProviderMetadata,
): LanguageModelV4Content {
  return { type: 'reasoning', text: value, ...(providerMetadata && { providerMetadata }) }
}

function call(
  toolCallId: string,
  toolName: string,
  argumentsText: string,
  providerMetadata?: SharedV4ProviderMetadata,
): LanguageModelV4Content {
  const about = { type: 'tool-call' as const, toolCallId, toolName, input: argumentsText }
  return { ...about, ...(providerMetadata && { providerMetadata }) }
}

function theirs(toolCallId: string, toolName: string): LanguageModelV4Content {
  const about = { type: 'tool-call' as const, toolCallId, toolName, input: '{"query":"x"}' }
  return { ...about, providerExecuted: true, dynamic: true }
}

function found(
  toolCallId: string,
  toolName: string,
  value: unknown,
  isError = false,
): LanguageModelV4Content {
  const about = { type: 'tool-result' as const, toolCallId, toolName, dynamic: true }
  return { ...about, result: value as never, isError }
}

function source(id: string): LanguageModelV4Content {
  return { type: 'source', sourceType: 'url', id, url: 'https://example.test' }
}

function start(id: string, providerMetadata?: SharedV4ProviderMetadata): ModelPart {
  return { type: 'text-start', id, ...(providerMetadata && { providerMetadata }) }
}

function delta(id: string, value: string, providerMetadata?: SharedV4ProviderMetadata): ModelPart {
  return { type: 'text-delta', id, text: value, ...(providerMetadata && { providerMetadata }) }
}

function end(id: string, providerMetadata?: SharedV4ProviderMetadata): ModelPart {
  return { type: 'text-end', id, ...(providerMetadata && { providerMetadata }) }
}

function result(
  toolCallId: string,
  output: ReturnType<typeof toResultPart>['output'],
  toolName = 'any',
) {
  return { type: 'tool-result', toolCallId, toolName, output }
}

/** Without keys that are undefined, which neither JSON nor the SDK tells from absent ones. */
function defined<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value
}
