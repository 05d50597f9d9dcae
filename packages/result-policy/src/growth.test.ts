import { describe, expect, it } from 'vitest'
import { createInMemoryLedger } from './in-memory-ledger.ts'
import { type PlainMessage, plainTranscript } from './plain-transcript.ts'
import { createResultPolicy } from './result-policy.ts'
import { place, run } from './testing-fixtures/tool-runs.ts'
import type { Transcript } from './transcript.ts'

/** A transcript that counts how often each of its methods is called. */
function counting() {
  const counts = { roleOf: 0, textOf: 0, resultsOf: 0, callsOf: 0, withTexts: 0 }
  const counted = <Key extends keyof typeof counts>(key: Key): Transcript<PlainMessage>[Key] =>
    // biome-ignore lint/suspicious/noExplicitAny: every method is passed through as it is.
    ((...args: any[]) => {
      counts[key] += 1
      return Reflect.apply(plainTranscript[key], plainTranscript, args)
    }) as Transcript<PlainMessage>[Key]
  const transcript: Transcript<PlainMessage> = {
    roleOf: counted('roleOf'),
    textOf: counted('textOf'),
    resultsOf: counted('resultsOf'),
    callsOf: counted('callsOf'),
    withTexts: counted('withTexts'),
  }
  return { counts, transcript }
}

describe('the work of one step', () => {
  it.each([800, 1500, 4000])(
    'is that of its new messages, over 1,000 steps with results of %i characters',
    async (sizeChars) => {
      const steps = 1000
      const { counts, transcript } = counting()
      let recorded = 0
      const good = createInMemoryLedger()
      const ledger: typeof good = {
        ...good,
        record: (where, results) => {
          recorded += results.length
          return good.record(where, results)
        },
      }
      const conversation = createResultPolicy({}, { transcript, ledger }).forConversation(place)
      const messages = run(steps, sizeChars)
      for (let end = 1; end <= messages.length; end += 2) {
        await conversation.apply(messages.slice(0, end))
      }
      expect(counts.textOf).toBe(messages.length)
      expect(counts.resultsOf).toBe(messages.length)
      expect(counts.callsOf).toBe(messages.length)
      expect(counts.roleOf).toBeLessThanOrEqual(messages.length * 2)
      expect(counts.withTexts).toBeLessThanOrEqual(steps)
      expect(recorded).toBe(sizeChars < 1000 ? 0 : steps)
    },
  )
})
