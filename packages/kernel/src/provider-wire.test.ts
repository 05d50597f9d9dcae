import { type ModelMessage, tool } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { CacheOptions } from './cache/cache-settings.ts'
import type { Capability, PromptLayer } from './capability.ts'
import { createKernel } from './kernel.ts'
import {
  type AnthropicAnswer,
  type Body,
  recordedAnthropic,
  recordedOpenAICompatible,
} from './testing-fixtures/recorded-wire.ts'

// What a turn comes to on the wire: the request bodies that providers of the AI SDK write of it.

const answers = {
  text: { content: [{ type: 'text', text: 'ok' }], stop_reason: 'end_turn' },
  pay: {
    content: [
      { type: 'text', text: 'Paying.' },
      { type: 'tool_use', id: 'toolu_1', name: 'pay', input: { amount: 5 } },
    ],
    stop_reason: 'tool_use',
  },
}
const pay = tool({
  description: 'Pays.',
  inputSchema: z.object({ amount: z.number() }),
  execute: async () => 'paid',
})
const desk: Capability = {
  name: 'desk',
  sections: (['L2', 'L1'] satisfies PromptLayer[]).map((layer) => ({
    name: layer,
    layer,
    render: () => `${layer} of the desk`,
  })),
  gate: () => () => ({ allowed: false, message: 'Read the invoice first.' }),
}

describe('through the Anthropic provider', () => {
  const marked = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } }
  const layers = ['You are a clerk.', 'L1 of the desk', 'L2 of the desk']

  it.each<['5m' | '1h' | false, unknown]>([
    ['5m', { type: 'ephemeral' }],
    ['1h', { type: 'ephemeral', ttl: '1h' }],
    [false, undefined],
  ])(
    'the layers are blocks of their own, and L0 and L1 are cached for %s',
    async (cacheTtl, marker) => {
      const { kernel, bodies } = anthropicKernel([answers.text], { cache: { ttl: cacheTtl } })
      await kernel.run({ query: 'hello' })
      const [first, second, third] = layers
      expect(bodies[0]?.['system']).toEqual([
        { type: 'text', text: first, ...(marker !== undefined && { cache_control: marker }) },
        { type: 'text', text: second, ...(marker !== undefined && { cache_control: marker }) },
        { type: 'text', text: third },
      ])
    },
  )

  it.each<[string, (text: string) => ModelMessage]>([
    ['messages', (content) => ({ role: 'user', content, ...marked })],
    [
      'parts',
      (content) => ({ role: 'user', content: [{ type: 'text', text: content, ...marked }] }),
    ],
  ])(
    'five marked %s of the caller do not cost the layers or the newest a marker',
    async (_what, mark) => {
      const history = ['one', 'two', 'three', 'four', 'five'].flatMap((content): ModelMessage[] => [
        mark(content),
        { role: 'assistant', content: 'yes' },
      ])
      const { kernel, bodies } = anthropicKernel([answers.text])
      const { steps } = await kernel.run({ query: 'hello', history })
      const [body] = bodies
      expect(markedTexts(body)).toEqual(['You are a clerk.', 'L1 of the desk', 'four', 'five'])
      expect(steps[0]?.warnings).toEqual([])
      expect(JSON.stringify(body?.['messages'])).toContain('three')
    },
  )

  it('a marked tool comes after the messages when markers run short', async () => {
    const history = ['one', 'two'].flatMap((content): ModelMessage[] => [
      { role: 'user', content, ...marked },
      { role: 'assistant', content: 'yes' },
    ])
    vi.stubGlobal('AI_SDK_LOG_WARNINGS', false)
    const { kernel, bodies } = anthropicKernel([answers.text], {
      tools: { pay: { ...pay, ...marked } },
    })
    await kernel.run({ query: 'hello', history })
    expect(markedTexts(bodies[0])).toEqual(['You are a clerk.', 'L1 of the desk', 'one', 'two'])
  })

  it('a refusal reads as an error', async () => {
    const { kernel, bodies } = anthropicKernel([answers.pay, answers.text])
    const result = await kernel.run({ query: 'pay' })
    expect(result).toMatchObject({ text: 'ok', finishReason: 'stop' })
    expect(bodies[1]?.['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'pay' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Paying.' },
          expect.objectContaining({ type: 'tool_use', id: 'toolu_1', input: { amount: 5 } }),
        ],
      },
      {
        role: 'user',
        content: [
          expect.objectContaining({
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            content: 'Read the invoice first.',
            is_error: true,
          }),
        ],
      },
    ])
    expect(bodies[1]?.['system']).toEqual(bodies[0]?.['system'])
    expect(bodies[1]?.['tools']).toEqual(bodies[0]?.['tools'])
  })

  it('what was cached is counted', async () => {
    const { kernel } = anthropicKernel([answers.text])
    expect((await kernel.run({ query: 'hello' })).usage).toMatchObject({
      inputTokens: 161,
      inputTokenDetails: { noCacheTokens: 11, cacheReadTokens: 50, cacheWriteTokens: 100 },
      outputTokens: 3,
    })
  })

  it('a streamed turn sends the same, gives the same and can be continued', async () => {
    const { kernel, bodies } = anthropicKernel([answers.text, answers.text, answers.text])
    const blocking = await kernel.run({ query: 'hello' })
    const streaming = kernel.stream({ query: 'hello' })
    let next = await streaming.next()
    while (!next.done) next = await streaming.next()
    const [first, second] = bodies
    expect(second?.['stream']).toBe(true)
    expect(second).toMatchObject({ system: first?.['system'], messages: first?.['messages'] })
    const { text: answer, finishReason } = blocking
    expect(next.value).toMatchObject({ text: answer, finishReason })
    expect(next.value.usage).toEqual(blocking.usage)

    await kernel.run({ query: 'go on', history: next.value.messages })
    expect(bodies[2]?.['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'ok' }] },
      { role: 'user', content: [{ type: 'text', text: 'go on' }] },
    ])
  })
})

describe('through an OpenAI-compatible provider', () => {
  it('the layers are system messages in order, and a refusal is the tool’s answer', async () => {
    const { model, bodies } = recordedOpenAICompatible([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'pay', arguments: '{"amount":5}' },
          },
        ],
      },
      { role: 'assistant', content: 'ok' },
    ])
    const kernel = createKernel({
      model,
      instructions: 'You are a clerk.',
      tools: { pay },
      capabilities: [desk],
      settings: { providerOptions: { openaiCompatible: { user: 'acme' } } },
    })
    const result = await kernel.run({ query: 'pay' })
    expect(result).toMatchObject({ text: 'ok', refusals: [{ toolName: 'pay' }] })
    expect(result.usage).toMatchObject({
      inputTokens: 20,
      inputTokenDetails: { cacheReadTokens: 8 },
      outputTokens: 4,
    })
    expect(bodies).toHaveLength(2)
    expect(bodies[0]).toMatchObject({ model: 'small', user: 'acme' })
    expect(bodies[1]?.['messages']).toEqual([
      { role: 'system', content: 'You are a clerk.' },
      { role: 'system', content: 'L1 of the desk' },
      { role: 'system', content: 'L2 of the desk' },
      { role: 'user', content: 'pay' },
      expect.objectContaining({
        role: 'assistant',
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'pay', arguments: '{"amount":5}' },
          },
        ],
      }),
      { role: 'tool', tool_call_id: 'call_1', content: 'Read the invoice first.' },
    ])
    expect(JSON.stringify(bodies)).not.toMatch(/cache_?control/i)
  })
})

function anthropicKernel(
  script: readonly AnthropicAnswer[],
  options: { cache?: CacheOptions; tools?: { pay: typeof pay } } = {},
) {
  const { model, bodies } = recordedAnthropic(script)
  const kernel = createKernel({
    model,
    instructions: 'You are a clerk.',
    tools: { pay },
    capabilities: [desk],
    ...options,
  })
  return { kernel, bodies }
}

/** The texts and tools of a request that carry a cache marker, in the order of the body. */
function markedTexts(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { cache_control: marker, text: words, name } = value as Body
  const inner = Object.values(value).flatMap(markedTexts)
  return marker === undefined ? inner : [...inner, String(words ?? name)]
}
