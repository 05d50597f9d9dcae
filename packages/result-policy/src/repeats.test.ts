import { describe, expect, it } from 'vitest'
import type { Conversation } from './conversation.ts'
import type { Ledger } from './ledger.ts'
import type { PlainMessage } from './plain-transcript.ts'
import { recallToolName } from './recall.ts'
import { callsOf, place, startConversation, step, words } from './testing-fixtures/tool-runs.ts'

const user: PlainMessage = { role: 'user', content: 'Look into it.' }
const content = words(800, 'status')
const poll = (id: string, about: Partial<PlainMessage> = {}) => step(id, 0, { content, ...about })
const polled = [user, ...poll('c0'), ...poll('c1'), ...poll('c2')]

async function reasonsOf(
  messages: readonly PlainMessage[],
  ...parts: Parameters<typeof startConversation>
) {
  const { conversation } = startConversation(...parts)
  for (const call of callsOf(messages)) await conversation.apply(call)
  return conversation.decisions().map(({ reason }) => reason)
}

describe('a short result that its tool has just given', () => {
  it('is never sent again: a line points to the first one, which stays', async () => {
    const { conversation } = startConversation()
    const { messages, report } = await conversation.apply(polled)
    expect(messages.slice(0, 4)).toEqual(polled.slice(0, 4))
    expect(messages[4]).toMatchObject({ toolCallId: 'c1', toolName: 'search' })
    expect(messages[4]?.content).toMatch(
      /^\[Stub written by the host: "search" gave the same 800 characters as the last time, above, which begin "status lorem [^"]*"…, id r_[0-9a-f]{22}\. recall_tool_result reads them, too\.\]$/,
    )
    expect(report.decided).toMatchObject([
      { action: 'offload', reason: 'repeated', toolCallId: 'c1', sizeChars: 800 },
      { action: 'offload', reason: 'repeated', toolCallId: 'c2' },
    ])
    const { stubChars = 0, netSaving } = report.decided[0] ?? {}
    expect(stubChars).toBe(String(messages[4]?.content).length)
    expect(netSaving?.net).toBeGreaterThan(0)
    expect(report.plainChars - report.sentChars).toBe(2 * (800 - stubChars))
    expect(report.cost).toBeLessThan(report.plainCost)
  })

  it('can be recalled all the same', async () => {
    const { conversation } = startConversation()
    const { report } = await conversation.apply(polled)
    const answer = await conversation.recall({ id: report.decided[0]?.id ?? '' })
    expect(answer).toMatchObject({ kind: 'text', text: content })
  })

  it('is recognised beside the first one, in one message of parallel results', async () => {
    const [call0, result0] = poll('c0')
    const [call1, result1] = poll('c1')
    const toolCalls = [call0, call1].flatMap((call) => call?.toolCalls ?? [])
    const messages = [user, { role: 'assistant', content: '', toolCalls }, result0, result1]
    expect(await reasonsOf(messages as PlainMessage[])).toEqual(['small', 'repeated'])
  })

  it('is whole again when the first one is cut off', async () => {
    const { conversation } = startConversation()
    await conversation.apply(polled)
    const { messages } = await conversation.apply(polled.slice(3))
    expect(messages.slice(0, 2)).toEqual(polled.slice(3, 5))
    expect(messages[3]?.content).toContain('the last time')
    const { messages: more } = await conversation.apply([...polled, user])
    expect(more[4]?.content).toContain('the last time')
  })

  it('is decided the same by whoever starts on the same messages', async () => {
    const { conversation, policy } = startConversation()
    for (const call of callsOf(polled)) {
      const { messages } = await conversation.apply(call)
      const replacedIds = conversation.replacedIds()
      const anew = policy.forConversation({ ...place, replacedIds })
      expect((await anew.apply(structuredClone(call))).messages).toEqual(messages)
    }
  })

  it('is sent whole once such lines are recalled again and again', async () => {
    const { conversation } = startConversation()
    const { decisions } = await pollAndRecall(conversation, 12)
    expect(decisions[1]).toMatchObject({ action: 'offload', reason: 'repeated' })
    expect(decisions.at(-1)).toMatchObject({ action: 'keep', reason: 'no-saving' })
  })

  it('stays as it is where another result of its tool came in between: it could be meant', async () => {
    const other = poll('c1', { content: words(800, 'status changed') })
    const again = [user, ...poll('c0'), ...other, ...poll('c2'), ...poll('c3')]
    expect(await reasonsOf(again)).toEqual(['small', 'small', 'small', 'repeated'])
  })

  it.each<[string, PlainMessage[]]>([
    ['another tool', poll('c1', { toolName: 'status' })],
    ['another text', poll('c1', { content: words(800, 'other') })],
    ['an error', poll('c1', { isError: true })],
  ])('is left as it is from %s', async (_, second) => {
    expect(await reasonsOf([user, ...poll('c0'), ...second])).toEqual(['small', 'small'])
    expect(await reasonsOf([user, ...second, ...poll('c0')])).toEqual(['small', 'small'])
  })

  it.each<[string, string]>([
    ['hardly longer than the line', words(400, 'status')],
    ['what looks like a stub, so that none is made of one', `[Stub written by the host ${content}`],
  ])('is left as it is: %s', async (_, text) => {
    const twice = [user, ...step('c0', 0, { content: text }), ...step('c1', 0, { content: text })]
    expect(await reasonsOf(twice)).toEqual(['small', 'small'])
  })

  it.each<[string, Parameters<typeof startConversation>, string]>([
    ['the policy is off', [{ enabled: false }], 'disabled'],
    ['the prices cannot be asked', [{}, { pricing: { priceOf: fails } }], 'price-failed'],
    ['the ledger does not take it', [{}, { ledger: fullLedger }], 'not-recorded'],
  ])('stays whole where %s', async (_, parts, reason) => {
    expect(await reasonsOf(polled, ...parts)).toEqual(['small', reason, reason])
  })

  it('stays whole where its tool is never touched', async () => {
    const reasons = await reasonsOf(polled, { tools: { search: 'never' } })
    expect(reasons).toEqual(Array(3).fill('small'))
  })

  it('is not forced on a model that asks for it each time, by a rule that begins at minChars', async () => {
    const always = { tools: { search: 'always' } } as const
    const { conversation } = startConversation(always)
    const messages = pollAndRecall(conversation, 12)
    const last = (await messages).decisions.at(-1)
    expect(last).toMatchObject({ action: 'keep', reason: 'no-saving' })
  })
})

describe('a longer result that its tool has just given', () => {
  it.each([1000, 1500, 2999])('of %d characters is not sent again either', async (size) => {
    const text = words(size, 'status')
    const polls = Array.from({ length: 14 }, (_, at) => step(`c${at}`, 0, { content: text })).flat()
    const { conversation } = startConversation()
    for (const call of callsOf([user, ...polls])) {
      const { report } = await conversation.apply(call)
      expect(report.cost).toBeLessThanOrEqual(report.plainCost)
    }
    const reasons = conversation.decisions().map(({ reason }) => reason)
    expect(reasons.slice(1)).toEqual(Array(13).fill('repeated'))
  })

  it('is a line, too, where the first one is a stub, whose id finds it all the same', async () => {
    const text = words(20_000, 'page')
    const twice = [user, ...step('c0', 0, { content: text }), ...step('c1', 0, { content: text })]
    const { conversation } = startConversation({ recallMaxChars: 50_000 })
    const { messages, report } = await conversation.apply(twice)
    expect(report.decided.map(({ reason }) => reason)).toEqual(['large', 'repeated'])
    expect(messages[2]?.content).toMatch(/^\[Stub written by the host in place of a result/)
    expect(messages[4]?.content).toMatch(/gave the same 20000 characters as the last time/)
    const answer = await conversation.recall({ id: report.decided[1]?.id ?? '' })
    expect(answer).toMatchObject({ kind: 'text', text })
  })
})

describe('what was decided about repeats', () => {
  it('holds for a host that starts again while nothing can be priced', async () => {
    let isDown = false
    const pricing = { priceOf: () => (isDown ? fails() : undefined) }
    const { conversation, policy } = startConversation({}, { pricing })
    const { messages } = await conversation.apply(polled)
    const replacedIds = conversation.replacedIds()
    isDown = true
    const anew = await policy.forConversation({ ...place, replacedIds }).apply(polled)
    expect(anew.messages).toEqual(messages)
    const edited = polled.with(1, { ...(polled[1] as PlainMessage), content: 'Looking.' })
    expect((await conversation.apply(edited)).messages.slice(2)).toEqual(messages.slice(2))
  })

  it('is learnt apart from how often other stubs of the tool are recalled', async () => {
    const { conversation } = startConversation({ expectedRecallProbability: 0.1 })
    const { messages } = await pollAndRecall(conversation, 12)
    const { report } = await conversation.apply([...messages, ...step('large', 20_000)])
    expect(report.decided).toMatchObject([{ reason: 'large', toolCallId: 'large' }])
    expect(report.decided[0]?.netSaving?.inputs.expectedRecalls).toBeCloseTo(0.1)
    expect(conversation.recallRates()).toMatchObject({ search: { replaced: 1, recalled: 0 } })
  })
})

/** Polls, and recalls each line that it gets instead of the result. */
async function pollAndRecall(conversation: Conversation<PlainMessage>, times: number) {
  const messages = [user, ...poll('c0')]
  for (let at = 1; at <= times; at += 1) {
    messages.push(...poll(`c${at}`))
    const { report } = await conversation.apply(messages)
    for (const { id } of report.decided) {
      const call = { id: `r${at}`, name: recallToolName, args: { id } }
      messages.push(
        { role: 'assistant', content: '', toolCalls: [call] },
        { role: 'tool', toolCallId: `r${at}`, toolName: recallToolName, content },
      )
    }
  }
  const decisions = conversation.decisions().filter(({ toolName }) => toolName === 'search')
  return { messages, decisions }
}

function fails(): never {
  throw new Error('down')
}

const fullLedger: Ledger = {
  record: async (_, results) => results.map(() => ({ stored: false, reason: 'full' })),
  fetch: async () => undefined,
  count: async () => 0,
  release: async () => {},
}
