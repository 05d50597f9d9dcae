import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { CacheTtl, PromptLayer, PromptSection, SectionText } from '../capability.ts'
import { silentLogger } from '../logger.ts'
import { owned, promptAssembler } from '../testing-fixtures/prompt-assembler.ts'
import { turnView } from '../testing-fixtures/turn-view.ts'

// Where a prompt is cut into blocks, and what ends them.

const text = (layer: PromptLayer, name: string, more: Partial<PromptSection> = {}) =>
  owned({ name, layer, render: () => name, ...more })
const pieces = (cacheTtl: CacheTtl | undefined, ...all: string[]): SectionText => ({
  pieces: all.map((one) => ({ origin: `by ${one}`, text: one })),
  cacheTtl,
})

describe('a section in pieces', () => {
  it('is its pieces, a blank line apart, and the report names their authors', async () => {
    const render = () => pieces(undefined, 'one', '', 'two')
    const { blocks, report } = await promptAssembler([owned({ name: 'p', layer: 'L1', render })])()
    expect(blocks.map((block) => block.text)).toEqual(['one\n\ntwo'])
    expect(report.layers[0]?.sections[0]).toMatchObject({
      text: 'one\n\ntwo',
      chars: 8,
      pieces: [
        { origin: 'by one', text: 'one' },
        { origin: 'by two', text: 'two' },
      ],
    })
  })

  it.each([
    ['no pieces', []],
    ['empty ones', ['', '']],
  ])('is left out with %s', async (_what, all) => {
    const render = () => pieces('1h', ...all)
    const { blocks } = await promptAssembler([owned({ name: 'p', layer: 'L1', render })])()
    expect(blocks).toEqual([])
  })

  it.each<[string, unknown, string]>([
    ['without a text', { pieces: [{ origin: 'a' }] }, 'it gave a piece without origin or text'],
    ['without an author', { pieces: [{ text: 'x' }] }, 'it gave a piece without origin or text'],
    ['that are no list', { pieces: 'x' }, 'it gave object, not a text'],
    [
      'with a ttl nobody has',
      { pieces: [], cacheTtl: '2h' },
      'it gave a cacheTtl that is neither 5m nor 1h',
    ],
    ['and a leftOut that is no list', { pieces: [], leftOut: 'x' }, 'a leftOut that is string'],
    ['that name nobody as left out', { pieces: [], leftOut: [null] }, 'without origin or reason'],
  ])('is left out and reported with pieces %s', async (_what, answer, reason) => {
    const render = () => answer as SectionText
    const { report } = await promptAssembler([owned({ name: 'p', layer: 'L1', render })])()
    expect(report.failed).toMatchObject([{ section: 'p', reason: expect.stringContaining(reason) }])
  })

  it('is left out when a piece is nothing', async () => {
    const render = () => ({ pieces: [null] }) as never
    const { report } = await promptAssembler([owned({ name: 'p', layer: 'L1', render })])()
    const reason = 'it gave a piece without origin or text (pieces[0] is null)'
    expect(report.failed).toMatchObject([{ section: 'p', reason }])
  })
})

describe('a breakpoint', () => {
  it('ends a block within its layer, and the rest of the layer is another (PROMPT-12)', async () => {
    const { blocks, allotment, report } = await promptAssembler([
      text('L0', 'kernel'),
      text('L1', 'rules'),
      text('L1', 'plugins', { cacheBreakpoint: true }),
      text('L1', 'manifest'),
      text('L2', 'today'),
    ])()
    expect(blocks.map((block) => [block.layer, block.text])).toEqual([
      ['L0', 'kernel'],
      ['L1', 'rules\n\nplugins'],
      ['L1', 'manifest'],
      ['L2', 'today'],
    ])
    expect(allotment.blocks).toEqual(['5m', '5m', '5m', undefined])
    const marks = report.layers.flatMap(({ sections }) => sections.map(({ marker }) => marker))
    expect(marks).toEqual(['5m', undefined, '5m', '5m', undefined])
  })

  it.each<[string, PromptLayer, Partial<PromptSection>]>([
    ['at the end of its layer', 'L1', {}],
    ['in L2, where nothing is cached', 'L2', {}],
    ['behind an empty section', 'L1', { render: () => '' }],
  ])('cuts nothing %s', async (_where, layer, more) => {
    const { blocks } = await promptAssembler([
      text(layer, 'a'),
      text(layer, 'b', { cacheBreakpoint: true, ...more }),
    ])()
    expect(blocks).toHaveLength(1)
  })

  it('loses no text and no order, wherever they are', async () => {
    const section = fc.record({
      layer: fc.constantFrom<PromptLayer>('L0', 'L1', 'L2'),
      cacheBreakpoint: fc.boolean(),
      said: fc.constantFrom('', 'x', 'yy'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(section), async (given) => {
        const sections = given.map(({ said, ...rest }, index) =>
          owned({ ...rest, name: String(index), render: () => said && `${said}${index}` }),
        )
        const { blocks, report } = await promptAssembler(sections)()
        const texts = report.layers.flatMap((layer) => layer.sections.map((one) => one.text))
        expect(blocks.flatMap((block) => block.text.split('\n\n'))).toEqual(texts)
        expect(new Set(texts)).toEqual(
          new Set(given.flatMap(({ said }, index) => (said ? [`${said}${index}`] : []))),
        )
      }),
    )
  })
})

describe('the lifetime of a block', () => {
  it.each<[string, CacheTtl, [CacheTtl | undefined, boolean][], (CacheTtl | undefined)[]]>([
    ['is the kernel’s', '5m', [[undefined, false]], ['5m']],
    [
      'is the longest wish in it',
      '5m',
      [
        ['1h', false],
        [undefined, false],
      ],
      ['1h'],
    ],
    ['is never less than the kernel’s', '1h', [['5m', false]], ['1h']],
    ['is the section’s own behind its breakpoint (PLUG-41)', '1h', [['5m', true]], ['5m']],
    ['is the kernel’s behind one without a wish', '1h', [[undefined, true]], ['1h']],
    [
      'grows where a longer one follows',
      '5m',
      [
        ['5m', true],
        ['1h', true],
      ],
      ['1h', '1h'],
    ],
    [
      'does not grow where a shorter one follows',
      '5m',
      [
        ['1h', true],
        ['5m', true],
      ],
      ['1h', '5m'],
    ],
  ])('%s (PROMPT-11)', async (_what, cacheTtl, wishes, expected) => {
    const sections = wishes.map(([wish, cacheBreakpoint], index) =>
      owned({
        name: String(index),
        layer: 'L1',
        cacheBreakpoint,
        render: () => pieces(wish, 'x'),
      }),
    )
    const { allotment } = await promptAssembler(sections, { cacheTtl })()
    expect(allotment.blocks).toEqual(expected)
  })
})

describe('a flat prompt', () => {
  const sections = [text('L0', 'kernel', { cacheBreakpoint: true }), text('L1', 'rules')]
  const volatile = text('L2', 'today')

  it.each([{ layerMode: 'legacy' }, { contextStrategy: 'jit' }] as const)(
    'is one block, and is cached while nothing in it is volatile: %j (PROMPT-02)',
    async (mode) => {
      const stable = await promptAssembler(sections, mode)()
      expect(stable.blocks.map((block) => block.text)).toEqual(['kernel\n\nrules'])
      expect(stable.allotment.blocks).toEqual(['5m'])
      const moving = await promptAssembler([...sections, volatile], mode)()
      expect(moving.blocks.map((block) => block.text)).toEqual(['kernel\n\nrules\n\ntoday'])
      expect(moving.allotment.blocks).toEqual([undefined])
    },
  )

  it.each([{ layerMode: 'legacy' }, { contextStrategy: 'jit' }] as const)(
    'has neither version nor hash, so none of an earlier turn can leak: %j (PROMPT-03)',
    async (mode) => {
      const { report } = await promptAssembler(sections, { ...mode, kernelVersion: '1.2.3' })()
      expect(report).toMatchObject({ layerMode: 'legacy' })
      expect([report.kernelVersion, report.prefixHash]).toEqual([undefined, undefined])
    },
  )

  it('warns once of what is volatile under jit, where it costs the whole cache', async () => {
    const warn = vi.fn()
    const view = turnView({ logger: { ...silentLogger, warn } })
    const assemble = promptAssembler([...sections, volatile], { contextStrategy: 'jit' })
    await assemble({}, view)
    await assemble({}, view)
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/"today" of "desk" is volatile .* use the strategy stratified/),
    )
  })
})

describe('the version and the hash of a layered prompt (PROMPT-03)', () => {
  it('are made of L0 and of L1, each of nothing else', async () => {
    let [kernel, rules, today] = ['kernel', 'rules', 'today']
    const assemble = promptAssembler([
      text('L0', 'k', { render: () => kernel }),
      text('L1', 'r', { render: () => rules }),
      text('L2', 't', { render: () => today }),
    ])
    const read = async () => {
      const { kernelVersion, prefixHash } = (await assemble()).report
      return { kernelVersion, prefixHash }
    }
    const first = await read()
    expect(first.kernelVersion).toMatch(/^sha256-[0-9a-f]{12}$/)
    expect(first.prefixHash).toMatch(/^[0-9a-f]{64}$/)
    today = 'tomorrow'
    expect(await read()).toEqual(first)
    rules = 'other rules'
    const second = await read()
    expect(second.kernelVersion).toBe(first.kernelVersion)
    expect(second.prefixHash).not.toBe(first.prefixHash)
    kernel = 'other kernel'
    const third = await read()
    expect(third.kernelVersion).not.toBe(first.kernelVersion)
    expect(third.prefixHash).toBe(second.prefixHash)
  })

  it('are the host’s version where it gives one, and undefined where a layer is empty', async () => {
    const versioned = await promptAssembler([text('L0', 'k')], { kernelVersion: '1.2.3' })()
    expect(versioned.report).toMatchObject({ kernelVersion: '1.2.3', prefixHash: undefined })
    const bare = await promptAssembler([text('L2', 't')])()
    expect(bare.report.kernelVersion).toBeUndefined()
  })
})
