import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CacheTtl, PromptLayer } from '../capability.ts'
import {
  allotMarkers,
  lengthenEarlier,
  type MarkableBlock,
  type MarkerDemand,
  markerBudget,
} from './allot-markers.ts'

const ttl = fc.constantFrom<CacheTtl>('5m', '1h')
const tokens = fc.integer({ min: 0, max: 3_000 })
const layerOrder: readonly PromptLayer[] = ['L0', 'L1', 'L2']

/** Blocks in the order of their layers; those of L2 cannot be cached. */
const blocks: fc.Arbitrary<MarkableBlock[]> = fc
  .array(fc.record({ layer: fc.constantFrom(...layerOrder), tokens, ttl }), { maxLength: 8 })
  .map((given) =>
    given
      .toSorted((a, b) => layerOrder.indexOf(a.layer) - layerOrder.indexOf(b.layer))
      .map((block) => (block.layer === 'L2' ? { ...block, ttl: undefined } : block)),
  )
const demand: fc.Arbitrary<MarkerDemand> = fc.record({
  tools: fc.option(fc.record({ tokens, ttl }), { nil: undefined }),
  messages: fc.integer({ min: 0, max: 5 }),
  minimumTokens: fc.constantFrom(0, 1_024, 4_096),
})

describe('whatever is wished for', () => {
  it('never are there more than four markers, and what is left is for messages', () => {
    fc.assert(
      fc.property(blocks, demand, (given, about) => {
        const { tools, blocks: ttls, messages } = allotMarkers(given, about)
        const system = [tools, ...ttls].filter((one) => one !== undefined).length
        expect(system + messages).toBe(markerBudget)
        expect(messages).toBeGreaterThanOrEqual(0)
        expect(ttls).toHaveLength(given.length)
      }),
    )
  })

  it('no lifetime is longer than one in front of it, and none shorter than was wished', () => {
    fc.assert(
      fc.property(blocks, demand, (given, about) => {
        const { tools, blocks: ttls } = allotMarkers(given, about)
        const placed = [tools, ...ttls].filter((one) => one !== undefined)
        expect(placed).toEqual(placed.toSorted())
        for (const [index, { ttl: wished }] of given.entries()) {
          if (ttls[index] !== undefined && wished === '1h') expect(ttls[index]).toBe('1h')
          if (wished === undefined) expect(ttls[index]).toBeUndefined()
        }
        if (about.tools === undefined) expect(tools).toBeUndefined()
      }),
    )
  })

  it('an hour that is wished for is kept by the marker behind it, if its own is not served', () => {
    fc.assert(
      fc.property(blocks, demand, (given, about) => {
        const { blocks: ttls } = allotMarkers(given, about)
        for (const [index, block] of given.entries()) {
          if (block.ttl !== '1h') continue
          const next = ttls.findIndex((one, at) => at >= index && one !== undefined)
          if (next >= 0) expect(ttls[next]).toBe('1h')
        }
      }),
    )
  })

  it('the end of the cached prefix has one when it is long enough to be cached', () => {
    fc.assert(
      fc.property(blocks, demand, (given, about) => {
        const end = given.findLastIndex((block) => block.ttl !== undefined)
        if (end < 0 || prefixAt(given, about, end) < about.minimumTokens) return
        expect(allotMarkers(given, about).blocks[end]).toBeDefined()
      }),
    )
  })

  it('messages have the markers they can use, two at most', () => {
    fc.assert(
      fc.property(blocks, demand, (given, about) => {
        const { messages } = allotMarkers(given, about)
        expect(messages).toBeGreaterThanOrEqual(Math.min(about.messages, 2))
      }),
    )
  })

  it('none stands behind a prefix too short to be cached while one that is long enough has none', () => {
    fc.assert(
      fc.property(blocks, demand, (given, about) => {
        const { tools, blocks: ttls } = allotMarkers(given, about)
        const all = [
          { at: about.tools?.tokens ?? 0, wished: about.tools?.ttl, placed: tools },
          ...given.map((block, index) => ({
            at: prefixAt(given, about, index),
            wished: block.ttl,
            placed: ttls[index],
          })),
        ]
        const isLong = ({ at }: { at: number }) => at >= about.minimumTokens
        const wasted = all.some((one) => one.placed !== undefined && !isLong(one))
        const missed = all.some(
          (one) => one.wished !== undefined && one.placed === undefined && isLong(one),
        )
        expect(wasted && missed).toBe(false)
      }),
    )
  })

  it('the prompt and the demand decide alone, and are not changed', () => {
    fc.assert(
      fc.property(blocks, demand, (given, about) => {
        const copies = structuredClone([given, about])
        const first = allotMarkers(given, about)
        expect([given, about]).toEqual(copies)
        expect(allotMarkers(given, about)).toEqual(first)
      }),
    )
  })
})

describe('four markers', () => {
  const l0: MarkableBlock = { layer: 'L0', tokens: 2_000, ttl: '5m' }
  const l1: MarkableBlock = { layer: 'L1', tokens: 2_000, ttl: '5m' }
  const l2: MarkableBlock = { layer: 'L2', tokens: 2_000, ttl: undefined }
  const short = { ...l0, tokens: 10 }
  const tools = { tokens: 2_000, ttl: '5m' } as const

  it.each<[string, MarkableBlock[], Partial<MarkerDemand>, unknown]>([
    ['nothing to mark', [], {}, [undefined, [], 4]],
    ['only what is volatile', [l2], {}, [undefined, [undefined], 4]],
    [
      'all three, and one message',
      [l0, l1, l2],
      { tools, messages: 1 },
      ['5m', ['5m', '5m', undefined], 1],
    ],
    [
      'two messages before the tools',
      [l0, l1],
      { tools, messages: 2 },
      [undefined, ['5m', '5m'], 2],
    ],
    ['no message', [l0, l1], { tools }, ['5m', ['5m', '5m'], 1]],
    [
      'a breakpoint within L1, behind all others',
      [l0, l1, l1],
      { tools, messages: 1 },
      ['5m', ['5m', undefined, '5m'], 1],
    ],
    [
      'the later of two breakpoints',
      [l0, l1, l1, l1],
      { messages: 1 },
      [undefined, ['5m', undefined, '5m', '5m'], 1],
    ],
    [
      'tools before an L0 too short to end a prefix',
      [short, l1, l1],
      { messages: 1, minimumTokens: 1_024 },
      [undefined, ['5m', '5m', '5m'], 1],
    ],
    [
      'an L0 that is long with the tools in front',
      [short, l1],
      { tools, messages: 2, minimumTokens: 1_024 },
      [undefined, ['5m', '5m'], 2],
    ],
    [
      'long places before short ones',
      [short, l1],
      { tools: { tokens: 5, ttl: '5m' }, messages: 2, minimumTokens: 1_024 },
      [undefined, ['5m', '5m'], 2],
    ],
  ])('go to %s', (_what, given, about, expected) => {
    const found = allotMarkers(given, { tools: undefined, messages: 0, minimumTokens: 0, ...about })
    expect([found.tools, found.blocks, found.messages]).toEqual(expected)
  })

  it.each([
    [1_024, ['5m', undefined, '5m', '5m']],
    [1_023, ['5m', '5m', '5m', '5m']],
  ])(
    'go to what is just long enough before others: %d tokens in front of L0',
    (tokens, expected) => {
      const [l0, next]: MarkableBlock[] = [
        { layer: 'L0', tokens: 0, ttl: '5m' },
        { layer: 'L1', tokens: 900, ttl: '5m' },
      ]
      const found = allotMarkers([l0, next, next, next] as MarkableBlock[], {
        ...{ tools: { tokens, ttl: '5m' }, messages: 0, minimumTokens: 1_024 },
      })
      expect(found.blocks).toEqual(expected)
      expect(found.tools).toBe(tokens < 1_024 ? undefined : '5m')
    },
  )

  it('of five minutes last an hour in front of one that does', () => {
    const found = allotMarkers([l0, { ...l1, ttl: '1h' }], { tools, messages: 1, minimumTokens: 0 })
    expect([found.tools, ...found.blocks]).toEqual(['1h', '1h', '1h'])
  })
})

describe('lengthening', () => {
  it.each<[(CacheTtl | undefined)[], (CacheTtl | undefined)[]]>([
    [[], []],
    [
      ['5m', '5m'],
      ['5m', '5m'],
    ],
    [
      ['1h', '5m'],
      ['1h', '5m'],
    ],
    [
      ['5m', '1h'],
      ['1h', '1h'],
    ],
    [
      ['5m', undefined, '1h', '5m'],
      ['1h', undefined, '1h', '5m'],
    ],
  ])('turns %j into %j', (given, expected) => {
    expect(lengthenEarlier(given)).toEqual(expected)
  })
})

function prefixAt(given: readonly MarkableBlock[], { tools }: MarkerDemand, last: number): number {
  return given.slice(0, last + 1).reduce((sum, block) => sum + block.tokens, tools?.tokens ?? 0)
}
