import { type TextStreamPart, ToolLoopAgent, type ToolSet, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Capability } from './capability.ts'
import type { TurnEvent } from './events.ts'
import { createKernel } from './kernel.ts'
import { type ScriptedStep, scriptedModel } from './testing/scripted-model.ts'
import { emptyPrompt } from './testing-fixtures/turn-view.ts'
import { stepPerformance, toTextStreamParts } from './text-stream-parts.ts'
import type { StepRecord, TurnResult } from './turn-state.ts'
import { noUsage } from './usage.ts'

const usage = { ...noUsage, inputTokens: 10, outputTokens: 5, totalTokens: 15 }
const record: StepRecord = {
  step: 1,
  content: [],
  messages: [],
  refusals: [],
  forcedTool: undefined,
  cache: undefined,
  modelMs: 50,
  toolsMs: 20,
  finishReason: 'tool-calls',
  rawFinishReason: 'tool_use',
  usage,
  warnings: [],
  providerMetadata: { p: { n: 1 } },
  response: { id: 'r-1', modelId: 'm', timestamp: new Date(5) },
}
const result: TurnResult = {
  text: 'done',
  runId: 'run-1',
  sessionId: undefined,
  finishReason: 'stop',
  messages: [],
  added: [],
  steps: [record],
  refusals: [],
  pendingCalls: [],
  usage,
  prompt: emptyPrompt,
  cache: undefined,
}

describe('an event as a part of the AI SDK', () => {
  it.each<[string, TurnEvent, object[]]>([
    [
      'the start of a turn',
      { type: 'turn-start', runId: 'r', sessionId: 's', scope: undefined, query: 'hi' },
      [{ type: 'start' }],
    ],
    ['a prompt', { type: 'prompt-assembled', report: emptyPrompt }, []],
    ['context', { type: 'context-hydrated', query: 'q', chars: 0, sources: [] }, []],
    [
      'the start of a step',
      { type: 'step-start', step: 1, forcedTool: 'look' },
      [{ type: 'start-step', request: {}, warnings: [] }],
    ],
    ['a forced tool that was ignored', { type: 'forced-tool-ignored', step: 1, toolName: 'x' }, []],
    [
      'a refusal, which is the tool’s error to the model',
      {
        type: 'tool-refused',
        step: 1,
        toolCallId: 'call-1',
        toolName: 'pay',
        input: { amount: 5 },
        capability: 'rules',
        message: 'Read the invoice first.',
        details: { missing: ['read'] },
      },
      [
        {
          type: 'tool-error',
          toolCallId: 'call-1',
          toolName: 'pay',
          input: { amount: 5 },
          error: 'Read the invoice first.',
          dynamic: true,
        },
      ],
    ],
    [
      'the end of a step',
      { type: 'step-end', record },
      [
        {
          type: 'finish-step',
          finishReason: 'tool-calls',
          rawFinishReason: 'tool_use',
          usage,
          providerMetadata: { p: { n: 1 } },
          response: { id: 'r-1', modelId: 'm', timestamp: new Date(5) },
          performance: stepPerformance(record),
        },
      ],
    ],
    [
      'the end of a step whose provider said little',
      {
        type: 'step-end',
        record: {
          ...record,
          response: { id: undefined, modelId: undefined, timestamp: undefined },
        },
      },
      [
        expect.objectContaining({
          type: 'finish-step',
          response: { id: '', modelId: '', timestamp: new Date(0) },
        }),
      ],
    ],
    [
      'the end of a turn',
      { type: 'turn-end', result },
      [{ type: 'finish', finishReason: 'stop', rawFinishReason: 'tool_use', totalUsage: usage }],
    ],
    [
      'the end at the step limit, for which the SDK has no word',
      { type: 'turn-end', result: { ...result, finishReason: 'step-limit' } },
      [
        {
          type: 'finish',
          finishReason: 'other',
          rawFinishReason: 'step-limit',
          totalUsage: usage,
        },
      ],
    ],
    [
      'an abort',
      { type: 'turn-abort', runId: 'r', reason: new Error('the user left'), messages: [] },
      [{ type: 'abort', reason: 'Error: the user left' }],
    ],
    [
      'a failure',
      { type: 'turn-error', runId: 'r', error: record, messages: [] },
      [{ type: 'error', error: record }],
    ],
  ])('is what fits: %s', async (_what, event, expected) => {
    expect(await partsOf([event])).toEqual(expected)
  })

  it.each<TurnEvent>([
    { type: 'text-delta', id: '0', text: 'hi', providerMetadata: { p: { n: 1 } } },
    { type: 'reasoning-start', id: '0' },
    { type: 'tool-input-delta', id: 'call-1', delta: '{' },
    { type: 'tool-call', toolCallId: 'c', toolName: 't', input: {}, dynamic: true },
    {
      type: 'tool-result',
      toolCallId: 'c',
      toolName: 't',
      input: {},
      output: 1,
      dynamic: true,
      preliminary: true,
    },
    { type: 'source', sourceType: 'url', id: 's', url: 'https://example.test' },
    { type: 'raw', rawValue: { any: 'thing' } },
  ])('is the same object when it is one already: $type', async (event) => {
    const [part, ...more] = await partsOf([event])
    expect(part).toBe(event)
    expect(more).toEqual([])
  })

  it('comes as soon as its event does', async () => {
    const second = Promise.withResolvers<void>()
    const parts = toTextStreamParts(
      (async function* (): AsyncGenerator<TurnEvent> {
        yield { type: 'text-delta', id: '0', text: 'a' }
        await second.promise
        yield { type: 'text-delta', id: '0', text: 'b' }
      })(),
    )
    expect((await parts.next()).value).toMatchObject({ text: 'a' })
    second.resolve()
    expect((await parts.next()).value).toMatchObject({ text: 'b' })
    expect((await parts.next()).done).toBe(true)
  })

  it('closes the turn when its reader leaves', async () => {
    let closed = false
    const parts = toTextStreamParts(
      (async function* (): AsyncGenerator<TurnEvent> {
        try {
          while (true) yield { type: 'text-delta', id: '0', text: 'a' }
        } finally {
          closed = true
        }
      })(),
    )
    for await (const _ of parts) break
    expect(closed).toBe(true)
  })
})

describe('a whole turn as parts', () => {
  const look = tool({ inputSchema: z.object({ id: z.string() }), execute: async ({ id }) => id })
  const slow = tool({
    inputSchema: z.object({}),
    execute: async function* () {
      yield 'half'
      yield 'whole'
    },
  })
  const broken = tool({
    inputSchema: z.object({}),
    execute: async (): Promise<string> => {
      throw new Error('down')
    },
  })
  const tools = { look, slow, broken }

  it.each<[string, ScriptedStep[]]>([
    ['text', [{ text: 'a longer answer than one delta holds' }]],
    ['nothing', [{}]],
    ['reasoning', [{ reasoning: 'hm', text: 'hello' }]],
    [
      'a tool',
      [{ text: 'let me see', toolCalls: [{ name: 'look', input: { id: 'x' } }] }, { text: 'x' }],
    ],
    ['a tool in several values', [{ toolCalls: [{ name: 'slow' }] }, { text: 'done' }]],
    ['a tool that fails', [{ toolCalls: [{ name: 'broken' }] }, { text: 'sorry' }]],
    ['an unknown tool', [{ toolCalls: [{ name: 'fly' }] }, { text: 'sorry' }]],
    ['invalid input', [{ toolCalls: [{ name: 'look', input: '{"id":' }] }, { text: 'sorry' }]],
    [
      'three steps',
      [
        { toolCalls: [{ name: 'look', input: { id: 'x' } }] },
        { reasoning: 'more', toolCalls: [{ name: 'slow' }] },
        { text: 'done' },
      ],
    ],
    ['an answer that was cut off', [{ text: 'half', finishReason: 'length' }]],
  ])('has the SDK’s own order of them: %s', async (_what, script) => {
    const kernel = createKernel({ model: scriptedModel(script), tools })
    const agent = new ToolLoopAgent({ model: scriptedModel(script), tools })
    const theirs: TextStreamPart<ToolSet>[] = []
    for await (const part of (await agent.stream({ prompt: 'go' })).stream) {
      theirs.push(part as TextStreamPart<ToolSet>)
    }
    const ours = await partsOf(kernel.stream({ query: 'go' }))
    expect(ours.map(outline)).toEqual(theirs.map(outline))
  })

  it('has one start, one finish, and a step for each call of the model, with a gate as well', async () => {
    const gate: Capability = {
      name: 'rules',
      gate: () => () => ({ allowed: false, message: 'no' }),
    }
    const script = [{ toolCalls: [{ name: 'look', input: { id: 'x' } }] }, { text: 'ok' }]
    const kernel = createKernel({ model: scriptedModel(script), tools, capabilities: [gate] })
    const types = (await partsOf(kernel.stream({ query: 'go' }))).map(({ type }) => type)
    expect(types.filter((type) => /^(start|finish)/.test(type))).toEqual([
      'start',
      'start-step',
      'finish-step',
      'start-step',
      'finish-step',
      'finish',
    ])
    expect(types).toContain('tool-error')
  })
})

describe('the figures of a step', () => {
  it.each<[string, Parameters<typeof stepPerformance>[0], number, number]>([
    ['tokens a second', { modelMs: 50, toolsMs: 20, usage }, 100, 300],
    ['unknown tokens', { modelMs: 50, toolsMs: 20, usage: noUsage }, 0, 0],
    ['no time at all', { modelMs: 0, toolsMs: 0, usage }, 0, 0],
  ])('are finite numbers: %s', (_what, measured, output, total) => {
    expect(stepPerformance(measured)).toMatchObject({
      stepTimeMs: measured.modelMs + measured.toolsMs,
      responseTimeMs: measured.modelMs,
      effectiveOutputTokensPerSecond: output,
      effectiveTotalTokensPerSecond: total,
    })
  })
})

async function partsOf(events: Iterable<TurnEvent> | AsyncIterable<TurnEvent>) {
  const parts: TextStreamPart<ToolSet>[] = []
  for await (const part of toTextStreamParts(inOrder(events))) parts.push(part)
  return parts
}

async function* inOrder(events: Iterable<TurnEvent> | AsyncIterable<TurnEvent>) {
  yield* events
}

/** What of a part must be the same, whoever streams: neither ids of calls nor times. */
function outline(part: TextStreamPart<ToolSet>) {
  const { type } = part
  switch (type) {
    case 'text-delta':
    case 'reasoning-delta':
      return { type, text: part.text }
    case 'tool-call':
      return { type, toolName: part.toolName, input: part.input, dynamic: part.dynamic === true }
    case 'tool-result':
      return { type, output: part.output, preliminary: part.preliminary === true }
    case 'tool-error':
      return { type, toolName: part.toolName, error: messageOf(part.error) }
    case 'finish-step':
      return { type, finishReason: part.finishReason, usage: { ...part.usage, raw: undefined } }
    case 'finish':
      return {
        type,
        finishReason: part.finishReason,
        usage: { ...part.totalUsage, raw: undefined },
      }
    default:
      return { type }
  }
}

/** The SDK gives some errors as text that begins with their name. */
function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error).replace(/^AI_\w+: /, '')
}
