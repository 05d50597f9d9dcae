import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createInMemoryLedger } from './in-memory-ledger.ts'
import type { Ledger } from './ledger.ts'
import { type PlainMessage, plainTranscript } from './plain-transcript.ts'
import { createResultPolicy } from './result-policy.ts'
import {
  callsOf,
  place,
  run,
  startConversation,
  step,
  words,
} from './testing-fixtures/tool-runs.ts'

const user: PlainMessage = { role: 'user', content: 'Look into it.' }

/** Results of this length are all the same. */
const pollChars = 900

/** Conversations of several turns, with results of all sizes, some parallel ones and some repeated. */
const anyRun = fc
  .array(
    fc.record({
      sizes: fc.array(fc.oneof(fc.integer({ min: 10, max: 12_000 }), fc.constant(pollChars)), {
        minLength: 1,
        maxLength: 3,
      }),
      isNewTurn: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((steps) => {
    const messages: PlainMessage[] = [user]
    for (const [at, { sizes, isNewTurn }] of steps.entries()) {
      if (isNewTurn && at > 0) messages.push({ role: 'assistant', content: 'Done.' }, user)
      const parts = sizes.map((size, index) => {
        const content = words(pollChars)
        return step(`c${at}_${index}`, size, size === pollChars ? { content } : {})
      })
      const toolCalls = parts.flatMap(([call]) => call?.toolCalls ?? [])
      messages.push({ role: 'assistant', content: '', toolCalls })
      messages.push(...parts.map(([, result]) => result as PlainMessage))
    }
    return messages
  })

describe('from step to step', () => {
  it('a stub never changes and a decision never flips back', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (messages) => {
        const { conversation } = startConversation()
        const stubs = new Map<number, unknown>()
        for (const call of callsOf(messages)) {
          const { messages: sent } = await conversation.apply(call)
          for (const [at, stub] of stubs) expect(sent[at]).toBe(stub)
          for (const [at, message] of sent.entries())
            if (message !== call[at]) stubs.set(at, message)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('a conversation that starts anew on the same messages sends the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (messages) => {
        const { conversation, policy } = startConversation()
        for (const call of callsOf(messages)) {
          const { messages: sent } = await conversation.apply(call)
          const anew = await policy.forConversation(place).apply(structuredClone(call))
          expect(anew.messages).toEqual(sent)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('a host that makes its messages anew each time sends the same bytes', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (messages) => {
        const { conversation, policy } = startConversation()
        const reloading = policy.forConversation(place)
        for (const call of callsOf(messages)) {
          const { messages: sent } = await conversation.apply(call)
          expect((await reloading.apply(structuredClone(call))).messages).toEqual(sent)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('no conversation has cost more than without the policy, wherever it ends', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, fc.constantFrom('5m', '1h', 'none'), async (messages, cache) => {
        const { conversation } = startConversation({
          cache,
          expectedRecallProbability: 0,
        } as object)
        for (const call of callsOf(messages)) {
          const { report } = await conversation.apply(call)
          expect(report.cost).toBeLessThanOrEqual(report.plainCost + 1e-6)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('what was rewritten counts as what it was made from', async () => {
    const { conversation } = startConversation()
    const messages = run(3, 8000)
    const { messages: sent } = await conversation.apply(messages)
    const again = await conversation.apply(sent)
    expect(again.messages).toEqual(sent)
    expect(again.report.decided).toEqual([])
    expect(again.report.plainChars).toBeGreaterThan(24_000)
  })

  it('what another conversation of the same policy rewrote does, too', async () => {
    const { conversation, policy } = startConversation()
    const { messages: sent, report } = await conversation.apply(run(3, 8000))
    const other = await policy.forConversation(place).apply(sent)
    expect(other.messages).toEqual(sent)
    expect(other.report).toMatchObject({ plainChars: report.plainChars, replacedResults: 3 })
  })

  it('an expired cache is that of the call to come, and not of those before', async () => {
    const messages = run(6, 2000)
    const { conversation, policy } = startConversation()
    for (const call of callsOf(messages).slice(0, -1)) await conversation.apply(call)
    const { report } = await conversation.apply(messages, { cacheExpired: true })
    const atOnce = await policy.forConversation(place).apply(messages, { cacheExpired: true })
    expect(atOnce.report).toMatchObject({ cost: report.cost, plainCost: report.plainCost })
  })

  it('a stub that comes back as a plain text is left as it is', async () => {
    const { conversation, policy } = startConversation()
    const { messages: sent } = await conversation.apply(run(3, 8000))
    const again = await policy.forConversation(place).apply(structuredClone(sent))
    expect(again.messages).toEqual(sent)
    expect(again.report.replacedResults).toBe(0)
  })
})

describe('a history that changes', () => {
  it('keeps the stubs of what is still there', async () => {
    const { conversation } = startConversation()
    const messages = run(6, 8000)
    const { messages: sent } = await conversation.apply(messages)
    const { messages: cut } = await conversation.apply(messages.slice(5))
    expect(cut).toEqual(sent.slice(5))
    const edited = messages.with(1, { role: 'assistant', content: 'Edited.' })
    expect((await conversation.apply(edited)).messages.slice(2)).toEqual(sent.slice(2))
    expect((await conversation.apply([])).messages).toEqual([])
    expect((await conversation.apply(messages)).messages).toEqual(sent)
  })

  it('keeps them while the ledger is down: it has taken them before', async () => {
    let isDown = false
    const ledger = createInMemoryLedger()
    const record: Ledger['record'] = (...about) => {
      return isDown ? Promise.reject(new Error('down')) : ledger.record(...about)
    }
    const { conversation } = startConversation({}, { ledger: { ...ledger, record } })
    const messages = run(3, 8000)
    const { messages: sent } = await conversation.apply(messages)
    isDown = true
    const edited = messages.with(1, { role: 'assistant', content: 'Edited.' })
    const { messages: kept, report } = await conversation.apply(edited)
    expect(kept.slice(2)).toEqual(sent.slice(2))
    expect(report.replacedResults).toBe(3)
  })

  it('is counted anew, edited texts included', async () => {
    const { conversation } = startConversation()
    const messages = run(3, 8000)
    await conversation.apply(messages)
    for (const content of ['Edited.', 'Edited again.', '']) {
      const edited = messages.with(1, { role: 'assistant', content })
      const { messages: sent, report } = await conversation.apply(edited)
      const chars = (all: readonly PlainMessage[]) =>
        all.reduce(
          (sum, message) => sum + plainTranscript.textOf(message).length + resultChars(message),
          0,
        )
      expect(report).toMatchObject({ plainChars: chars(edited), sentChars: chars(sent) })
    }
  })

  it('keeps what a cold cache brought about when the host has kept the ids', async () => {
    const settings = { largeOffloadThresholdChars: 1_000_000, expectedRecallProbability: 0 }
    const { conversation, policy } = startConversation(settings)
    const messages = [...run(4, 9000), { role: 'assistant', content: 'So.' } as const, user]
    const { messages: sent, report } = await conversation.apply(messages, { cacheExpired: true })
    expect(report.replacedResults).toBe(4)
    const replacedIds = conversation.replacedIds()
    const restarted = policy.forConversation({ ...place, replacedIds })
    expect((await restarted.apply(messages)).messages).toEqual(sent)
    expect((await policy.forConversation(place).apply(messages)).messages).toEqual(messages)
  })

  it('passes system messages on, wherever they stand', async () => {
    const { conversation } = startConversation()
    const system: PlainMessage = { role: 'system', content: 'Be brief.' }
    const { messages: sent } = await conversation.apply(run(2, 8000))
    const framed = [system, ...run(2, 8000).slice(0, 3), system, ...run(2, 8000).slice(3)]
    const { messages } = await conversation.apply(framed)
    expect(messages).toEqual([system, ...sent.slice(0, 3), system, ...sent.slice(3)])
  })

  it('tells results apart whose call ids are the same', async () => {
    const { conversation, ledger } = startConversation({ recallMaxChars: 50_000 })
    const [call, first] = step('call_0', 8000) as [PlainMessage, PlainMessage]
    const second = { ...first, content: `other ${first.content}` }
    const { report } = await conversation.apply([user, call, first, call, second])
    const ids = report.decided.map(({ id }) => id ?? '')
    expect(new Set(ids).size).toBe(2)
    expect(await ledger.count(place)).toBe(2)
    expect(await conversation.recall({ id: ids[1] ?? '' })).toMatchObject({ text: second.content })
  })

  it('answers two calls at the same time as if they came one after the other', async () => {
    const { conversation } = startConversation()
    const messages = run(3, 8000)
    const [one, other] = await Promise.all([
      conversation.apply(messages),
      conversation.apply(messages.slice()),
    ])
    expect(one.messages).toEqual(other.messages)
    expect(other.report.decided).toEqual([])
  })

  it('sends every stub after a rewrite has thrown', async () => {
    let rewrites = 0
    const transcript = {
      ...plainTranscript,
      withTexts(message: PlainMessage, texts: ReadonlyMap<number, string>) {
        rewrites += 1
        if (rewrites === 2) throw new Error('down')
        return plainTranscript.withTexts(message, texts)
      },
    }
    const { ledger, conversation: other } = startConversation()
    const conversation = createResultPolicy({}, { transcript, ledger }).forConversation(place)
    const messages = run(3, 8000)
    await expect(conversation.apply(messages)).rejects.toThrow('down')
    expect((await conversation.apply(messages)).messages).toEqual(
      (await other.apply(messages)).messages,
    )
  })

  it('goes on after a transcript has thrown', async () => {
    let isDown = true
    const transcript = {
      ...plainTranscript,
      textOf(message: PlainMessage) {
        if (isDown) throw new Error('down')
        return plainTranscript.textOf(message)
      },
    }
    const { ledger } = startConversation()
    const conversation = createResultPolicy({}, { transcript, ledger }).forConversation(place)
    const messages = run(1, 8000)
    await expect(conversation.apply(messages)).rejects.toThrow('down')
    isDown = false
    expect((await conversation.apply(messages)).report.replacedResults).toBe(1)
  })
})

function resultChars(message: PlainMessage): number {
  return plainTranscript.resultsOf(message).reduce((sum, { text = '' }) => sum + text.length, 0)
}
