import { createInMemoryLedger, type Ledger } from '@symfonic/result-policy'
import { type ModelMessage, tool } from 'ai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { HistoryRewrittenEvent } from './events.ts'
import { createKernel } from './kernel.ts'
import { type ScriptedStep, scriptedModel } from './testing/scripted-model.ts'
import { type ResultPolicyOptions, resultPlace, withResultPolicy } from './with-result-policy.ts'

const rows = Array.from({ length: 400 }, (_, id) => ({
  id,
  name: `guest ${id}`,
  secret: `s-${id}`,
}))
const tools = { list: tool({ inputSchema: z.object({}), execute: async () => rows }) }
const scope = { tenantId: 'acme' }
const list: ScriptedStep = { toolCalls: [{ name: 'list' }] }

afterEach(() => {
  vi.useRealTimers()
})

describe('a kernel with a result policy', () => {
  it('sends a stub in place of a large result and keeps the transcript verbatim', async () => {
    const { run, sent } = desk([list, { text: 'There are 400.' }])
    const result = await run()
    expect(sent(1)).toMatch(/Stub written by the host in place of a result of \\?"list/)
    expect(sent(1)).not.toContain('guest 399')
    expect(JSON.stringify(result.messages)).toContain('guest 399')
  })

  it('reads the result again when the model asks for it', async () => {
    const { run, sent } = desk([
      list,
      (prompt) => recall(prompt, { search: 'guest 377' }),
      { text: 's-377' },
    ])
    await run()
    expect(sent(2)).toContain('s-377')
  })

  it('tells of each call what is saved', async () => {
    const { run, events } = desk([list, { text: 'ok' }])
    await run()
    expect(events.map(({ step, capability }) => [step, capability])).toEqual([
      [1, 'result-policy'],
      [2, 'result-policy'],
    ])
    const { plainChars, sentChars, replacedResults } = (events[1]?.details ?? {}) as Record<
      string,
      number
    >
    expect(replacedResults).toBe(1)
    expect(sentChars).toBeLessThan((plainChars ?? 0) / 5)
  })

  it('sends the same bytes again in a later turn, also from a kernel that knows nothing of the first', async () => {
    const ledger = createInMemoryLedger()
    const first = desk([list, { text: 'ok' }], { ledger })
    const { messages } = await first.run()
    const stub = first.toolMessages(1)
    const again = desk([{ text: 'ok' }], { ledger })
    await again.run({ history: restored(messages) })
    expect(stub).toHaveLength(1)
    expect(again.toolMessages(0)).toEqual(stub)
  })

  it.each<[string, object]>([
    ['another tenant', { scope: { tenantId: 'globex' } }],
    ['another namespace of the tenant', { scope: { tenantId: 'acme', namespace: 'sales' } }],
    ['nobody', { scope: undefined }],
    ['another session', { sessionId: 's2' }],
  ])('answers %s as it answers an invented id', async (_who, differs) => {
    const ledger = createInMemoryLedger()
    const first = desk([list, { text: 'ok' }], { ledger })
    await first.run()
    const id = /id ([^ .]+)\. /.exec(first.sent(1))?.[1] ?? ''
    expect(id).not.toBe('')
    const answers: string[] = []
    for (const asked of [id, `${id.slice(0, -1)}x`]) {
      const other = desk(
        [{ toolCalls: [{ name: recallName, input: { id: asked } }] }, { text: '' }],
        {
          ledger,
        },
      )
      await other.run(differs)
      answers.push(JSON.stringify(other.toolMessages(1)))
    }
    expect(answers[0]).toMatch(/No result has this id/)
    expect(answers[0]).toBe(answers[1])
  })

  it('sends everything whole while the ledger is down, and says so', async () => {
    const fail = () => Promise.reject(new Error('down'))
    const ledger: Ledger = { record: fail, fetch: fail, count: fail, release: fail } as never
    const { run, sent, warn } = desk([list, { text: 'ok' }], { ledger })
    await run()
    expect(sent(1)).toContain('guest 399')
    expect(warn).toHaveBeenCalled()
  })

  it.each<[NonNullable<ResultPolicyOptions['cache']>, number[], boolean[]]>([
    ['5m', [10, 299], [false, false]],
    ['5m', [10, 300], [false, true]],
    ['5m', [300], [true]],
    ['5m', [200, 200, 200], [false, false, false]],
    ['1h', [10, 3_599], [false, false]],
    ['1h', [10, 3_600], [false, true]],
    ['none', [10, 864_000], [false, false]],
  ])(
    'rewrites what a cache of %s no longer holds; turns %j seconds after the last: %j',
    async (cache, pauses, wanted) => {
      vi.useFakeTimers({ toFake: ['Date'] })
      const script = [list, ...[0, ...pauses].map(() => ({ text: 'ok' }))]
      const { run, events } = desk(script, { cache, minChars: 1_000 }, shortList)
      let { messages } = await run()
      expect(events.flatMap(reasonsOf)).toEqual([])
      const seen: boolean[] = []
      for (const pause of pauses) {
        vi.setSystemTime(Date.now() + pause * 1_000)
        events.length = 0
        ;({ messages } = await run({ history: messages }))
        seen.push(events.flatMap(reasonsOf).includes('cache-cold'))
      }
      expect(seen).toEqual(wanted)
    },
  )

  it('takes the cache for warm in the first call of a kernel that knows nothing of the session', async () => {
    const first = desk([list, { text: 'ok' }], { minChars: 1_000 }, shortList)
    const { messages } = await first.run()
    const again = desk([{ text: 'ok' }], { minChars: 1_000 }, shortList)
    await again.run({ history: restored(messages) })
    expect(again.events.flatMap(reasonsOf)).toEqual([])
    expect(again.sent(0)).toContain('guest 59')
  })

  it.each([300, 2_000])('answers a recall in at most %i characters', async (recallMaxChars) => {
    const script = [list, (prompt: object) => recall(prompt, {}), { text: 'ok' }]
    const { run, toolMessages } = desk(script, { recallMaxChars })
    await run()
    expect(JSON.stringify(toolMessages(2).at(-1))).toMatch(
      new RegExp(`Characters 0 to ${recallMaxChars} of \\d{5}\\.`),
    )
  })

  it('adds nothing when it is switched off', async () => {
    const { run, sent, kernel, events } = desk([list, { text: 'ok' }], { enabled: false })
    await run()
    expect(sent(1)).toContain('guest 399')
    expect([Object.keys(kernel.tools), events]).toEqual([['list'], []])
  })

  it.each<[ResultPolicyOptions, string]>([
    [{ minChars: -1 }, 'RESULT_SETTING_INVALID'],
    [{ conversation: 3 } as never, 'RESULT_SETTING_INVALID'],
    [{ conversations: -5 }, 'RESULT_OPTION_INVALID'],
    [{ conversations: Number.NaN }, 'RESULT_OPTION_INVALID'],
    [{ estimateTokens: 5 as never }, 'RESULT_OPTION_INVALID'],
    [{ ledger: {} as never }, 'RESULT_OPTION_INVALID'],
  ])('refuses what cannot hold: %j', (options, code) => {
    expect(() => withResultPolicy(options)).toThrow(expect.objectContaining({ code }))
  })

  it.each<[string, ResultPolicyOptions, number, string]>([
    ['as the table says for its model', {}, 1, 'usd'],
    ['as the table says for the model that is named', { modelName: 'claude-opus-4-1' }, 5, 'usd'],
    ['for its model, when the name is left open', { modelName: undefined }, 1, 'usd'],
    ['at the prices of the host', { pricing: { priceOf: hostPriceOf } }, 10, 'usd'],
    ['at none', { pricing: { priceOf: () => undefined } }, 1e6 / 3, 'input-tokens'],
    ['by the tokens of the host', { estimateTokens: (text) => text.length / 2 }, 2, 'usd'],
  ])('counts %s', async (_how, options, times, unit) => {
    const costs = []
    for (const chosen of [{}, options]) {
      const { run, events } = desk([list, { text: 'ok' }], chosen)
      await run()
      costs.push(events[1]?.details ?? {})
    }
    expect(costs[1]?.['unit']).toBe(unit)
    expect(Number(costs[1]?.['plainCost']) / Number(costs[0]?.['plainCost'])).toBeCloseTo(times, 0)
  })

  it('counts one session in two kernels as each would alone, at the price of its model', async () => {
    const costs: unknown[] = []
    const shared = withResultPolicy()
    for (const policy of [shared, shared, withResultPolicy(), withResultPolicy()]) {
      const modelId = costs.length % 2 === 0 ? 'claude-opus-4-5' : 'gpt-5'
      const model = scriptedModel([list, { text: 'ok' }], { modelId })
      const kernel = createKernel({ model, tools, capabilities: [policy] })
      kernel.observe('history-rewritten', ({ step, details }) => {
        if (step === 2) costs.push(details['plainCost'])
      })
      await kernel.run({ query: 'List them', scope, sessionId: 's1' })
    }
    const [claude, gpt] = costs.map(Number)
    expect(costs).toEqual([claude, gpt, claude, gpt])
    expect(claude).toBeGreaterThan(Number(gpt) * 2)
  })

  it('lets a host release what a session has left in the ledger', async () => {
    const ledger = createInMemoryLedger()
    await desk([list, { text: 'ok' }], { ledger }).run()
    const place = resultPlace({ scope, sessionId: 's1' })
    expect(await ledger.count(place)).toBe(1)
    await ledger.release(place)
    expect(await ledger.count(place)).toBe(0)
  })
})

const shortList = {
  list: tool({ inputSchema: z.object({}), execute: async () => rows.slice(0, 60) }),
}

/** Ten times the price of `claude-sonnet-4-5`, and of nothing else. */
function hostPriceOf(modelName: string) {
  if (modelName !== 'claude-sonnet-4-5') return undefined
  return { input: 30, output: 150, cacheRead: 3, cacheWrite5m: 37.5 }
}

/** Why results were replaced for a call. */
function reasonsOf({ details }: HistoryRewrittenEvent): string[] {
  return (details['decided'] as { reason: string }[]).map(({ reason }) => reason)
}

const recallName = 'recall_tool_result'

function recall(prompt: object, input: object): ScriptedStep {
  const id = /id ([^ .]+)\. /.exec(JSON.stringify(prompt))?.[1]
  return { toolCalls: [{ name: recallName, input: { id, ...input } }] }
}

function restored(messages: readonly ModelMessage[]): ModelMessage[] {
  return JSON.parse(JSON.stringify(messages)) as ModelMessage[]
}

function desk(
  script: Parameters<typeof scriptedModel>[0],
  options: ResultPolicyOptions = {},
  given: typeof tools = tools,
) {
  const model = scriptedModel(script, { modelId: 'claude-sonnet-4-5' })
  const warn = vi.fn()
  const logger = { debug() {}, info() {}, warn, error: warn }
  const kernel = createKernel({
    model,
    tools: given,
    logger,
    capabilities: [withResultPolicy(options)],
  })
  const events: HistoryRewrittenEvent[] = []
  kernel.observe('history-rewritten', (event) => void events.push(event))
  const toolMessages = (call: number) =>
    model.received[call]?.prompt.filter(({ role }) => role === 'tool') ?? []
  return {
    ...{ kernel, events, warn, toolMessages },
    run: (differs: object = {}) =>
      kernel.run({ query: 'List them', scope, sessionId: 's1', ...differs }),
    sent: (call: number) => JSON.stringify(model.received[call]?.prompt),
  }
}
