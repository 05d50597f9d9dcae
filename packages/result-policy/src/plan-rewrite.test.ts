import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { netSaving } from './net-saving.ts'
import { planRewrite, type Waiting } from './plan-rewrite.ts'
import { ratesOf } from './pricing.ts'
import type { ToolResultView } from './transcript.ts'

const view: ToolResultView = {
  toolCallId: 'c',
  toolName: 'get',
  text: '',
  isViewable: false,
  isError: false,
}

interface Piece {
  tokens: number
  /** Tokens of the stub, when the piece is a candidate. */
  stub?: number | undefined
  isEligible?: boolean
}

/** Asks for a plan over some pieces, all of them cached. */
function plan(
  pieces: Piece[],
  about: { savedSoFar?: number; recalls?: number; promptTokens?: number; isCold?: boolean } = {},
) {
  const rates = ratesOf(undefined, '5m')
  const { savedSoFar = 1e9, recalls = 0, promptTokens = 0, isCold = false } = about
  const waiting = pieces.flatMap(({ tokens, stub }, at): Waiting[] => {
    if (stub === undefined) return []
    const text = { before: '', after: '' }
    const replacement = { fixed: undefined, stub: text, stubChars: 0, stubTokens: stub }
    const reading = { view, sizeChars: 0, sizeTokens: tokens, replacement }
    const about = { id: 'r', decision: undefined, isReplaced: false, repeatOf: undefined }
    return [
      {
        at,
        position: at,
        ordinal: at,
        result: { ...about, reading, replacement },
      },
    ]
  })
  const savingOf = ({ result }: Waiting, rewrittenTokens: number) =>
    netSaving({
      freedTokens: result.reading.sizeTokens - result.replacement.stubTokens,
      remainingCalls: 10,
      isCached: !isCold,
      rewrittenTokens,
      expectedRecalls: recalls,
      recallTokens: 100,
      promptTokens,
      rates,
    })
  const made = planRewrite({
    waiting,
    // What is new stands behind the prefix, and is no part of it.
    sentTokens: [...pieces.map(({ tokens }) => tokens), 999],
    cachedUntil: pieces.length,
    rates,
    isCold,
    savedSoFar,
    isEligible: ({ at }) => pieces[at]?.isEligible ?? true,
    savingOf,
  })
  return {
    ...made,
    at: made.replaced.map(({ candidate }) => candidate.at),
    savingOf,
    waiting,
    rates,
  }
}

describe('a rewrite of the cached prefix', () => {
  it('is made for the result at its end, behind which nothing is written anew', () => {
    const { at, replaced } = plan([{ tokens: 500 }, { tokens: 1000, stub: 100 }])
    expect(at).toEqual([1])
    expect(replaced[0]?.saving.inputs.rewrittenTokens).toBe(100)
  })

  it('is not made for a result with too much behind it', () => {
    expect(plan([{ tokens: 1000, stub: 100 }, { tokens: 2000 }]).at).toEqual([])
  })

  it('is made for several results together where none would pay alone', () => {
    const three = Array.from({ length: 3 }, () => [
      { tokens: 1000, stub: 100 },
      { tokens: 350 },
    ]).flat()
    const tail = { tokens: 600 }
    expect(plan([...three.slice(0, 2), tail, tail]).at).toEqual([])
    const { at, replaced } = plan([...three, tail])
    expect(at).toEqual([0, 2, 4])
    const net = replaced.reduce((sum, { saving }) => sum + saving.net, 0)
    expect(net).toBeGreaterThan(0)
  })

  it('leaves out what is not eligible, and pays for it as for the rest of the tail', () => {
    const { at } = plan([
      { tokens: 5000, stub: 100 },
      { tokens: 1000, stub: 100, isEligible: false },
    ])
    expect(at).toEqual([0])
  })

  it('is not made on credit', () => {
    const pieces = [{ tokens: 1000, stub: 100 }, { tokens: 350 }]
    expect(plan(pieces, { savedSoFar: 427 }).at).toEqual([])
    expect(plan(pieces, { savedSoFar: 428 }).at).toEqual([0])
  })

  it('has the recall of a small result covered as well', () => {
    const pieces = [{ tokens: 400, stub: 100 }]
    const about = { recalls: 0.1, promptTokens: 2000 }
    expect(plan(pieces, { ...about, savedSoFar: 100 }).at).toEqual([])
    expect(plan(pieces, { ...about, savedSoFar: 1000 }).at).toEqual([0])
  })

  it('costs nothing when the cache is cold, and needs no cover', () => {
    const pieces = [{ tokens: 400, stub: 100 }, { tokens: 50_000 }]
    const about = { recalls: 0.1, promptTokens: 2000, savedSoFar: 0 }
    expect(plan(pieces, about).at).toEqual([])
    expect(plan(pieces, { ...about, isCold: true }).at).toEqual([0])
  })

  it('gives up for good what recalls make a loss however little is rewritten', () => {
    const { at, hopeless } = plan([{ tokens: 400, stub: 100 }], { recalls: 3, promptTokens: 5000 })
    expect(at).toEqual([])
    expect(hopeless.map(({ saving }) => saving.net < 0)).toEqual([true])
  })

  it('saves as much as the best of all beginnings', () => {
    const piece = fc.record({
      tokens: fc.integer({ min: 200, max: 3000 }),
      stub: fc.option(fc.integer({ min: 50, max: 200 }), { nil: undefined }),
    })
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const { replaced, savingOf, waiting, rates } = plan(pieces)
        const extra = rates.write - rates.read
        const valueFrom = (from: number) => {
          const chosen = waiting.filter(({ at }) => at >= from)
          const [first] = chosen
          if (first === undefined) return 0
          const freed = chosen.map((one) => savingOf(one, 0).inputs.freedTokens)
          const tail = pieces.slice(first.at).reduce((sum, { tokens }) => sum + tokens, 0)
          const gained = chosen.reduce((sum, one) => sum + savingOf(one, 0).terms.saving, 0)
          return gained - (tail - freed.reduce((sum, one) => sum + one, 0)) * extra
        }
        const best = Math.max(0, ...pieces.map((_, from) => valueFrom(from)))
        const value = replaced.reduce((sum, { saving }) => sum + saving.net, 0)
        expect(value).toBeCloseTo(best, 6)
      }),
      { numRuns: 500 },
    )
  })
})
