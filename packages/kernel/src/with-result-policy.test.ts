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

  it('rewrites an old prefix once the cache has expired between two turns', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const old = rows.slice(0, 60)
    const short = { list: tool({ inputSchema: z.object({}), execute: async () => old }) }
    const { run, sent } = desk(
      [list, ...[1, 2, 3].map(() => ({ text: 'ok' }))],
      { minChars: 1_000 },
      short,
    )
    const first = await run()
    const { messages } = await run({ history: first.messages })
    expect([sent(1), sent(2)]).toEqual(Array(2).fill(expect.stringContaining('guest 59')))
    vi.setSystemTime(Date.now() + 301_000)
    await run({ history: messages })
    expect(sent(3)).not.toContain('guest 59')
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

  it('counts in two kernels at the price of each one’s model', async () => {
    const shared = withResultPolicy()
    const costs: unknown[] = []
    for (const modelId of ['claude-opus-4-5', 'gpt-5']) {
      const model = scriptedModel([list, { text: 'ok' }], { modelId })
      const kernel = createKernel({ model, tools, capabilities: [shared] })
      kernel.observe('history-rewritten', ({ step, details }) => {
        if (step === 2) costs.push(details['plainCost'])
      })
      await kernel.run({ query: 'List them', scope, sessionId: modelId })
    }
    expect(costs).toHaveLength(2)
    expect(Number(costs[0])).toBeGreaterThan(Number(costs[1]) * 2)
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
