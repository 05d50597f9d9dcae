import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createKernel } from '../kernel.ts'
import { silentLogger } from '../logger.ts'
import { scriptedModel } from '../testing/scripted-model.ts'
import { turnView } from '../testing-fixtures/turn-view.ts'
import { domainSection, longestDescriptionChars } from './domain-section.ts'

const longest = longestDescriptionChars

describe('the domain', () => {
  it('stands at the head of L1, in front of what capabilities add', async () => {
    const kernel = createKernel({
      model: scriptedModel([]),
      prompt: { domain: { name: 'desk', description: 'Travel for staff.' } },
      capabilities: [{ name: 'a', sections: [{ name: 'x', layer: 'L1', render: () => 'x' }] }],
    })
    const { layers } = await kernel.previewPrompt({ query: 'hello' })
    expect(layers.map(({ layer, sections }) => [layer, sections.map(({ text }) => text)])).toEqual([
      ['L1', ['Travel for staff.', 'x']],
    ])
  })

  it('is left out while it has no description', async () => {
    const kernel = createKernel({ model: scriptedModel([]), prompt: { domain: { name: 'desk' } } })
    expect((await kernel.previewPrompt({ query: 'hello' })).layers).toEqual([])
  })

  it.each<[string, string, string]>([
    ['one that just fits', 'x'.repeat(longest), 'x'.repeat(longest)],
    ['at the last whole word', `${'word '.repeat(799)}extra long`, `${'word '.repeat(799)}extra`],
    [
      'before a word that is cut',
      `${'word '.repeat(799)}longer`,
      `${'word '.repeat(799)}`.trimEnd(),
    ],
    ['in the middle of one endless word', 'x'.repeat(longest + 9), 'x'.repeat(longest)],
    [
      'never in the middle of a character',
      `x${'🙂'.repeat(longest)}`,
      `x${'🙂'.repeat(longest / 2 - 1)}`,
    ],
  ])('is kept or cut: %s', async (_where, description, expected) => {
    expect(await rendered(description)).toBe(expected)
  })

  it('is never longer than allowed, and what is left is its beginning', async () => {
    const words = fc.array(fc.constantFrom('word', ' ', '\n', '🙂', 'x'.repeat(2_000)), {
      maxLength: 40,
    })
    await fc.assert(
      fc.asyncProperty(words, async (parts) => {
        const description = parts.join('').repeat(3)
        const text = await rendered(description)
        expect(text.length).toBeLessThanOrEqual(longest)
        expect(description.startsWith(text)).toBe(true)
        expect(text.isWellFormed()).toBe(true)
        if (description.length <= longest) expect(text).toBe(description)
      }),
    )
  })

  it('warns once of being cut, however many turns there are (PROMPT-15)', async () => {
    const warn = vi.fn()
    const view = turnView({ logger: { ...silentLogger, warn } })
    const section = domainSection({ name: 'desk', description: 'x'.repeat(longest + 1) })
    await section.render(view)
    await section.render(view)
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/has 4001 characters and was cut after 4000; shorten it/),
    )
  })

  it('does not warn while it fits', async () => {
    const warn = vi.fn()
    const view = turnView({ logger: { ...silentLogger, warn } })
    await domainSection({ name: 'desk', description: 'x' }).render(view)
    expect(warn).not.toHaveBeenCalled()
  })
})

async function rendered(description: string): Promise<string> {
  const text = await domainSection({ name: '', description }).render(turnView())
  if (typeof text !== 'string') throw new TypeError('not a text')
  return text
}
