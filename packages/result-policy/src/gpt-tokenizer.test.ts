import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer'
import { describe, expect, it } from 'vitest'
import { estimateGptTokens } from './gpt-tokenizer.ts'
import { createInMemoryLedger } from './in-memory-ledger.ts'
import { plainTranscript } from './plain-transcript.ts'
import { createResultPolicy } from './result-policy.ts'
import { place, run, words } from './testing-fixtures/tool-runs.ts'

const rows = JSON.stringify(Array.from({ length: 3000 }, (_, id) => ({ id, name: `Row ${id}` })))

describe('tokens as OpenAI counts them', () => {
  it.each([
    ['a short text', 'Look into it.'],
    ['words', words(15_000)],
    ['a long text', words(200_000)],
    ['rows of JSON', rows],
  ])('are close to the real count for %s', (_, text) => {
    const ratio = estimateGptTokens(text) / countTokens(text)
    expect(ratio).toBeGreaterThan(0.95)
    expect(ratio).toBeLessThan(1.1)
  })

  it.each([
    ['', 0],
    ['<|endoftext|>', 7],
    ['a'.repeat(5_000_000), 625_000],
  ])('exist for any text, case %#', (text, tokens) => {
    expect(Math.abs(estimateGptTokens(text) - tokens)).toBeLessThanOrEqual(tokens / 5)
  })

  it('are an amount for whatever text there is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(estimateGptTokens(text)).toBeGreaterThanOrEqual(0)
        expect(estimateGptTokens(text)).toBeLessThan(1e6)
      }),
    )
  })

  it('serve a policy', async () => {
    const parts = { transcript: plainTranscript, ledger: createInMemoryLedger() }
    const policy = createResultPolicy({}, { ...parts, estimate: estimateGptTokens })
    const { report } = await policy.forConversation(place).apply(run(2, 9000))
    expect(report.replacedResults).toBe(2)
  })
})
