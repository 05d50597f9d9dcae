import { describe, expect, it, vi } from 'vitest'
import type { BlockSource, Capability } from '../capability.ts'
import { createKernel } from '../kernel.ts'
import { silentLogger } from '../logger.ts'
import { scriptedModel } from '../testing/scripted-model.ts'
import { turnView } from '../testing-fixtures/turn-view.ts'
import { createBlockInjector, type PromptBlock } from './prompt-blocks.ts'

const notes: BlockSource = { render: (options) => `notes of ${JSON.stringify(options)}` }
const memory: Capability = { name: 'memory', blockSources: { notes } }

describe('declared blocks', () => {
  it('make no injector while there are none (PROMPT-23)', () => {
    expect(createBlockInjector([], [memory])).toBeUndefined()
  })

  it.each<[string, PromptBlock, object, string]>([
    ['a text, in L1', { name: 'a', text: 'x' }, { layer: 'L1', name: 'a' }, 'x'],
    ['an empty text', { name: 'a', text: '' }, { layer: 'L1' }, ''],
    ['one that is cached', { name: 'a', position: 'cached', text: 'x' }, { layer: 'L1' }, 'x'],
    ['one that is volatile', { name: 'a', position: 'volatile', text: 'x' }, { layer: 'L2' }, 'x'],
    ['a priority', { name: 'a', priority: 7, text: 'x' }, { priority: 7 }, 'x'],
    [
      'a source, with what it is told',
      { name: 'a', source: 'notes', options: { of: 'anna' } },
      { layer: 'L1' },
      'notes of {"of":"anna"}',
    ],
  ])('become sections: %s', async (_what, block, section, text) => {
    const [made] = createBlockInjector([block], [memory])?.sections ?? []
    expect(made?.section).toMatchObject(section)
    expect(made?.capability).toBe(block.source === undefined ? 'kernel' : 'memory')
    expect(await made?.section.render(turnView())).toBe(text)
  })

  it('keep their order, and the first capability to bring a source is its owner', () => {
    const blocks = ['b', 'a'].map((name) => ({ name, source: 'notes' }))
    const { sections = [] } = createBlockInjector(blocks, [memory, { ...memory, name: 'z' }]) ?? {}
    expect(sections.map(({ section, capability }) => [section.name, capability])).toEqual([
      ['b', 'memory'],
      ['a', 'memory'],
    ])
  })

  it('stand in the prompt of a kernel, behind the capabilities’ sections of equal priority', async () => {
    const kernel = createKernel({
      model: scriptedModel([]),
      capabilities: [{ ...memory, sections: [{ name: 'own', layer: 'L1', render: () => 'own' }] }],
      prompt: {
        blocks: [
          { name: 'a', text: 'a' },
          { name: 'first', text: 'first', priority: 1 },
        ],
      },
    })
    const { layers } = await kernel.previewPrompt({ query: 'hello' })
    expect(layers[0]?.sections.map(({ name }) => name)).toEqual(['first', 'own', 'a'])
  })
})

describe('a block that cannot be wired', () => {
  it.each<[string, PromptBlock[], RegExp]>([
    [
      'draws from nowhere',
      [{ name: 'a', source: 'graph' }],
      /"graph", which no capability brings. Known: notes\./,
    ],
    [
      'draws from what every object has',
      [{ name: 'a', source: 'toString' }],
      /"toString", which no/,
    ],
    ['has neither text nor source', [{ name: 'a' }], /not exactly one of text and source/],
    ['has both', [{ name: 'a', text: 'x', source: 'notes' }], /not exactly one of text and source/],
    ['has a text that is none', [{ name: 'a', text: 4 as never }], /not exactly one of/],
    [
      'has the name of another',
      [
        { name: 'a', text: 'x' },
        { name: 'a', text: 'y' },
      ],
      /the name of another one/,
    ],
  ])(
    'fails where the kernel is composed, by its name: it %s (PROMPT-24)',
    (_what, blocks, message) => {
      const compose = () =>
        createKernel({ model: scriptedModel([]), capabilities: [memory], prompt: { blocks } })
      expect(compose).toThrow(
        expect.objectContaining({
          code: 'KERNEL_CONFIGURATION_INVALID',
          message: expect.stringMatching(message),
          details: { option: 'prompt', block: 'a' },
        }),
      )
    },
  )

  it('is told that nobody brings a source at all', () => {
    expect(() => createBlockInjector([{ name: 'a', source: 'x' }], [])).toThrow(/Known: none\./)
  })
})

describe('a source that needs a scope', () => {
  const blockSources = { lane: { needsScope: true, render: () => 'remembered' } }
  const blocks = ['one', 'two'].map((name) => ({ name, source: 'lane' }))
  const { sections = [] } = createBlockInjector(blocks, [{ name: 'memory', blockSources }]) ?? {}
  const warn = vi.fn()
  const about = { logger: { ...silentLogger, warn } }

  it('costs its blocks where the turn has none, with one warning (PROMPT-25)', async () => {
    for (const _ of ['turn', 'another turn']) {
      for (const { section } of sections) expect(await section.render(turnView(about))).toBe('')
    }
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/"one".*"lane" needs a scope/),
    )
  })

  it('is asked where there is one', async () => {
    const view = turnView({ ...about, scope: { tenantId: 'acme' } })
    for (const { section } of sections) expect(await section.render(view)).toBe('remembered')
  })
})
