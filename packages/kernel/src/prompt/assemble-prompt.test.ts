import { setTimeout as delay } from 'node:timers/promises'
import type { SystemModelMessage } from 'ai'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { toInstructions } from '../cache/place-markers.ts'
import type { PromptLayer, PromptSection, TurnView } from '../capability.ts'
import { silentLogger } from '../logger.ts'
import { owned, promptAssembler } from '../testing-fixtures/prompt-assembler.ts'
import { turnView } from '../testing-fixtures/turn-view.ts'
import { orderSections } from './assemble-prompt.ts'
import type { OwnedSection } from './render-sections.ts'

const layers: PromptLayer[] = ['L0', 'L1', 'L2']

describe('the order of sections', () => {
  it('is layer, then priority, then declaration (LO-31, LO-32)', () => {
    const ordered = orderSections([
      owned({ name: 'volatile', layer: 'L2', priority: 1 }),
      owned({ name: 'middle', layer: 'L1' }),
      owned({ name: 'also middle', layer: 'L1', priority: 50 }),
      owned({ name: 'early', layer: 'L1', priority: 10 }),
      owned({ name: 'kernel', layer: 'L0', priority: 99 }),
    ])
    expect(ordered.map(({ section }) => section.name)).toEqual([
      'kernel',
      'early',
      'middle',
      'also middle',
      'volatile',
    ])
  })

  it('keeps that law for any sections, and loses and changes none', () => {
    const section = fc.record({
      layer: fc.constantFrom(...layers),
      priority: fc.option(fc.oneof(fc.integer(), fc.constant(Number.NEGATIVE_INFINITY)), {
        nil: undefined,
      }),
    })
    fc.assert(
      fc.property(fc.array(section), (given) => {
        const sections = given.map(({ priority, ...rest }, index) =>
          owned({ name: String(index), ...rest, ...(priority !== undefined && { priority }) }),
        )
        const before = [...sections]
        const ordered = orderSections(sections)
        expect(sections).toEqual(before)
        expect(new Set(ordered)).toEqual(new Set(sections))
        for (const [index, { section: later }] of ordered.entries()) {
          const earlier = ordered[index - 1]?.section
          if (earlier === undefined) continue
          const places = [earlier, later].map(placeOf) as [number[], number[]]
          expect(compare(...places)).toBeLessThan(0)
        }
      }),
    )
  })
})

describe('a prompt', () => {
  it('is one system message a layer, sections a blank line apart', async () => {
    const { messages } = await assemble([
      owned({ name: 'a', layer: 'L0', render: () => 'You are a clerk.' }),
      owned({ name: 'b', layer: 'L1', render: () => 'Rules.' }),
      owned({ name: 'c', layer: 'L1', render: async () => 'More rules.' }),
      owned({ name: 'd', layer: 'L2', render: () => 'It is Monday.' }),
    ])
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'You are a clerk.'],
      ['system', 'Rules.\n\nMore rules.'],
      ['system', 'It is Monday.'],
    ])
  })

  it.each<[string, OwnedSection[], string[]]>([
    ['no section', [], []],
    ['only empty ones', [owned({ name: 'a', layer: 'L1', render: () => '' })], []],
    [
      'an empty one among others',
      [
        owned({ name: 'a', layer: 'L1', render: () => 'x' }),
        owned({ name: 'b', layer: 'L1', render: () => '' }),
        owned({ name: 'c', layer: 'L1', render: () => 'y' }),
      ],
      ['x\n\ny'],
    ],
  ])('leaves out what is empty: %s', async (_what, sections, expected) => {
    const { messages, report } = await assemble(sections)
    expect(messages.map(({ content }) => content)).toEqual(expected)
    expect(report.layers).toHaveLength(expected.length)
    expect(report.failed).toEqual([])
  })

  it('keeps a text as it is, white space included', async () => {
    const text = '  # Heading\r\n\n\tend \n'
    const { messages } = await assemble([owned({ name: 'a', layer: 'L0', render: () => text })])
    expect(messages[0]?.content).toBe(text)
  })

  it('does not depend on which section is ready first', async () => {
    const { messages } = await assemble([
      owned({ name: 'a', layer: 'L1', render: () => delay(3, 'first') }),
      owned({ name: 'b', layer: 'L1', render: () => 'second' }),
    ])
    expect(messages[0]?.content).toBe('first\n\nsecond')
  })

  it('renders each section once, with the turn', async () => {
    const render = vi.fn((_: TurnView) => 'x')
    const { view } = await assemble([owned({ name: 'a', layer: 'L1', render })])
    expect(render.mock.calls).toEqual([[{ ...view, signal: expect.any(AbortSignal) }]])
  })

  it('is reported: what each layer holds and weighs', async () => {
    const { report } = await assemble([
      owned({ name: 'a', layer: 'L1', render: () => 'four' }),
      owned({ name: 'b', layer: 'L1', render: () => 'seven..' }),
      owned({ name: 'c', layer: 'L2', render: () => 'é🙂' }),
    ])
    expect(report).toMatchObject({
      contextStrategy: 'stratified',
      layerMode: 'stratigraphic',
      layers: [
        {
          layer: 'L1',
          sections: [
            {
              name: 'a',
              capability: 'desk',
              text: 'four',
              chars: 4,
              pieces: [],
              marker: undefined,
            },
            { name: 'b', chars: 7, marker: '5m' },
          ],
          chars: 13,
          tokens: 3,
          cached: true,
        },
        { layer: 'L2', sections: [{ name: 'c', chars: 3 }], chars: 3, cached: false },
      ],
      failed: [],
    })
    expect(report.layers[0]?.hash).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('cache markers', () => {
  const all = layers.map((layer) => owned({ name: layer, layer, render: () => layer }))

  it.each<['5m' | '1h' | false, unknown[]]>([
    ['5m', [{ type: 'ephemeral' }, { type: 'ephemeral' }, undefined]],
    ['1h', [{ type: 'ephemeral', ttl: '1h' }, { type: 'ephemeral', ttl: '1h' }, undefined]],
    [false, [undefined, undefined, undefined]],
  ])('with a ttl of %s end L0 and L1 and never L2', async (ttl, expected) => {
    const { messages, report } = await assemble(all, ttl)
    expect(messages.map(markerOf)).toEqual(expected)
    expect(report.layers.map(({ cached }) => cached)).toEqual(
      expected.map((one) => one !== undefined),
    )
  })

  it('leave no trace on a message that has none', async () => {
    const { messages } = await assemble(all, false)
    for (const message of messages) expect(message).not.toHaveProperty('providerOptions')
  })
})

describe('a section that fails', () => {
  const others = [
    owned({ name: 'before', layer: 'L1', render: () => 'before' }),
    owned({ name: 'after', layer: 'L1', render: () => 'after' }),
  ]

  it.each<[string, () => unknown, string]>([
    ['throws', raise, 'no data'],
    ['rejects', () => Promise.reject(new Error('no data')), 'no data'],
    ['throws something that is no error', () => Promise.reject('bare'), 'bare'],
    ['gives nothing', () => undefined, 'it gave undefined, not a text'],
    ['gives null', () => null, 'it gave null, not a text'],
    ['gives a number', () => 4, 'it gave number, not a text'],
    ['gives a list', () => ['x'], 'it gave a list, not a text'],
    ['gives a promise of nothing', async () => {}, 'it gave undefined, not a text'],
  ])('costs itself and is reported when it %s', async (_how, render, reason) => {
    const broken = owned({ name: 'broken', layer: 'L1', render: render as () => string })
    const { messages, report, warn } = await assemble([...others, broken])
    expect(messages.map(({ content }) => content)).toEqual(['before\n\nafter'])
    const about = { layer: 'L1', capability: 'desk', origin: undefined }
    expect(report.failed).toEqual([{ ...about, section: 'broken', reason }])
    expect(report.layers[0]?.sections.map(({ name }) => name)).toEqual(['before', 'after'])
    expect(warn).toHaveBeenCalledExactlyOnceWith('prompt section "broken" of "desk" was left out', {
      reason,
    })
  })

  it('costs itself when it hangs', async () => {
    const hanging = owned({ name: 'slow', layer: 'L1', render: () => new Promise(() => {}) })
    const { messages, report } = await assemble([...others, hanging], '5m', 10)
    expect(messages.map(({ content }) => content)).toEqual(['before\n\nafter'])
    expect(report.failed).toMatchObject([{ section: 'slow', reason: 'it took longer than 10 ms' }])
  })

  it('costs its layer the marker when it was all the layer had', async () => {
    const { messages } = await assemble([
      owned({ name: 'broken', layer: 'L0', render: raise }),
      ...others,
    ])
    expect(messages).toHaveLength(1)
  })

  it('ends the turn when it is required, and says which and whose', async () => {
    const broken = owned({ name: 'policy', layer: 'L0', required: true, render: raise })
    await expect(assemble([...others, broken])).rejects.toMatchObject({
      code: 'KERNEL_SECTION_FAILED',
      message: expect.stringMatching(/"policy" of "desk".*no data/),
      details: { section: 'policy', capability: 'desk' },
      cause: { message: 'no data' },
    })
  })

  it('ends the turn once, however many required ones fail', async () => {
    const broken = ['a', 'b'].map((name) =>
      owned({ name, layer: 'L0', required: true, render: () => delay(1).then(raise) }),
    )
    await expect(assemble(broken)).rejects.toMatchObject({ details: { section: 'a' } })
    // A second rejection that nobody handles would fail this file.
    await delay(3)
  })
})

async function assemble(
  sections: readonly OwnedSection[],
  cacheTtl: '5m' | '1h' | false = '5m',
  timeoutMs = 60_000,
) {
  const warn = vi.fn()
  const view = turnView({ logger: { ...silentLogger, warn } })
  const prompt = await promptAssembler(sections, { cacheTtl, timeoutMs })({}, view)
  return { ...prompt, messages: toInstructions(prompt), warn, view }
}

function placeOf({ layer, priority = 50, name }: PromptSection): number[] {
  return [layers.indexOf(layer), priority, Number(name)]
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, one] of a.entries()) {
    const other = b[index] ?? 0
    if (one !== other) return one < other ? -1 : 1
  }
  return 0
}

function markerOf({ providerOptions }: SystemModelMessage): unknown {
  return providerOptions?.['anthropic']?.['cacheControl']
}

function raise(): never {
  throw new Error('no data')
}
