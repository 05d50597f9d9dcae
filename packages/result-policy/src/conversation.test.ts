import { describe, expect, it } from 'vitest'
import { createInMemoryLedger } from './in-memory-ledger.ts'
import type { Ledger } from './ledger.ts'
import type { PlainMessage } from './plain-transcript.ts'
import { createPricing } from './pricing.ts'
import { callsOf, place, run, startConversation, step } from './testing-fixtures/tool-runs.ts'

const user: PlainMessage = { role: 'user', content: 'Look into it.' }

describe('a result that is large', () => {
  it('is offloaded before it is ever sent, with the arithmetic shown', async () => {
    const { conversation } = startConversation()
    const messages = [user, ...step('c1', 20_000)]
    const { messages: sent, report } = await conversation.apply(messages)
    expect(String(sent[2]?.content)).toMatch(
      /^\[Stub written by the host in place of a result of "search"/,
    )
    expect(sent[2]).toEqual({ ...messages[2], content: sent[2]?.content })
    expect(report.decided).toMatchObject([
      { action: 'offload', reason: 'large', toolCallId: 'c1', sizeChars: 20_000 },
    ])
    const [decision] = report.decided
    expect(decision?.netSaving?.inputs).toMatchObject({ isCached: false, remainingCalls: 10 })
    expect(decision?.netSaving?.net).toBeGreaterThan(0)
    expect(decision?.stubChars).toBe(String(sent[2]?.content).length)
    expect(report.plainChars - report.sentChars).toBe(20_000 - String(sent[2]?.content).length)
  })

  it('is recalled whole by the id in its stub', async () => {
    const { conversation } = startConversation({ recallMaxChars: 50_000 })
    const messages = [user, ...step('c1', 20_000)]
    const { report } = await conversation.apply(messages)
    const answer = await conversation.recall({ id: report.decided[0]?.id ?? '' })
    expect(answer).toMatchObject({ kind: 'text', text: messages[2]?.content })
  })

  it('is kept when a recall would cost more than it saves', async () => {
    const { conversation } = startConversation({
      expectedRecallProbability: 1,
      recallMaxChars: 4000,
    })
    await conversation.apply([user, ...step('c1', 3000)])
    const [decision] = conversation.decisions()
    expect(decision).toMatchObject({ action: 'keep', reason: 'no-saving' })
    expect(decision?.netSaving?.net).toBeLessThanOrEqual(0)
  })
})

describe('a result that is smaller', () => {
  const settings = { largeOffloadThresholdChars: 1_000_000 }

  it('is read once, and replaced in the next call, where it ends the cached prefix', async () => {
    const { conversation } = startConversation(settings)
    const [first = [], second = [], third = []] = callsOf(run(2, 20_000))
    expect((await conversation.apply(first)).report.replacedResults).toBe(0)
    expect((await conversation.apply(second)).report.replacedResults).toBe(0)
    const { report, messages } = await conversation.apply(third)
    expect(report.decided).toMatchObject([{ action: 'stub', reason: 'pays', toolCallId: 'call_0' }])
    expect(messages[4]).toBe(third[4])
  })

  it('stays while it is among the most recent', async () => {
    const { conversation } = startConversation({ ...settings, keepRecentResults: 2 })
    for (const call of callsOf(run(3, 20_000))) await conversation.apply(call)
    expect(conversation.decisions().map(({ reason }) => reason)).toEqual(Array(3).fill('waiting'))
  })

  it.each([
    [0, ['call_0', 'call_1', 'call_2']],
    [1, ['call_0', 'call_1']],
    [2, ['call_0']],
    [3, []],
  ])(
    'goes, beside the unread one, when more than %d newer ones are there',
    async (keepRecentResults, gone) => {
      const { conversation } = startConversation({ ...settings, keepRecentResults })
      const { report } = await conversation.apply(run(4, 20_000), { cacheExpired: true })
      expect(report.decided.map(({ toolCallId }) => toolCallId)).toEqual(gone)
    },
  )

  it('may be replaced however recent it is when a new turn has begun', async () => {
    const { conversation } = startConversation({ ...settings, keepRecentResults: 5 })
    const turn = run(1, 20_000)
    for (const call of callsOf(turn)) await conversation.apply(call)
    const { report } = await conversation.apply([
      ...turn,
      { role: 'assistant', content: 'So.' },
      user,
    ])
    expect(report.decided).toMatchObject([{ reason: 'pays' }])
  })

  it('is not replaced by a rewrite that could end up dearer than doing nothing', async () => {
    const { conversation } = startConversation({ ...settings, expectedRecallProbability: 0 })
    for (const call of callsOf(run(2, 1500))) await conversation.apply(call)
    expect(conversation.decisions()[0]).toMatchObject({ action: 'keep', reason: 'waiting' })
  })

  it('is replaced by such a rewrite once the conversation has saved as much', async () => {
    const { conversation } = startConversation({ expectedRecallProbability: 0 })
    const messages = [user, ...step('big', 50_000), ...step('c1', 1500), ...step('c2', 1500)]
    for (const call of callsOf(messages)) await conversation.apply(call)
    expect(conversation.decisions().map(({ reason }) => reason)).toEqual([
      'large',
      'pays',
      'waiting',
    ])
  })

  it('is replaced for nothing when the cache has expired', async () => {
    const { conversation } = startConversation({ ...settings, expectedRecallProbability: 0 })
    const messages = [...run(4, 9000), { role: 'assistant', content: 'So.' } as const, user]
    for (const call of callsOf(messages).slice(0, -1)) await conversation.apply(call)
    const { report } = await conversation.apply(messages, { cacheExpired: true })
    expect(report.decided.map(({ reason }) => reason)).toEqual(Array(4).fill('cache-cold'))
  })
})

describe('what is never replaced', () => {
  it.each<[string, string, PlainMessage[], object]>([
    ['small', 'a short result', step('c', 900), {}],
    [
      'never',
      'a result of a tool whose rule is never',
      step('c', 9000),
      { tools: { search: 'never' } },
    ],
    ['never', 'the answer of a recall', step('c', 9000, { toolName: 'recall_tool_result' }), {}],
    ['error', 'an error', step('c', 2900, { isError: true }), {}],
    [
      'viewable',
      'an image',
      step('c', 0, { content: [{ type: 'image', data: 'x'.repeat(9000) }] }),
      {},
    ],
    ['disabled', 'anything, when the policy is off', step('c', 9000), { enabled: false }],
  ])('%s: %s', async (reason, _, messages, settings) => {
    const { conversation } = startConversation(settings)
    const { messages: sent, report } = await conversation.apply([user, ...messages])
    expect(sent[2]).toBe(messages[1])
    expect(report.sentChars).toBe(report.plainChars)
    expect(conversation.decisions()).toMatchObject([{ action: 'keep', reason }])
  })

  it('an image, however long the text beside it is', async () => {
    const { conversation } = startConversation()
    const content = [{ type: 'hologram' }, { type: 'text', text: 'x'.repeat(100_000) }]
    const { messages } = await conversation.apply([user, ...step('c', 0, { content })])
    expect(messages[2]?.content).toBe(content)
  })
})

describe('rules of single tools', () => {
  it('always: offloads from minChars on, whatever it costs', async () => {
    const tools = { search: 'always' } as const
    const { conversation } = startConversation({ tools, expectedRecallProbability: 1 })
    const { report } = await conversation.apply([user, ...step('c', 1500)])
    expect(report.decided).toMatchObject([{ action: 'offload', reason: 'always' }])
  })

  it('by size: offloads from there on', async () => {
    const tools = { search: { offloadAboveChars: 5000 } }
    const { conversation } = startConversation({ tools })
    await conversation.apply([user, ...step('c1', 4900), ...step('c2', 5100)].filter(Boolean))
    expect(conversation.decisions().map(({ action }) => action)).toEqual(['keep', 'offload'])
  })

  it('an error stays an error in its stub', async () => {
    const { conversation } = startConversation()
    const { messages } = await conversation.apply([user, ...step('c', 9000, { isError: true })])
    expect(messages[2]).toMatchObject({
      isError: true,
      content: expect.stringContaining('an error of'),
    })
  })
})

describe('the safe side', () => {
  const messages = [user, ...step('c', 9000)]

  it('prices that cannot be asked: nothing is replaced', async () => {
    const priceOf = () => {
      throw new Error('down')
    }
    const { conversation } = startConversation({}, { pricing: { priceOf } })
    const { messages: sent, report } = await conversation.apply(messages)
    expect(sent).toEqual(messages)
    expect(report.decided).toEqual([])
    expect(conversation.decisions()).toMatchObject([{ reason: 'price-failed' }])
  })

  it.each<[string, Partial<Ledger>]>([
    ['that rejects', { record: async () => Promise.reject(new Error('down')) }],
    [
      'that throws',
      {
        record: () => {
          throw new Error('down')
        },
      },
    ],
    [
      'that refuses',
      { record: async (_, all) => all.map(() => ({ stored: false, reason: 'full' })) },
    ],
    ['that says nothing', { record: async () => [] }],
  ])('a ledger %s: nothing is replaced, now or later', async (_, change) => {
    const ledger = { ...createInMemoryLedger(), ...change }
    const { conversation } = startConversation({}, { ledger })
    const { messages: sent } = await conversation.apply(messages)
    expect(sent[2]).toBe(messages[2])
    expect(conversation.decisions()).toMatchObject([{ reason: 'not-recorded' }])
    const later = [...messages, ...step('d', 100)]
    expect((await conversation.apply(later, { cacheExpired: true })).messages).toEqual(later)
  })

  it('an unknown model: decides in multiples of an input token, at the dearest rewrite', async () => {
    const { conversation } = startConversation({ modelName: 'nobody knows' })
    const { report } = await conversation.apply(messages)
    expect(report.unit).toBe('input-tokens')
    expect(report.decided[0]?.netSaving?.inputs.rates).toMatchObject({ read: 0.1, write: 1.25 })
  })

  it('a known model: reports in dollars', async () => {
    const pricing = createPricing({ overrides: { m: { input: 1, output: 2 } } })
    const { conversation } = startConversation({ modelName: 'm' }, { pricing })
    const { report } = await conversation.apply(messages.slice(2))
    expect(report.unit).toBe('usd')
    expect(report.plainCost).toBeCloseTo(report.plainChars / 4 / 1e6, 9)
    expect(report.cost).toBeCloseTo(report.sentChars / 4 / 1e6, 9)
  })

  it.each([{ scopeKey: '' }, { thread: '' }, { scopeKey: undefined }, { thread: 7 }])(
    'no place, no conversation: %j',
    (wrong) => {
      const { policy } = startConversation()
      const wanted = { code: 'RESULT_PLACE_INVALID' }
      expect(() => policy.forConversation({ ...place, ...wrong } as never)).toThrow(
        expect.objectContaining(wanted),
      )
    },
  )

  it.each([Number.NaN, -1, 2 ** 31, Number.POSITIVE_INFINITY, 'soon'])(
    'a time of %s for the ledger is refused',
    (ledgerTimeoutMs) => {
      const wanted = { code: 'RESULT_OPTION_INVALID' }
      expect(() => startConversation({}, { ledgerTimeoutMs } as never)).toThrow(
        expect.objectContaining(wanted),
      )
    },
  )

  it.each([
    [
      'throws',
      () => {
        throw new Error('down')
      },
    ],
    ['gives no amount', () => Number.NaN],
    ['gives less than nothing', () => -5],
  ])('an estimator that %s: characters / 4 count', async (_, estimate) => {
    const { conversation } = startConversation({}, { estimate })
    const plainly = await startConversation().conversation.apply(messages)
    const { report } = await conversation.apply(messages)
    expect(report).toEqual(plainly.report)
  })

  it('a price that is no number: nothing is replaced', async () => {
    const priceOf = () => ({ input: Number.NaN, output: Number.NaN })
    const { conversation } = startConversation({}, { pricing: { priceOf } })
    expect((await conversation.apply(messages)).messages).toEqual(messages)
  })

  it.each([{ ledger: {} }, { ledger: null }, { transcript: { roleOf: 1 } }, { pricing: {} }])(
    'an option that cannot do its work is refused: %j',
    (wrong) => {
      const wanted = { code: 'RESULT_OPTION_INVALID' }
      expect(() => startConversation({}, wrong as never)).toThrow(expect.objectContaining(wanted))
    },
  )
})

describe('a tokenizer', () => {
  it('decides instead of characters: what is many characters and few tokens is not worth it', async () => {
    const messages = [user, ...step('c', 9000)]
    const { conversation } = startConversation(
      {},
      { estimate: (text) => Math.min(text.length, 300) },
    )
    expect((await conversation.apply(messages)).report.decided).toEqual([])
    expect(conversation.decisions()).toMatchObject([{ reason: 'no-shorter' }])
  })
})

describe('what is always read again', () => {
  it('stops being offloaded, tool by tool', async () => {
    const { conversation } = startConversation()
    const messages: PlainMessage[] = [user]
    const actions: string[] = []
    for (let round = 0; round < 6; round += 1) {
      messages.push(...step(`c${round}`, 6000))
      const { report } = await conversation.apply(messages.slice())
      const [decision] = report.decided
      actions.push(decision?.action ?? 'keep')
      if (decision?.id === undefined) continue
      for (let slice = 0; slice < 2; slice += 1) {
        const [call, answer] = step(`r${round}${slice}`, 4000, { toolName: 'recall_tool_result' })
        const args = { id: decision.id, offsetChars: slice * 4000 }
        const name = 'recall_tool_result'
        messages.push({
          ...call,
          toolCalls: [{ id: `r${round}${slice}`, name, args }],
        } as PlainMessage)
        messages.push(answer as PlainMessage)
      }
    }
    expect(actions[0]).toBe('offload')
    expect(actions.at(-1)).toBe('keep')
    expect(conversation.recallRates()['search']?.recalled).toBeGreaterThan(1)
    messages.push(...step('other', 6000, { toolName: 'read_file' }))
    const { report } = await conversation.apply(messages)
    expect(report.decided).toMatchObject([{ toolName: 'read_file', action: 'offload' }])
  })

  it('is remembered by the next conversation when it is told', async () => {
    const { policy } = startConversation()
    const recallRates = { search: { replaced: 20, recalled: 40 } }
    const conversation = policy.forConversation({ ...place, recallRates })
    expect((await conversation.apply([user, ...step('c', 6000)])).report.decided).toEqual([])
    expect(conversation.recallRates()).toEqual(recallRates)
  })
})

describe('the account', () => {
  it('charges a recall to the policy, and its call not to the plain run', async () => {
    const { conversation } = startConversation()
    const messages = [user, ...step('c', 6000)]
    const { report } = await conversation.apply(messages)
    const id = report.decided[0]?.id
    const [call, answer] = step('r', 3000, { toolName: 'recall_tool_result' })
    const toolCalls = [{ id: 'r', name: 'recall_tool_result', args: { id } }]
    const after = await conversation.apply([
      ...messages,
      { ...call, toolCalls } as PlainMessage,
      answer as PlainMessage,
    ])
    expect(after.report.plainCost).toBe(report.plainCost)
    expect(after.report.cost).toBeGreaterThan(report.cost)
  })
})
