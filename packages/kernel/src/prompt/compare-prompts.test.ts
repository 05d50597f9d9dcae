import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PromptLayer, SectionText } from '../capability.ts'
import { definitionsOf, owned, promptAssembler } from '../testing-fixtures/prompt-assembler.ts'
import { emptyPrompt } from '../testing-fixtures/turn-view.ts'
import { comparePrompts } from './compare-prompts.ts'
import type { PromptReport } from './prompt-report.ts'

interface Part {
  readonly name: string
  readonly layer: PromptLayer
  readonly text: SectionText
}

const rules: Part = { name: 'rules', layer: 'L1', text: 'Ask twice.' }
const kernel: Part = { name: 'kernel', layer: 'L0', text: 'You are a clerk.' }
const today: Part = { name: 'today', layer: 'L2', text: 'It is Monday.' }

describe('two prompts that say the same', () => {
  it('are stable, differ in nothing and share all their bytes', async () => {
    const parts = [kernel, rules, today]
    const [before, after] = [await report(parts), await report(parts)]
    expect(comparePrompts(before, after)).toEqual({
      stable: true,
      sharedBytes: bytesIn('You are a clerk.Ask twice.It is Monday.'),
      changes: [],
    })
  })

  it('are still the same when a text is split among sections in another way', async () => {
    const whole = await report([{ ...rules, text: 'a\n\nb' }])
    const split = await report([
      { ...rules, text: 'a' },
      { ...rules, name: 'more', text: 'b' },
    ])
    expect(comparePrompts(whole, split)).toMatchObject({ stable: true, changes: [] })
  })
})

describe('what is no report', () => {
  it.each([
    null,
    undefined,
    {},
    'x',
    { layers: [] },
    { ...emptyPrompt, tools: { hash: '' } },
    { ...emptyPrompt, tools: { ...emptyPrompt.tools, definitions: [null] } },
    ...[[null], [{ layer: 'L1' }], [{ layer: 'L1', sections: [{}] }]].map(withLayers),
    withLayers([{ layer: 'L1', sections: [{ text: 'x', pieces: [null] }] }]),
  ])('is refused by name: %j', (given) => {
    const invalid = (field: string) =>
      expect.objectContaining({ code: 'KERNEL_INPUT_INVALID', details: { field } })
    expect(() => comparePrompts(given as never, emptyPrompt)).toThrow(invalid('before'))
    expect(() => comparePrompts(emptyPrompt, given as never)).toThrow(invalid('after'))
  })
})

describe('what has changed', () => {
  it.each<[string, Part[], Part[], object]>([
    [
      'in L0',
      [kernel, rules],
      [{ ...kernel, text: 'You are a cook.' }, rules],
      {
        stable: false,
        sharedBytes: 11,
        changes: [
          {
            kind: 'changed',
            layer: 'L0',
            section: 'kernel',
            capability: 'desk',
            byte: 11,
            before: 'You are a clerk.',
            after: 'You are a cook.',
          },
        ],
      },
    ],
    [
      'behind an umlaut and a smiley: bytes are counted, not characters',
      [{ ...rules, text: 'ä🙂x' }],
      [{ ...rules, text: 'ä🙂y' }],
      { stable: false, sharedBytes: 6, changes: [{ byte: 6, before: 'ä🙂x', after: 'ä🙂y' }] },
    ],
    [
      'in half of a surrogate pair: the whole pair is shown',
      [{ ...rules, text: '🙂' }],
      [{ ...rules, text: '🙃' }],
      { sharedBytes: 0, changes: [{ byte: 0, before: '🙂', after: '🙃' }] },
    ],
    [
      'in L2 only: the cached prefix is stable',
      [rules, today],
      [rules, { ...today, text: 'It is Friday.' }],
      { stable: true, sharedBytes: 16, changes: [{ layer: 'L2', section: 'today' }] },
    ],
    [
      'because a section came',
      [rules],
      [rules, { ...rules, name: 'more', text: 'New.' }],
      { changes: [{ kind: 'added', section: 'more', byte: 12, before: '', after: 'New.' }] },
    ],
    [
      'because a section went',
      [rules, { ...rules, name: 'more', text: 'Old.' }],
      [rules],
      { changes: [{ kind: 'removed', section: 'more', byte: 12, before: 'Old.', after: '' }] },
    ],
    [
      'because two changed places',
      [rules, { ...rules, name: 'more', text: 'x' }],
      [{ ...rules, name: 'more', text: 'x' }, rules],
      { stable: false, changes: [{ kind: 'moved', section: 'more', byte: 0 }] },
    ],
    [
      'because two changed places in front of one that changed',
      [rules, { ...rules, name: 'more', text: 'x' }, { ...rules, name: 'end', text: 'y' }],
      [{ ...rules, name: 'more', text: 'x' }, rules, { ...rules, name: 'end', text: 'z' }],
      {
        changes: [
          { kind: 'moved', section: 'more' },
          { kind: 'changed', section: 'end' },
        ],
      },
    ],
    [
      'in the second of two sections of one name',
      [rules, { ...rules, text: 'b1' }],
      [rules, { ...rules, text: 'b2' }],
      { changes: [{ kind: 'changed', section: 'rules', byte: 13, before: 'b1', after: 'b2' }] },
    ],
    [
      'far on: a few characters are shown',
      [{ ...rules, text: `a${'x'.repeat(100)}` }],
      [{ ...rules, text: `b${'x'.repeat(100)}` }],
      { changes: [{ before: `a${'x'.repeat(59)}…`, after: `b${'x'.repeat(59)}…` }] },
    ],
  ])('is told %s', async (_what, old, now, expected) => {
    expect(comparePrompts(await report(old), await report(now))).toMatchObject(expected)
  })

  it.each<[string, Readonly<Record<string, string>>, readonly object[]]>([
    [
      'one says something else',
      { a: '{ä}', pay: '{new}', z: '{z}' },
      [{ kind: 'changed', section: 'pay', byte: 7, before: '{old}', after: '{new}' }],
    ],
    [
      'one came',
      { a: '{ä}', more: '{}', pay: '{old}', z: '{z}' },
      [{ kind: 'added', section: 'more', byte: 6, before: '', after: '{}' }],
    ],
    [
      'one went',
      { a: '{ä}', z: '{z}' },
      [{ kind: 'removed', section: 'pay', byte: 6, before: '{old}', after: '' }],
    ],
    [
      'two changed places',
      { pay: '{old}', a: '{ä}', z: '{z}' },
      [{ kind: 'moved', section: 'pay' }],
    ],
    [
      'two say something else',
      { a: '{b}', pay: '{old}', z: '{y}' },
      [
        { section: 'a', byte: 2 },
        { section: 'z', byte: 12 },
      ],
    ],
  ])('is told of the tools first, by name and byte: %s', async (_how, tools, expected) => {
    const before = await report([rules], { tools: { a: '{ä}', pay: '{old}', z: '{z}' } })
    const after = await report([{ ...rules, text: 'x' }], { tools })
    const { stable, changes } = comparePrompts(before, after)
    expect(stable).toBe(false)
    const inTools = changes.filter(({ layer }) => layer === 'tools')
    expect(inTools).toMatchObject(expected)
    expect(inTools.length).toBe(expected.length)
    expect(changes.slice(inTools.length)).toMatchObject([{ layer: 'L1', section: 'rules' }])
  })

  it('is the whole of a flat prompt, so one in its L2 is no longer stable', async () => {
    const [before, after] = [
      await report([rules, today], { layerMode: 'legacy' }),
      await report([rules, { ...today, text: 'x' }], { layerMode: 'legacy' }),
    ]
    expect(comparePrompts(before, after).stable).toBe(false)
    const layered = await report([rules, today])
    expect(comparePrompts(before, layered)).toMatchObject({ stable: false, changes: [] })
  })
})

describe('the author of a change', () => {
  const pieces = (...all: [string, string][]): SectionText => ({
    pieces: all.map(([origin, text]) => ({ origin, text })),
  })

  it.each<[string, SectionText, SectionText, string | undefined]>([
    ['changed a piece', pieces(['a', '1'], ['b', '2']), pieces(['a', '1'], ['b', '3']), 'b'],
    ['added one', pieces(['a', '1']), pieces(['a', '1'], ['b', '2']), 'b'],
    ['added one in front', pieces(['a', '1']), pieces(['b', '2'], ['a', '1']), 'b'],
    ['took the last away', pieces(['a', '1'], ['b', '2']), pieces(['a', '1']), 'b'],
    ['took the first away', pieces(['a', '1'], ['b', '2']), pieces(['b', '2']), 'a'],
    ['came', '', pieces(['a', '1']), 'a'],
    ['went', pieces(['a', '1']), '', 'a'],
    ['is not named', 'x', 'y', undefined],
  ])('is the one who %s', async (_what, old, now, origin) => {
    const { changes } = comparePrompts(
      await report([{ ...rules, text: old }]),
      await report([{ ...rules, text: now }]),
    )
    expect(changes[0]?.origin).toBe(origin)
  })
})

describe('several authors of one section', () => {
  it('are all named, each with a byte of their own', async () => {
    const text = (mood: string, time: string): SectionText => ({
      pieces: [
        { origin: 'mood', text: `Be ${mood}.` },
        { origin: 'law', text: 'Ask twice.' },
        { origin: 'clock', text: `It is ${time}.` },
        { origin: 'law', text: 'Never guess.' },
      ],
    })
    const [before, after] = [
      await report([{ ...rules, text: text('glad', '9:00') }]),
      await report([{ ...rules, text: text('calm', '9:01') }]),
    ]
    const { stable, changes } = comparePrompts(before, after)
    expect(stable).toBe(false)
    expect(changes).toMatchObject([
      { origin: 'mood', byte: 3, before: 'Be glad.', after: 'Be calm.' },
      { origin: 'clock', byte: 31, before: 'It is 9:00.', after: 'It is 9:01.' },
    ])
  })

  it('are told apart where one has written two pieces', async () => {
    const text = (...texts: string[]): SectionText => ({
      pieces: texts.map((text) => ({ origin: 'law', text })),
    })
    const [before, after] = [
      await report([{ ...rules, text: text('a', 'b', 'c') }]),
      await report([{ ...rules, text: text('a', 'x', 'y') }]),
    ]
    expect(comparePrompts(before, after).changes).toMatchObject([
      { before: 'b', after: 'x', byte: 3 },
      { before: 'c', after: 'y', byte: 6 },
    ])
  })
})

describe('for any two prompts', () => {
  const part = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    layer: fc.constantFrom<PromptLayer>('L0', 'L1', 'L2'),
    text: fc.oneof(
      fc.array(fc.constantFrom('x', 'y', '🙂'), { maxLength: 3 }).map(writtenBy),
      fc.constantFrom('', 'x', 'xy', 'xyz', 'ä', '🙂', '🙃', 'x\n\ny'),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    ),
  })
  const parts = fc.array(part, { maxLength: 7 })

  it('the first change lies at or in front of the first byte that differs, and stable means equal bytes', async () => {
    await fc.assert(
      fc.asyncProperty(parts, parts, async (old, now) => {
        const [before, after] = [await report(old), await report(now)]
        const { stable, sharedBytes, changes } = comparePrompts(before, after)
        const layers = (['L0', 'L1', 'L2'] as const).map((layer) => ({
          layer,
          texts: [before, after].map((one) => textOf(one, layer)) as [string, string],
        }))
        const differing = layers.find(({ texts: [a, b] }) => a !== b)
        expect(stable).toBe(differing === undefined || differing.layer === 'L2')
        expect(changes.length > 0).toBe(differing !== undefined)
        let expectedBytes = 0
        for (const { texts } of layers.slice(0, differing && layers.indexOf(differing))) {
          expectedBytes += bytesIn(texts[0])
        }
        if (differing) {
          const first = sharedCharacters(...differing.texts)
          expect(changes[0]?.layer).toBe(differing.layer)
          // One that came or went did so with the blank line in front of it.
          const line = changes[0]?.kind === 'changed' ? 0 : 2
          expect(changes[0]?.byte).toBeLessThanOrEqual(first + line)
          expectedBytes += first
        }
        expect(sharedBytes).toBe(expectedBytes)
      }),
      { numRuns: 300 },
    )
  })
})

/** A report but for its layers. */
function withLayers(layers: unknown) {
  return { ...emptyPrompt, layers }
}

/** Pieces, of authors by turns. */
function writtenBy(texts: readonly string[]): SectionText {
  return { pieces: texts.map((text, index) => ({ origin: `p${index % 2}`, text })) }
}

async function report(
  parts: readonly Part[],
  about: { tools?: Readonly<Record<string, string>>; layerMode?: 'stratigraphic' | 'legacy' } = {},
): Promise<PromptReport> {
  const sections = parts.map(({ text, ...rest }) => owned({ ...rest, render: () => text }))
  const { tools: texts = {}, ...settings } = about
  const tools = { definitions: definitionsOf(texts), ttl: undefined }
  return (await promptAssembler(sections, settings)({ tools })).report
}

function textOf({ layers }: PromptReport, name: PromptLayer): string {
  const found = layers.find(({ layer }) => layer === name)
  return found?.sections.map(({ text }) => text).join('\n\n') ?? ''
}

/** Bytes of the whole characters that two texts begin with. */
function sharedCharacters(a: string, b: string): number {
  const [one, other] = [[...a], [...b]]
  const end = one.findIndex((character, index) => character !== other[index])
  return bytesIn(one.slice(0, end < 0 ? one.length : end).join(''))
}

function bytesIn(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}
