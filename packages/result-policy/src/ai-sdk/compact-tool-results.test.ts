import { createAnthropic } from '@ai-sdk/anthropic'
import {
  generateText,
  isStepCount,
  jsonSchema,
  type ModelMessage,
  streamText,
  ToolLoopAgent,
  tool,
  wrapLanguageModel,
} from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import type { SavingsReport } from '../conversation.ts'
import { createInMemoryLedger } from '../in-memory-ledger.ts'
import { createResultPolicy } from '../result-policy.ts'
import { place, words } from '../testing-fixtures/tool-runs.ts'
import { compactToolResults } from './compact-tool-results.ts'
import { recallTool, recallTools } from './recall-tool.ts'
import { aiSdkTranscript } from './transcript.ts'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

type Content = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>['content']

/** A model that makes one call after another, then answers. */
function callingModel(calls: { toolName: string; input: object }[]) {
  let at = 0
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const call = calls[at]
      at += 1
      const content: Content = call
        ? [
            {
              type: 'tool-call',
              toolCallId: `c${at}`,
              toolName: call.toolName,
              input: JSON.stringify(call.input),
            },
          ]
        : [{ type: 'text', text: 'Done.' }]
      const unified = call ? 'tool-calls' : 'stop'
      return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] }
    },
  })
}

const inputSchema = jsonSchema<{ size: number }>({
  type: 'object',
  properties: { size: { type: 'number' } },
})
const search = tool({ inputSchema, execute: async ({ size }) => ({ id: size, note: words(size) }) })
const searches = [6000, 500, 20_000, 1500, 9000].map((size) => ({
  toolName: 'search',
  input: { size },
}))
const stopWhen = isStepCount(20)

function startPolicy() {
  const ledger = createInMemoryLedger()
  const policy = createResultPolicy({}, { transcript: aiSdkTranscript, ledger })
  return { ledger, policy }
}

/** What a model was sent, call by call. */
function promptsOf(model: MockLanguageModelV4): string[] {
  return model.doGenerateCalls.map(({ prompt }) => JSON.stringify(prompt))
}

describe('prepareStep', () => {
  it('sends stubs, keeps the answer of the run whole, and never builds on a stub', async () => {
    const { policy } = startPolicy()
    const reports: SavingsReport[] = []
    const onReport = (report: SavingsReport) => void reports.push(report)
    const { prepareStep } = compactToolResults(policy, { ...place, onReport })
    const model = callingModel(searches)
    const { responseMessages } = await generateText({
      model,
      tools: { search },
      prompt: 'go',
      stopWhen,
      prepareStep,
    })
    const prompts = promptsOf(model)
    expect(prompts).toHaveLength(6)
    expect(prompts.at(-1)?.match(/Stub written by the host/g)).toHaveLength(4)
    expect(JSON.stringify(responseMessages)).not.toContain('Stub written')
    expect(reports.at(-1)?.plainChars).toBeGreaterThan(37_000)
    // The same call of a process that starts again on the stored history.
    const stored: ModelMessage[] = [
      { role: 'user', content: 'go' },
      ...responseMessages.slice(0, -1),
    ]
    const restarted = compactToolResults(policy, place)
    const again = await restarted.prepareStep({ messages: structuredClone(stored) })
    const plainly = callingModel([])
    await generateText({ model: plainly, tools: { search }, messages: again.messages })
    expect(promptsOf(plainly)).toEqual(prompts.slice(-1))
  })

  it('does not mind a listener that throws', async () => {
    const { policy } = startPolicy()
    const onReport = () => {
      throw new Error('down')
    }
    const { prepareStep } = compactToolResults(policy, { ...place, onReport })
    expect(await prepareStep({ messages: [{ role: 'user', content: 'go' }] })).toEqual({
      messages: [{ role: 'user', content: 'go' }],
    })
  })

  it('rewrites an old prefix when the host says that the cache has expired', async () => {
    const ledger = createInMemoryLedger()
    const settings = { largeOffloadThresholdChars: 1_000_000 }
    const policy = createResultPolicy(settings, { transcript: aiSdkTranscript, ledger })
    const throwing = () => {
      throw new Error('down')
    }
    const later = () => Promise.resolve(true) as never
    const ask = async (hasCacheExpired: () => boolean) => {
      const { prepareStep } = compactToolResults(policy, { ...place, hasCacheExpired })
      const output = { type: 'text', value: words(4000) } as const
      const call = { toolCallId: 'c', toolName: 'search' }
      const { messages } = await prepareStep({
        messages: [
          { role: 'assistant', content: [{ type: 'tool-call', ...call, input: {} }] },
          { role: 'tool', content: [{ type: 'tool-result', ...call, output }] },
          { role: 'assistant', content: 'Done.' },
          { role: 'user', content: 'And now?' },
        ],
      })
      return JSON.stringify(messages).includes('Stub written')
    }
    expect([await ask(() => false), await ask(() => true)]).toEqual([false, true])
    // It is not known then, and the run goes on.
    expect([await ask(throwing), await ask(later)]).toEqual([false, false])
  })

  it('fits ToolLoopAgent and streamText', async () => {
    const { policy } = startPolicy()
    const model = callingModel(searches.slice(0, 1))
    const { prepareStep } = compactToolResults(policy, place)
    const agent = new ToolLoopAgent({ model, tools: { search }, prepareStep })
    await agent.generate({ prompt: 'go' })
    expect(promptsOf(model).at(-1)).toContain('Stub written')
    expect(() => streamText({ model, prompt: 'go', prepareStep, onError: () => {} })).not.toThrow()
  })
})

describe('the middleware', () => {
  it('sends the very bytes that prepareStep sends', async () => {
    const sentBy = async (way: 'prepareStep' | 'middleware') => {
      const { policy } = startPolicy()
      const { prepareStep, middleware } = compactToolResults(policy, place)
      const model = callingModel(searches)
      await generateText({
        tools: { search },
        prompt: 'go',
        instructions: 'Be brief.',
        stopWhen,
        ...(way === 'prepareStep'
          ? { model, prepareStep }
          : { model: wrapLanguageModel({ model, middleware }) }),
      })
      return promptsOf(model)
    }
    const prompts = await sentBy('middleware')
    expect(prompts.at(-1)).toContain('Stub written')
    expect(prompts).toEqual(await sentBy('prepareStep'))
  })

  it('sends the same bytes when a call is tried again', async () => {
    const { policy } = startPolicy()
    const { middleware } = compactToolResults(policy, place)
    const prompts: string[] = []
    const calls = callingModel(searches.slice(0, 2))
    const flaky = new MockLanguageModelV4({
      doGenerate: async (options) => {
        prompts.push(JSON.stringify(options.prompt))
        if (prompts.length % 2 === 1) throw Object.assign(new Error('busy'), { name: 'busy' })
        return calls.doGenerate(options)
      },
    })
    const model = wrapLanguageModel({ model: flaky, middleware })
    const history: ModelMessage[] = [{ role: 'user', content: 'go' }]
    for (let step = 0; step < 3; step += 1) {
      const ask = () => generateText({ model, tools: { search }, messages: history, maxRetries: 0 })
      await expect(ask()).rejects.toThrow('busy')
      history.push(...(await ask()).responseMessages)
    }
    expect(prompts).toHaveLength(6)
    expect(prompts[2]).toBe(prompts[3])
    expect(prompts[4]).toBe(prompts[5])
    expect(prompts[5]).toContain('Stub written')
  })
})

describe('on the wire of a provider', () => {
  it('a stubbed error is an error, and a cache marker stays where it was', async () => {
    const { policy } = startPolicy()
    const { prepareStep } = compactToolResults(policy, place)
    const bodies: string[] = []
    const fetch = async (_: unknown, init?: { body?: unknown }) => {
      bodies.push(String(init?.body))
      const content = [{ type: 'text', text: 'Done.' }]
      const answer = { id: 'm', type: 'message', role: 'assistant', model: 'x', content }
      const tokens = { input_tokens: 1, output_tokens: 1 }
      return Response.json({
        ...answer,
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: tokens,
      })
    }
    const model = createAnthropic({ apiKey: 'none', fetch })('claude-sonnet-4-5')
    const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const
    const messages: ModelMessage[] = [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'toolu_1', toolName: 'search', input: {} }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'toolu_1',
            toolName: 'search',
            output: { type: 'error-text', value: words(9000) },
            providerOptions,
          },
        ],
      },
    ]
    await generateText({ model, messages, tools: { search }, prepareStep })
    expect(JSON.parse(bodies[0] ?? '').messages[2].content).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 'toolu_1',
        content: expect.stringMatching(/^\[Stub written by the host in place of an error/),
        is_error: true,
        cache_control: { type: 'ephemeral' },
      },
    ])
  })
})

describe('a tool that the provider runs', () => {
  it('keeps its results, which the provider wants back as they were', async () => {
    const { policy } = startPolicy()
    const { prepareStep } = compactToolResults(policy, place)
    const call = { toolCallId: 'srv_1', toolName: 'web_search' }
    const output = { type: 'json', value: { encrypted: words(50_000) } } as const
    const messages: ModelMessage[] = [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', ...call, input: {}, providerExecuted: true },
          { type: 'tool-result', ...call, output },
        ],
      },
    ]
    expect((await prepareStep({ messages })).messages[1]).toBe(messages[1])
  })
})

describe('the recall tool', () => {
  it('lets a model read what was replaced, in the same run', async () => {
    const { policy, ledger } = startPolicy()
    const { prepareStep } = compactToolResults(policy, place)
    let asked = 0
    const model = new MockLanguageModelV4({
      doGenerate: async ({ prompt }) => {
        asked += 1
        const id = / id (r_[0-9a-f]{22})\. /.exec(JSON.stringify(prompt))?.[1]
        const input = JSON.stringify(asked === 1 ? { size: 9000 } : { id, pointer: '/id' })
        const toolName = asked === 1 ? 'search' : 'recall_tool_result'
        const content: Content =
          asked < 3
            ? [{ type: 'tool-call', toolCallId: `c${asked}`, toolName, input }]
            : [{ type: 'text', text: 'Done.' }]
        const unified = asked < 3 ? 'tool-calls' : 'stop'
        return { content, finishReason: { unified, raw: undefined }, usage, warnings: [] }
      },
    })
    const tools = { search, recall_tool_result: recallTool(ledger, place) }
    const { responseMessages } = await generateText({
      model,
      tools,
      prompt: 'go',
      stopWhen,
      prepareStep,
    })
    expect(responseMessages[3]?.content).toMatchObject([
      { output: { type: 'text', value: '9000' } },
    ])
  })

  it('comes with the policy, and not without it', () => {
    const { policy } = startPolicy()
    expect(Object.keys(recallTools(policy, place))).toEqual(['recall_tool_result'])
    const off = createResultPolicy(
      { enabled: false },
      { transcript: aiSdkTranscript, ledger: policy.ledger },
    )
    expect(recallTools(off, place)).toEqual({})
  })

  it('does not wait for a ledger longer than it is given', async () => {
    const ledger = { fetch: () => new Promise<never>(() => {}) }
    const settings = { enabled: true, recallMaxChars: 4000 }
    const about = { toolCallId: 'c', messages: [], context: {} }
    const alone = recallTool(ledger, { ...place, ledgerTimeoutMs: 20 })
    const { recall_tool_result: ofPolicy } = recallTools(
      { ledger, settings, ledgerTimeoutMs: 20 },
      place,
    )
    for (const recall of [alone, ofPolicy]) {
      expect(await recall?.execute?.({ id: 'r_1' }, about)).toMatch(/could not be looked up/)
    }
  })

  it('costs a model less than 350 characters to know', async () => {
    const { policy } = startPolicy()
    const model = callingModel([])
    await generateText({ model, prompt: 'go', tools: recallTools(policy, place) })
    const [definition] = model.doGenerateCalls[0]?.tools ?? []
    expect(JSON.stringify(definition).length).toBeLessThan(350)
  })

  it('answers another tenant as it answers a guess', async () => {
    const { policy, ledger } = startPolicy()
    const ids: (string | undefined)[] = []
    const onReport = ({ decided }: SavingsReport) => void ids.push(...decided.map(({ id }) => id))
    const { prepareStep } = compactToolResults(policy, { ...place, onReport })
    const model = callingModel(searches.slice(0, 1))
    await generateText({ model, tools: { search }, prompt: 'go', stopWhen, prepareStep })
    const about = { toolCallId: 'c', messages: [], context: {} }
    const ask = (id: string, scopeKey: string) =>
      recallTool(ledger, { ...place, scopeKey }).execute?.({ id }, about)
    const [id = ''] = ids
    expect(await ask(id, place.scopeKey)).toContain('lorem ipsum')
    expect(await ask(id, 'tenant-b')).toMatch(/^No result has this id\./)
    expect(await ask(id, 'tenant-b')).toBe(await ask('r_ffffffffffffffffffffff', place.scopeKey))
  })
})
