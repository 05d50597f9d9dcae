import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createInMemoryLedger } from './in-memory-ledger.ts'
import { type PlainMessage, plainTranscript } from './plain-transcript.ts'
import { createResultPolicy } from './result-policy.ts'
import { place, run, startConversation, step } from './testing-fixtures/tool-runs.ts'

const user: PlainMessage = { role: 'user', content: 'Look into it.' }
const cyclic: Record<string, unknown> = { text: 'x'.repeat(5000) }
cyclic['self'] = cyclic

describe('a result that is out of bounds', () => {
  it('of 5 MB is stubbed, and recalled in bounded slices', async () => {
    const { conversation } = startConversation()
    const rows = Array.from({ length: 50_000 }, (_, id) => ({ id, note: 'x'.repeat(80) }))
    const content = JSON.stringify(rows)
    expect(content.length).toBeGreaterThan(5_000_000)
    const { messages, report } = await conversation.apply([user, ...step('c', 0, { content })])
    expect(String(messages[2]?.content).length).toBeLessThanOrEqual(1000)
    const id = report.decided[0]?.id ?? ''
    const pointed = await conversation.recall({ id, pointer: '/49999' })
    expect(pointed).toMatchObject({ text: JSON.stringify(rows[49_999]) })
    const whole = await conversation.recall({ id, search: '"id":41234' })
    expect(whole).toMatchObject({
      kind: 'matches',
      matches: [{ text: expect.stringContaining('41234') }],
    })
  })

  it('and 10,000 at once are decided about in one pass', async () => {
    const { conversation, ledger } = startConversation()
    const { report } = await conversation.apply(run(10_000, 3500))
    expect(await ledger.count(place)).toBe(10_000)
    expect(report.replacedResults).toBeGreaterThan(0)
    expect(report.cost).toBeLessThan(report.plainCost)
    expect(conversation.decisions()).toHaveLength(10_000)
  })

  it.each([
    [60, 4_000],
    [200, 20_000],
    [200, 100_000],
  ])(
    'of %i results in one step none goes whole because of its neighbours (%i characters each)',
    async (count, sizeChars) => {
      const { conversation } = startConversation({ modelName: 'claude-sonnet-4-5' })
      const parts = Array.from({ length: count }, (_, index) => step(`call_${index}`, sizeChars))
      const calls = parts.flatMap(([asks]) => asks?.toolCalls ?? [])
      const results = parts.flatMap(([, ...rest]) => rest)
      const { report } = await conversation.apply([
        user,
        { role: 'assistant', content: '', toolCalls: calls },
        ...results,
      ])
      expect(report.replacedResults).toBe(count)
      expect(report.sentChars).toBeLessThan(count * 1_100)
    },
  )

  it('and a ledger with too little room: what it took is stubbed, the rest stays whole', async () => {
    const ledger = createInMemoryLedger({ maxTotalChars: 30_000 })
    const { conversation } = startConversation({}, { ledger })
    await conversation.apply(run(5, 10_000))
    const reasons = conversation.decisions().map(({ reason }) => reason)
    expect(reasons).toEqual(['large', 'large', 'large', 'not-recorded', 'not-recorded'])
  })

  it.each([
    ['holds itself', cyclic],
    ['has a BigInt', { big: 10n, text: 'x'.repeat(5000) }],
    [
      'throws when it is read',
      Object.defineProperty({}, 'toJSON', {
        get() {
          throw new Error('no')
        },
      }),
    ],
  ])('%s is kept as it is', async (_, content) => {
    const { conversation } = startConversation()
    const messages = [user, ...step('c', 0, { content })]
    expect((await conversation.apply(messages)).messages[2]).toBe(messages[2])
  })

  it('has no text, as a transcript may say, and is kept as unreadable', async () => {
    const transcript = {
      ...plainTranscript,
      resultsOf: (message: PlainMessage) =>
        plainTranscript.resultsOf(message).map((view) => ({ ...view, text: undefined })),
    }
    const policy = createResultPolicy({}, { transcript, ledger: createInMemoryLedger() })
    const conversation = policy.forConversation(place)
    await conversation.apply(run(1, 9000))
    expect(conversation.decisions()).toMatchObject([{ reason: 'unreadable', sizeChars: 0 }])
  })
})

describe('a result that imitates a stub', () => {
  it('is inert: short it is text, long it is stubbed like any other, and its id finds nothing', async () => {
    const { conversation, policy } = startConversation()
    const { messages, report } = await conversation.apply([user, ...step('c', 8000)])
    const stub = String(messages[2]?.content)
    const elsewhere = policy.forConversation({ ...place, scopeKey: 'tenant-b' })
    const forged = [
      user,
      ...step('d', 0, { content: stub }),
      ...step('e', 0, { content: stub.repeat(20) }),
    ]
    const { messages: sent } = await elsewhere.apply(forged)
    expect(sent[2]?.content).toBe(stub)
    expect(sent[4]?.content).not.toBe(forged[4]?.content)
    const id = report.decided[0]?.id ?? ''
    const answers = [
      await elsewhere.recall({ id }),
      await elsewhere.recall({ id: 'r_0000000000000000000000' }),
    ]
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]).toMatchObject({ kind: 'nothing', reason: 'unknown-id' })
  })

  it('does not let a recall of a foreign id count as a recall', async () => {
    const { conversation } = startConversation()
    const name = 'recall_tool_result'
    const recalls = [null, 'text', { id: 3 }, { id: 'r_unknown' }, ['id']].flatMap(
      (args, index) => [
        { role: 'assistant', toolCalls: [{ id: `r${index}`, name, args }] } as const,
        { role: 'tool', toolCallId: `r${index}`, toolName: name, content: 'nothing' } as const,
      ],
    )
    await conversation.apply([user, ...step('c', 8000), ...recalls])
    expect(conversation.recallRates()).toEqual({ search: { replaced: 1, recalled: 0 } })
  })

  it.each(['__proto__', 'constructor', 'toString', ''])(
    'and a tool called %j is a tool',
    async (toolName) => {
      const { conversation } = startConversation()
      const { report } = await conversation.apply([user, ...step('c', 8000, { toolName })])
      expect(report.decided).toMatchObject([{ action: 'offload', toolName }])
    },
  )
})

const attacks = new URL('../../../../shared/data/prompt-injection/texts.jsonl', import.meta.url)

describe.skipIf(!existsSync(attacks))('recorded attacks in tool results', () => {
  it('stay in their quotes: a stub has two lines, and only the first is the host speaking', async () => {
    const lines = existsSync(attacks) ? readFileSync(attacks, 'utf8').trim().split('\n') : []
    expect(lines.length).toBeGreaterThan(10)
    for (const line of lines) {
      const { conversation } = startConversation()
      const content = `${line}\n`.repeat(Math.ceil(4000 / line.length))
      const { messages } = await conversation.apply([user, ...step('c', 0, { content })])
      const stub = String(messages[2]?.content)
      expect(stub.split(/\r|\n|\u2028|\u2029/)).toHaveLength(2)
      expect(stub.match(/^\[Stub/gm)).toHaveLength(1)
    }
  })
})
