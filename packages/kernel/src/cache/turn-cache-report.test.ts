import { describe, expect, it } from 'vitest'
import { createKernel } from '../kernel.ts'
import { scriptedModel } from '../testing/scripted-model.ts'
import type { CacheReport } from './prefix-watch.ts'
import { sumCacheReports } from './turn-cache-report.ts'

const kept: CacheReport = {
  verdict: 'kept',
  expectedTokens: 100,
  predictedTokens: 100,
  readTokens: 90,
  writtenTokens: 10,
  change: undefined,
  messageMarkers: [],
}
const change = { kind: 'changed', layer: 'messages', index: 3 } as const

describe('the cache of a turn', () => {
  it.each<[string, (CacheReport | undefined)[]]>([
    ['nothing was sent', []],
    ['no markers were', [undefined, undefined]],
  ])('is not reported where %s', (_what, reports) => {
    expect(sumCacheReports(steps(reports))).toBeUndefined()
  })

  it('is the sum of its steps, those without a report left out', () => {
    expect(sumCacheReports(steps([kept, undefined, kept]))).toEqual({
      expectedTokens: 200,
      predictedTokens: 200,
      readTokens: 180,
      writtenTokens: 20,
      parted: undefined,
    })
  })

  it('has no counts where the provider counted at no step, and those it has otherwise', () => {
    const uncounted = { ...kept, readTokens: undefined, writtenTokens: undefined }
    expect(sumCacheReports(steps([uncounted]))).toMatchObject({
      readTokens: undefined,
      writtenTokens: undefined,
    })
    expect(sumCacheReports(steps([uncounted, kept]))).toMatchObject({ readTokens: 90 })
  })

  it.each<[string, CacheReport['verdict'][], object | undefined]>([
    ['none', ['first', 'kept', 'unknown'], undefined],
    ['a broken one, with its culprit', ['kept', 'broken'], { step: 2, verdict: 'broken', change }],
    [
      'a lost one, without',
      ['lost'],
      { step: 1, verdict: 'lost', change: undefined, missedTokens: 10 },
    ],
    ['the first of several', ['kept', 'lost', 'broken'], { step: 2, verdict: 'lost' }],
  ])('names the step at which it parted: %s', (_what, verdicts, expected) => {
    const reports = verdicts.map((verdict) => ({
      ...kept,
      verdict,
      change: verdict === 'broken' ? change : undefined,
    }))
    const { parted } = sumCacheReports(steps(reports)) ?? {}
    if (expected === undefined) expect(parted).toBeUndefined()
    else expect(parted).toMatchObject(expected)
  })
})

describe('through a kernel', () => {
  const kernelThatReads = (...reads: readonly number[]) => {
    const script = reads.map((cacheRead) => ({ text: 'ok', usage: { input: 100, cacheRead } }))
    return createKernel({
      model: scriptedModel(script),
      instructions: 'You are a clerk.',
      cache: { dialect: 'anthropic', minimumTokens: 0 },
    })
  }

  it('a session goes on from turn to turn', async () => {
    const kernel = kernelThatReads(0, 90)
    const first = await kernel.run({ query: 'hello', sessionId: 's' })
    expect(first.steps[0]?.cache?.verdict).toBe('first')
    const { messages: history } = first
    const { cache, steps: made } = await kernel.run({ query: 'again', sessionId: 's', history })
    expect(made[0]?.cache?.verdict).toBe('kept')
    expect(cache).toMatchObject({ readTokens: 90, parted: undefined })
    expect(cache?.expectedTokens).toBeGreaterThan(0)
  })

  it('one of a tenant says nothing about another’s, nor one turn without a session about the next', async () => {
    const kernel = kernelThatReads(0, 0, 0, 0)
    for (const about of [
      { sessionId: 's', scope: { tenantId: 'acme' } },
      { sessionId: 's', scope: { tenantId: 'other' } },
      {},
      {},
    ]) {
      const { steps: made } = await kernel.run({ query: 'hello', ...about })
      expect(made[0]?.cache).toMatchObject({ verdict: 'first', expectedTokens: 0 })
    }
  })

  it('a provider without markers has no report', async () => {
    const kernel = createKernel({ model: scriptedModel([{ text: 'ok' }]) })
    expect((await kernel.run({ query: 'hello' })).cache).toBeUndefined()
  })
})

function steps(reports: readonly (CacheReport | undefined)[]) {
  return reports.map((cache, index) => ({ step: index + 1, cache }))
}
