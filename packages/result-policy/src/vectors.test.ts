import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { recallTools } from './ai-sdk/recall-tool.ts'
import { gateInputs } from './gate-inputs.ts'
import { createInMemoryLedger } from './in-memory-ledger.ts'
import { createPricing } from './pricing.ts'
import { defineSettings } from './settings.ts'
import { place, startConversation, step } from './testing-fixtures/tool-runs.ts'
import { contentText, isViewable, restub } from './transcript.ts'

const file = new URL('../../../../shared/spec/vectors.json', import.meta.url)

// biome-ignore lint/suspicious/noExplicitAny: the vectors are plain data of many shapes.
type Vector = { id: string; kind: string; title: string; input: any; expected: any }

const vectors: Vector[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).vectors : []
const ofKind = (kind: string) => vectors.filter((vector) => vector.kind === kind)

describe.skipIf(vectors.length === 0)('the vectors of the specification', () => {
  it('are all there', () => {
    const ours = vectors.filter(({ kind }) => /^(results|pricing)\./.test(kind))
    expect(ours).toHaveLength(20)
  })

  it.each(ofKind('results.contentText'))('$id $title', ({ input, expected }) => {
    expect(contentText(input.content)).toBe(expected.text)
  })

  it.each(ofKind('results.isViewable'))('$id $title', ({ input, expected }) => {
    expect(isViewable(input.content)).toBe(expected.viewable)
  })

  it.each(ofKind('results.restub'))('$id $title', ({ input, expected }) => {
    expect(restub(input.message, input)).toEqual(expected)
  })

  it.each(ofKind('results.gate'))('$id $title', async ({ expected }) => {
    const priceOf = () => {
      throw new Error('down')
    }
    const { conversation } = startConversation({}, { pricing: { priceOf } })
    const { report } = await conversation.apply(step('c', 100_000))
    expect(report.decided.length > 0).toBe(expected.offload)
  })

  it.each(ofKind('results.gateInputs'))('$id $title', ({ input, expected }) => {
    const { sizeChars, charsPerToken } = input
    const settings = defineSettings(input.settings)
    expect(gateInputs(sizeChars, { settings, charsPerToken })).toEqual(expected)
  })

  it.each(ofKind('results.ledger'))('$id $title', async ({ input, expected }) => {
    const { policy, ledger } = startConversation()
    const messages = input.record.flatMap((id: string) => step(id, 5000))
    await policy.forConversation(place).apply(messages)
    await policy.forConversation(place).apply(messages)
    expect(await ledger.count(place)).toBe(expected.entries)
  })

  it.each(ofKind('results.recallToolRegistered'))('$id $title', ({ input, expected }) => {
    const settings = defineSettings({ enabled: input.toolResultCompactionEnabled })
    const tools = recallTools({ settings, ledger: createInMemoryLedger() }, place)
    expect(Object.keys(tools)).toEqual(expected.tools)
  })

  it.each(ofKind('results.viewableKept'))('$id $title', async ({ input, expected }) => {
    const { conversation } = startConversation()
    const content = [...input.content, 'x'.repeat(input.flattenedLength)]
    const { report } = await conversation.apply(step('c', 0, { content }))
    expect(report.decided.length > 0).toBe(expected.stubbed)
  })

  it.each(ofKind('pricing.install'))('$id $title', ({ input, expected }) => {
    const priced = (numbers: Record<string, number>) =>
      Object.fromEntries(
        Object.entries(numbers).map(([name, price]) => [name, { input: price, output: price }]),
      )
    const pricing = createPricing({ overrides: priced(input.before) })
    if (input.install) pricing.install(priced(input.install))
    if (input.register) pricing.register(priced(input.register))
    expect(pricing.overrides()).toEqual(priced(expected.after))
  })
})
