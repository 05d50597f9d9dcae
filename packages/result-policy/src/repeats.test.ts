import { describe, expect, it } from 'vitest'
import type { PlainMessage } from './plain-transcript.ts'
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

describe('a short result that its tool gave before', () => {
  it('is never sent: a line points to the first one, which stays', async () => {
    const { conversation } = startConversation()
    const { messages, report } = await conversation.apply(polled)
    expect(messages.slice(0, 4)).toEqual(polled.slice(0, 4))
    expect(messages[4]).toMatchObject({ toolCallId: 'c1', toolName: 'search' })
    expect(messages[4]?.content).toMatch(
      /^\[Stub written by the host: "search" gave the same 800 characters as above, which begin "status lorem [^"]*"…, id r_[0-9a-f]{22}\. recall_tool_result reads them, too\.\]$/,
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
    expect(messages[3]?.content).toContain('as above')
    const { messages: more } = await conversation.apply([...polled, user])
    expect(more[4]?.content).toContain('as above')
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
    const messages = [user, ...poll('c0')]
    const reasons = new Set<string>()
    for (let at = 1; at <= 12; at += 1) {
      messages.push(...poll(`c${at}`))
      const { report } = await conversation.apply(messages)
      for (const { id = '', reason } of report.decided) {
        reasons.add(reason)
        const args = { id }
        messages.push(
          {
            role: 'assistant',
            content: '',
            toolCalls: [{ id: `r${at}`, name: 'recall_tool_result', args }],
          },
          { role: 'tool', toolCallId: `r${at}`, toolName: 'recall_tool_result', content },
        )
      }
    }
    expect([...reasons]).toEqual(['repeated'])
    const decisions = conversation.decisions().filter(({ toolName }) => toolName === 'search')
    expect(decisions.at(-1)).toMatchObject({ action: 'keep', reason: 'no-saving' })
  })

  it.each<[string, readonly PlainMessage[], string]>([
    ['another tool', poll('c1', { toolName: 'status' }), 'small'],
    ['another text', poll('c1', { content: words(800, 'other') }), 'small'],
    ['an error', poll('c1', { isError: true }), 'small'],
    ['a text hardly longer than the line', poll('c1', { content: content.slice(0, 300) }), 'small'],
  ])('is left as it is from %s', async (_, second, reason) => {
    const first = step('c0', 0, {
      content: second[1]?.content === content ? content : content.slice(0, 300),
    })
    expect(await reasonsOf([user, ...first, ...second])).toEqual(['small', reason])
  })

  it.each<[string, Parameters<typeof startConversation>]>([
    ['the policy is off', [{ enabled: false }]],
    ['its tool is never touched', [{ tools: { search: 'never' } }]],
    [
      'the prices cannot be asked',
      [
        {},
        {
          pricing: {
            priceOf: () => {
              throw new Error('down')
            },
          },
        },
      ],
    ],
    [
      'the ledger does not take it',
      [
        {},
        {
          ledger: {
            record: async (_, results) => results.map(() => ({ stored: false, reason: 'full' })),
            fetch: async () => undefined,
            count: async () => 0,
            release: async () => {},
          },
        },
      ],
    ],
  ])('stays whole where %s', async (_, parts) => {
    expect(await reasonsOf(polled, ...parts)).toEqual(Array(3).fill('small'))
  })
})
