import { generateText, streamText, wrapLanguageModel } from 'ai'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { stripExtraction } from '../extraction/stripper.ts'
import { block, type Said, speakingModel } from '../testing-fixtures/speaking-model.ts'
import { type HideOptions, hideInResult, hideInStream } from './hide-extraction.ts'

const calls = [{ toolName: 'look' }]
const note = block({ kind: 'fact', content: 'walnuts' })

describe('an answer of a model', () => {
  it.each<[string, string[], string]>([
    ['a block in the middle', [`Before.\n${note}\nAfter.`], 'Before.\nAfter.'],
    ['a block alone', [note], ''],
    [
      'a block that begins in one text and ends in another',
      ['a<memory_ext', `raction>x${note.slice(19)}b`],
      'ab',
    ],
    ['a block that never ends', ['a\n<memory_extraction>\nb', 'c'], 'a\n'],
    ['what only looks like a tag at the end', ['a <mem'], 'a <mem'],
    ['no block', ['a', 'b'], 'ab'],
  ])('loses %s, generated and streamed', async (_what, texts, expected) => {
    for (const answer of [generated, streamed]) {
      const { text, written } = await answer({ texts })
      expect(text).toBe(expected)
      expect(written).toEqual([[texts.join(''), 'stop']])
    }
  })

  it('is the same in pieces of any length', async () => {
    const pieces = fc.array(
      fc.constantFrom('a', '<', note, 'b\n', '<memory_extraction', '</memory_extraction>', '>'),
      {
        maxLength: 8,
      },
    )
    await fc.assert(
      fc.asyncProperty(pieces, fc.integer({ min: 1, max: 30 }), async (texts, deltaChars) => {
        const { text } = await streamed({ texts }, deltaChars)
        expect(text).toBe(stripExtraction(texts.join('')).text)
      }),
      { numRuns: 60 },
    )
  })

  it('keeps the order of its parts, and ends each text once', async () => {
    const { parts } = await streamed({
      texts: ['a <mem', 'b'],
      calls: [{ toolName: 'look' }],
    })
    const types = parts.map(({ type, id }) => (id === undefined ? type : `${type} ${id}`))
    expect(types.filter((type) => /^(text-(start|end)|tool-call$)/.test(type))).toEqual([
      ...['text-start 0', 'text-end 0', 'text-start 1', 'text-end 1'],
      'tool-call',
    ])
  })

  it.each<[string, string[], string[]]>([
    ['within the text that ends the answer', ['a', 'b <mem'], ['0', '1']],
    ['in a text of its own where a call has come since', ['b <mem'], ['0', 'held-back']],
  ])('shows what was held back %s', async (_where, texts, ids) => {
    const calls = ids.includes('held-back') ? [{ toolName: 'look' }] : []
    const { text, parts } = await streamed({ texts, calls })
    expect(text).toBe(texts.join(''))
    expect(parts.flatMap(({ type, id }) => (type === 'text-end' ? [id] : []))).toEqual(ids)
  })

  it.each<[string, string[], string, string]>([
    [
      'up to its end',
      ['tent":"walnuts"}\n</memory_ext', 'raction>\nDone.'],
      'Done.',
      '</memory_extraction>\nDone.',
    ],
    ['not where the answer has begun anew', ['Done.'], 'Done.', 'Done.'],
    ['also from a block of its own after it', [`x</memory_extraction>a${note}`], 'a', ''],
  ])('loses the tail of a block of the call before, %s', async (_what, texts, shown, told) => {
    for (const answer of [generated, streamed]) {
      const { text, written } = await answer({ texts }, 4, true)
      expect(text).toBe(shown)
      expect(written[0]?.[0]).toBe(told === '' ? `</memory_extraction>a${note}` : told)
    }
  })

  it.each<[string, Said, boolean, [string, boolean]]>([
    ['in a block', { texts: ['a<memory_extraction>b'], calls }, false, ['tool-calls', true]],
    ['in a block, saying nothing more', { calls }, true, ['tool-calls', true]],
    ['after a block', { texts: [note] }, true, ['stop', false]],
    [
      'with stop, yet waits for tools',
      { calls, finishReason: 'stop' },
      false,
      ['tool-calls', false],
    ],
  ])('tells how it ended: %s', async (_how, said, isInBlock, ending) => {
    for (const answer of [generated, streamed]) {
      const { endings } = await answer(said, 4, isInBlock)
      expect(endings).toEqual([ending])
    }
  })

  it('tells nothing of a stream that failed', async () => {
    const whenWritten = vi.fn()
    const model = speakingModel([])
    const source = ReadableStream.from([
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'a' },
      { type: 'error', error: new Error('gone') },
    ])
    const parts = []
    for await (const part of hideInStream(source as never, { isInBlock: false, whenWritten }))
      parts.push(part.type)
    expect(parts).toEqual(['text-start', 'text-delta', 'error'])
    expect([model.modelId, whenWritten.mock.calls]).toEqual(['mock-model-id', []])
  })
})

function wrap(said: Said, deltaChars: number, isInBlock: boolean) {
  const written: [string, string][] = []
  const endings: [string, boolean][] = []
  const options: HideOptions = {
    isInBlock,
    whenWritten: (text, { finishReason, isInBlock: is }) => {
      written.push([text, finishReason])
      endings.push([finishReason, is])
    },
  }
  const model = wrapLanguageModel({
    model: speakingModel([said], { deltaChars }),
    middleware: {
      wrapGenerate: async ({ doGenerate }) => hideInResult(await doGenerate(), options),
      wrapStream: async ({ doStream }) => {
        const result = await doStream()
        return { ...result, stream: hideInStream(result.stream, options) }
      },
    },
  })
  return { model, written, endings }
}

async function generated(said: Said, deltaChars = 4, isInBlock = false) {
  const { model, written, endings } = wrap(said, deltaChars, isInBlock)
  const { text } = await generateText({ model, prompt: 'q' })
  return { text, written, endings }
}

async function streamed(said: Said, deltaChars = 4, isInBlock = false) {
  const { model, written, endings } = wrap(said, deltaChars, isInBlock)
  const parts: { type: string; id?: string }[] = []
  let text = ''
  for await (const part of streamText({ model, prompt: 'q' }).stream) {
    parts.push(part)
    if (part.type === 'text-delta') text += part.text
  }
  return { text, written, endings, parts }
}
