import { createHash } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { estimateTokens } from '../cache/estimate-tokens.ts'
import { toInstructions } from '../cache/place-markers.ts'
import type { PromptSection } from '../capability.ts'
import { silentLogger } from '../logger.ts'
import {
  definitionsOf,
  owned,
  promptAssembler,
  surroundings,
} from '../testing-fixtures/prompt-assembler.ts'
import { turnView } from '../testing-fixtures/turn-view.ts'
import { createTextHash } from './text-hash.ts'

// A prompt that is assembled a second time: what is done again, and what is not.

describe('a prompt in which nothing has changed', () => {
  it('is the very same value, and so are its messages', async () => {
    const assemble = promptAssembler([
      owned({ name: 'a', layer: 'L1', render: () => ['a', 'b'].join('') }),
      owned({
        name: 'p',
        layer: 'L1',
        render: () => ({ pieces: [{ origin: 'o', text: 'x' }], cacheTtl: '1h' }),
      }),
      owned({ name: 'f', layer: 'L1', render: () => Promise.reject(new Error('no data')) }),
    ])
    const first = await assemble()
    const second = await assemble()
    expect(second).toBe(first)
    expect(toInstructions(second)).toBe(toInstructions(first))
    expect(Object.isFrozen(first.report)).toBe(true)
  })

  it('is recognised for a few tenants in turn, and not for any number of them', async () => {
    let tenant = 0
    const assemble = promptAssembler([
      owned({ name: 'a', layer: 'L1', render: () => `Tenant ${tenant}.` }),
    ])
    const round = async (tenants: number) => {
      const prompts = []
      for (tenant = 0; tenant < tenants; tenant += 1) prompts.push(await assemble())
      return prompts
    }
    const few = await round(8)
    expect(await round(8)).toEqual(few)
    for (const [index, prompt] of (await round(8)).entries()) expect(prompt).toBe(few[index])
    const many = await round(9)
    expect((await round(9))[0]).not.toBe(many[0])
  })

  it('is rendered all the same, each section once', async () => {
    const render = vi.fn(() => 'x')
    const assemble = promptAssembler([owned({ name: 'a', layer: 'L1', render })])
    await assemble()
    await assemble()
    expect(render).toHaveBeenCalledTimes(2)
  })
})

describe('a prompt is another one', () => {
  const tools = surroundings.tools
  let answer: unknown
  const section = { name: 'a', layer: 'L1', render: () => answer } as unknown as PromptSection

  it.each<[string, unknown, unknown, object, object]>([
    ['a text', 'x', 'y', {}, {}],
    ['a text that came', '', 'y', {}, {}],
    ['the author of a piece', pieces('a', 'x'), pieces('b', 'x'), {}, {}],
    ['where one piece ends', pieces('a', 'x\n\ny', 'z'), pieces('a', 'x', 'y\n\nz'), {}, {}],
    ['a wish for a lifetime', pieces('a', 'x'), { ...pieces('a', 'x'), cacheTtl: '1h' }, {}, {}],
    ['a failure', 'x', null, {}, {}],
    [
      'the definitions of the tools',
      'x',
      'x',
      {},
      { tools: { ...tools, definitions: definitionsOf({ look: '{}' }) } },
    ],
    ['the marker of the tools', 'x', 'x', {}, { tools: { ...tools, ttl: '5m' } }],
    ['what messages can use', 'x', 'x', {}, { messageMarkers: 2 }],
  ])('when there changes %s', async (_what, before, after, around, aroundNext) => {
    const assemble = promptAssembler([owned(section)])
    answer = before
    const first = await assemble(around)
    answer = after
    const second = await assemble(aroundNext)
    expect(second).not.toBe(first)
    answer = before
    expect(await assemble(around)).toEqual(first)
  })
})

describe('hashing', () => {
  it('is not repeated for the 29 of 30 sections that say the same', async () => {
    const sha256 = vi.fn((text: string) => createHash('sha256').update(text).digest('hex'))
    let turn = 0
    const long = 'x'.repeat(3_000)
    const sections = Array.from({ length: 30 }, (_, index) =>
      owned({
        name: String(index),
        layer: index < 5 ? 'L0' : index < 25 ? 'L1' : 'L2',
        render: () => (index === 12 ? `${index} ${long} ${turn}` : `${index} ${long}`),
      }),
    )
    const assemble = promptAssembler(sections, {}, createTextHash(sha256))
    await assemble()
    // Sections, layers and tools.
    expect(sha256).toHaveBeenCalledTimes(30 + 3 + 1)
    sha256.mockClear()
    await assemble()
    expect(sha256).not.toHaveBeenCalled()
    turn = 1
    await assemble()
    const hashed = sha256.mock.calls.map(([text]) => text)
    expect(hashed).toEqual([
      expect.stringMatching(/^12 .* 1$/),
      expect.stringMatching(/^[0-9a-f]+$/),
    ])
    sha256.mockClear()
    turn = 0
    await assemble()
    expect(sha256).not.toHaveBeenCalled()
  })
})

describe('a budget', () => {
  const over = { name: 'a', layer: 'L1', budgetTokens: 2, render: () => 'nine char' } as const

  it('that is exceeded is warned of once for each kernel and section (PROMPT-14)', async () => {
    const warn = vi.fn()
    const view = turnView({ logger: { ...silentLogger, warn } })
    const sections = [owned(over), owned({ ...over, name: 'b' })]
    const assemble = promptAssembler(sections)
    for (let turn = 0; turn < 3; turn += 1) await assemble({ messageMarkers: turn }, view)
    expect(warn.mock.calls.map(([message]) => message)).toEqual(
      ['a', 'b'].map(
        (name) =>
          `prompt section "${name}" of "desk" has about 3 tokens and a budget of 2; shorten it, or raise the budget`,
      ),
    )
    await promptAssembler(sections)({}, view)
    expect(warn).toHaveBeenCalledTimes(4)
  })

  it.each<[string, Partial<PromptSection>]>([
    ['is just kept', { render: () => '12345678' }],
    ['is not set', { budgetTokens: undefined as never }],
    ['bounds a section that is left out', { budgetTokens: -1, render: () => '' }],
  ])('says nothing while it %s', async (_what, differs) => {
    const warn = vi.fn()
    const view = turnView({ logger: { ...silentLogger, warn } })
    await promptAssembler([owned({ ...over, ...differs })])({}, view)
    expect(warn).not.toHaveBeenCalled()
  })

  it('never costs the section its text, and is counted by the estimator that is given', async () => {
    const warn = vi.fn()
    const view = turnView({ logger: { ...silentLogger, warn } })
    const estimate = vi.fn((text: string) => 100 * estimateTokens(text))
    const { blocks } = await promptAssembler([owned(over)], { estimateTokens: estimate })({}, view)
    expect(blocks[0]?.text).toBe('nine char')
    expect(warn.mock.calls[0]?.[0]).toMatch(/about 300 tokens/)
  })
})

function pieces(origin: string, ...texts: string[]) {
  return { pieces: texts.map((text) => ({ origin, text })) }
}
