import { tool } from 'ai'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { Capability, TextTransform } from './capability.ts'
import type { ModelOutputPart, TurnEvent } from './events.ts'
import { createKernel } from './kernel.ts'
import { type Logger, silentLogger } from './logger.ts'
import { createShownText, type OwnedTransform } from './shown-text.ts'
import { scriptedModel } from './testing/scripted-model.ts'
import { turnView } from './testing-fixtures/turn-view.ts'

/** Hides what stands in brackets, and holds nothing else back. */
function withoutBrackets(): TextTransform {
  let inside = false
  return {
    push: (delta) => {
      let shown = ''
      for (const character of delta) {
        if (character === '[') inside = true
        if (!inside) shown += character
        if (character === ']') inside = false
      }
      return shown
    },
    end: () => '',
  }
}

/** Holds everything back to the end. */
function patient(): TextTransform {
  let held = ''
  return {
    push: (delta) => {
      held += delta
      return ''
    },
    end: () => held,
  }
}

const owned = (transformText: OwnedTransform['transformText'], capability = 'test') => ({
  capability,
  transformText,
})
const start = (id: string): ModelOutputPart => ({ type: 'text-start', id })
const delta = (id: string, text: string): ModelOutputPart => ({ type: 'text-delta', id, text })
const end = (id: string): ModelOutputPart => ({ type: 'text-end', id })

function pass(transforms: readonly OwnedTransform[], parts: readonly ModelOutputPart[]) {
  const shown = createShownText(transforms, turnView())
  return [...parts.flatMap((part) => shown.pass(part)), ...shown.finish()]
}

function textOf(parts: readonly ModelOutputPart[]) {
  return parts.map((part) => (part.type === 'text-delta' ? part.text : '')).join('')
}

describe('shown text', () => {
  it('hides what begins in one text part and ends in another', () => {
    const parts = [
      ...[start('0'), delta('0', 'a[b'), end('0')],
      ...[start('1'), delta('1', 'c]d'), end('1')],
    ]
    expect(pass([owned(withoutBrackets)], parts)).toEqual([
      ...[start('0'), delta('0', 'a'), end('0')],
      ...[start('1'), delta('1', 'd'), end('1')],
    ])
  })

  it.each<[string, ModelOutputPart[], ModelOutputPart[]]>([
    [
      'within the text that ends the answer',
      [start('0'), delta('0', 'a'), end('0')],
      [start('0'), delta('0', 'a'), end('0')],
    ],
    [
      'within a text that the model did not end',
      [start('0'), delta('0', 'a')],
      [start('0'), delta('0', 'a')],
    ],
    [
      'in a text of its own where others have come since',
      [start('0'), delta('0', 'a'), end('0'), { type: 'reasoning-start', id: '1' }],
      [
        ...[start('0'), end('0')],
        { type: 'reasoning-start', id: '1' },
        ...[start('held-back'), delta('held-back', 'a'), end('held-back')],
      ],
    ],
  ])('shows what was held back %s', (_where, parts, expected) => {
    expect(pass([owned(patient)], parts)).toEqual(expected)
  })

  it('chains several, at the end as well', () => {
    const parts = [start('0'), delta('0', 'a[b]'), delta('0', 'c[d'), end('0')]
    expect(textOf(pass([owned(patient), owned(withoutBrackets)], parts))).toBe('ac')
    expect(textOf(pass([owned(withoutBrackets), owned(patient)], parts))).toBe('ac')
  })

  it('loses no part and changes no order, however the text is cut', () => {
    const pieces = fc.array(fc.constantFrom('a', '[', ']', 'b[c]d'))
    fc.assert(
      fc.property(pieces, (texts) => {
        const parts = [start('0'), ...texts.map((text) => delta('0', text)), end('0')]
        const shown = pass([owned(withoutBrackets)], parts)
        const whole = withoutBrackets()
        expect(textOf(shown)).toBe(whole.push(texts.join('')) + whole.end())
        expect([shown[0], shown.at(-1)]).toEqual([start('0'), end('0')])
      }),
    )
  })

  it.each<[string, OwnedTransform['transformText']]>([
    ['cannot be prepared', () => raise()],
    ['throws', () => ({ push: raise, end: () => '' })],
    ['gives no text', () => ({ push: () => undefined as never, end: () => '' })],
    ['throws at the end', () => ({ push: () => '', end: raise })],
  ])('shows nothing more of a text whose transform %s', async (_how, transformText) => {
    const { events, result, error } = await stream({ name: 'broken', transformText })
    expect(textOf(events as ModelOutputPart[])).toBe('')
    expect(result.text).toBe('Hello [note] there.')
    expect(error).toHaveBeenCalledExactlyOnceWith(
      '"broken" failed to say what text is shown; the rest is not',
      { error: expect.any(Error) },
    )
  })
})

describe('in a turn, a text transform', () => {
  it('decides what streams and what the records of the steps say', async () => {
    const { events, result } = await stream({ name: 'test', transformText: withoutBrackets })
    expect(textOf(events as ModelOutputPart[])).toBe('Hello  there.')
    expect(result.steps[0]?.content).toMatchObject([{ type: 'text', text: 'Hello  there.' }])
  })

  it('leaves the transcript, and what the stages are given, verbatim', async () => {
    const stage = vi.fn((text: string) => text.toUpperCase())
    const { result } = await stream({
      name: 'test',
      transformText: withoutBrackets,
      stages: { salvage: stage },
    })
    expect(stage).toHaveBeenCalledExactlyOnceWith('Hello [note] there.', expect.anything())
    expect(result.text).toBe('HELLO [NOTE] THERE.')
    expect(result.messages.at(-1)).toMatchObject({ content: [{ text: 'Hello [note] there.' }] })
  })

  it('is prepared anew for each model call, with the view of its step', async () => {
    const transformText = vi.fn(withoutBrackets)
    const tools = { look: tool({ inputSchema: z.object({}), execute: async () => 'x' }) }
    const model = scriptedModel([{ text: 'a[', toolCalls: [{ name: 'look' }] }, { text: 'b]' }])
    const capability: Capability = { name: 'test', transformText }
    const kernel = createKernel({ model, tools, capabilities: [capability] })
    const result = await kernel.run({ query: 'q' })
    expect(transformText.mock.calls).toMatchObject([[{ step: 1 }], [{ step: 2 }]])
    expect(result.steps[1]?.content).toMatchObject([{ type: 'text', text: 'b]' }])
  })

  it('keeps its text out of the results of the AI SDK, whose messages stay verbatim', async () => {
    const model = () => scriptedModel([{ text: 'Hello [note] there.' }])
    const capabilities = [{ name: 'test', transformText: withoutBrackets }]
    const generated = await createKernel({ model: model(), capabilities }).generate({
      prompt: 'q',
      options: {},
    })
    const streamed = await createKernel({ model: model(), capabilities }).stream({
      prompt: 'q',
      options: {},
    })
    let text = ''
    for await (const piece of streamed.textStream) text += piece
    expect(text).toBe('Hello  there.')
    for (const { content, steps, responseMessages } of [
      generated,
      {
        content: await streamed.content,
        steps: await streamed.steps,
        responseMessages: await streamed.responseMessages,
      },
    ]) {
      expect(JSON.stringify([content, steps.map((step) => step.text)])).not.toContain('note')
      expect(JSON.stringify(responseMessages)).toContain('[note]')
    }
  })
})

async function stream(capability: Capability) {
  const error = vi.fn()
  const logger: Logger = { ...silentLogger, error }
  const model = scriptedModel([{ text: 'Hello [note] there.' }], { deltaChars: 3 })
  const turn = createKernel({ model, capabilities: [capability], logger }).stream({ query: 'q' })
  const events: TurnEvent[] = []
  let next = await turn.next()
  while (!next.done) {
    events.push(next.value)
    next = await turn.next()
  }
  return { events, result: next.value, error }
}

function raise(): never {
  throw new Error('broken')
}
