import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { generateText, modelMessageSchema, tool } from 'ai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { scriptedModel } from './testing/scripted-model.ts'
import { copyJson, errorOutput, isFailure, type ToolOutput, toToolOutput } from './tool-output.ts'
import type { AnyTool } from './tools.ts'

const call = { toolCallId: 'call-1', input: { id: 1 } }
const plain = tool({ inputSchema: z.object({}), execute: async () => '' }) as AnyTool
const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic
class Empty {}

describe('what a tool gave, as the model reads it', () => {
  it.each<[string, unknown, ToolOutput]>([
    ['text', 'two seats', { type: 'text', value: 'two seats' }],
    ['empty text', '', { type: 'text', value: '' }],
    ['an object', { seats: [1] }, { type: 'json', value: { seats: [1] } }],
    ['a number', 0, { type: 'json', value: 0 }],
    ['null', null, { type: 'json', value: null }],
    ['nothing', undefined, { type: 'json', value: null }],
    ['a date', new Date(0), { type: 'json', value: '1970-01-01T00:00:00.000Z' }],
    ['undefined in an object', { a: undefined, b: 1 }, { type: 'json', value: { b: 1 } }],
    ['a hole in a list', [undefined, 1], { type: 'json', value: [null, 1] }],
    ['empty ones', [{}, [], new Empty()], { type: 'json', value: [{}, [], {}] }],
    ['null in it', { a: null, b: [null] }, { type: 'json', value: { a: null, b: [null] } }],
    ['the name of none', { text: '{} null' }, { type: 'json', value: { text: '{} null' } }],
  ])('is text for a string and JSON for the rest: %s', async (_what, value, expected) => {
    expect(await toToolOutput(plain, call, value)).toEqual(expected)
    expect(await toToolOutput(undefined, call, value)).toEqual(expected)
  })

  it.each<[string, unknown]>([
    ['contains itself', cyclic],
    ['is a BigInt', 12n],
    ['contains a BigInt', { seats: [12n] }],
    ['is a function', () => {}],
    ['is a symbol', Symbol('x')],
    ['says that JSON cannot hold it', { toJSON: () => undefined }],
  ])('cannot be a value that %s', async (_what, value) => {
    await expect(toToolOutput(plain, call, value)).rejects.toThrow(TypeError)
  })

  it.each<[string, unknown]>([
    ['a value of the kind Map', new Map([[1, 2]])],
    ['a value of the kind Set', new Set([1])],
    ['a value of the kind Error', new Error('x')],
    ['a value of the kind Promise', Promise.resolve(1)],
    ['a value of the kind RegExp', /x/],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['an invalid date', new Date('never')],
  ])('cannot be a value JSON would lose without a word, at any depth: %s', async (what, value) => {
    await expect(toToolOutput(plain, call, value)).rejects.toThrow(`${what} cannot be written`)
    for (const nested of [{ seats: value }, [{ deep: { seats: value } }]]) {
      const failed = toToolOutput(plain, call, nested)
      await expect(failed).rejects.toThrow(`${what} (at "seats") cannot be written as JSON`)
    }
  })

  it('is what the AI SDK would send for the same value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        expect(await toToolOutput(plain, call, value)).toEqual(await sentBySdk(value))
      }),
      { numRuns: 25 },
    )
  })

  it('is a copy: what the tool changes later does not reach the transcript', async () => {
    const value = { seats: [1] }
    const output = await toToolOutput(plain, call, value)
    value.seats.push(2)
    expect(output).toEqual({ type: 'json', value: { seats: [1] } })
  })
})

describe('a tool with an output of its own', () => {
  it('is asked with the call and the value', async () => {
    const asked: unknown[] = []
    const own = withOutput((about) => {
      asked.push(about)
      return { type: 'text', value: 'short' }
    })
    expect(await toToolOutput(own, call, 'long')).toEqual({ type: 'text', value: 'short' })
    expect(asked).toEqual([{ ...call, output: 'long' }])
  })

  it.each<[string, ToolOutput]>([
    ['text', { type: 'text', value: 'x' }],
    ['JSON', { type: 'json', value: { a: 1 } }],
    ['an error', { type: 'error-text', value: 'no' }],
    ['an error in JSON', { type: 'error-json', value: { code: 4 } }],
    ['content', { type: 'content', value: [{ type: 'text', text: 'x' }] }],
    [
      'options for a provider',
      { type: 'json', value: 1, providerOptions: { anthropic: { cacheControl: { type: 'x' } } } },
    ],
  ])('may give %s', async (_what, output) => {
    expect(
      await toToolOutput(
        withOutput(() => output),
        call,
        0,
      ),
    ).toEqual(output)
    expect(
      await toToolOutput(
        withOutput(async () => output),
        call,
        0,
      ),
    ).toEqual(output)
  })

  it('may go on changing the object it hands out', async () => {
    const mine = { seats: [1] }
    const output = await toToolOutput(
      withOutput(() => ({ type: 'json', value: mine })),
      call,
      mine,
    )
    mine.seats.push(2)
    expect(output).toEqual({ type: 'json', value: { seats: [1] } })
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a bare string', 'text'],
    ['an object without a type', { value: 'x' }],
    ['JSON that contains itself', { type: 'json', value: cyclic }],
  ])('fails when it gives %s', async (_what, output) => {
    const own = withOutput(() => output as ToolOutput)
    await expect(toToolOutput(own, call, 0)).rejects.toThrow(TypeError)
  })
})

describe('a failure', () => {
  it.each<[boolean, ToolOutput]>([
    [true, errorOutput('no')],
    [true, { type: 'error-json', value: { code: 1 } }],
    [true, { type: 'execution-denied' }],
    [false, { type: 'text', value: 'error-text' }],
    [false, { type: 'json', value: { error: true } }],
    [false, { type: 'content', value: [] }],
  ])('is %s of %j', (expected, output) => {
    expect(isFailure(output)).toBe(expected)
  })
})

describe('a copy as JSON', () => {
  it('is equal to what it copies and shares nothing with it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = copyJson(value)
        expect(JSON.stringify(copy)).toBe(JSON.stringify(value))
        if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value)
      }),
    )
  })
})

const payloads = fileURLToPath(
  new URL('../../../../shared/data/hostile-objects/payloads.jsonl', import.meta.url),
)

describe.skipIf(!existsSync(payloads))('hostile objects as results', () => {
  const rows = existsSync(payloads) ? readFileSync(payloads, 'utf8').trim().split('\n') : []
  const cases = rows.map((row) => JSON.parse(row) as { id: string; kind: string; text: string })

  it.each(cases)('$id stays data', async ({ kind, text }) => {
    const value: unknown = kind === 'json' ? JSON.parse(text) : text
    const output = await toToolOutput(plain, call, value)
    expect('value' in output && JSON.stringify(output.value)).toBe(JSON.stringify(value))
    const part = { type: 'tool-result', toolCallId: 'c', toolName: 't', output }
    expect(modelMessageSchema.safeParse({ role: 'tool', content: [part] }).success).toBe(true)
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(({} as Record<string, unknown>)['evilProperty']).toBeUndefined()
  })
})

function withOutput(toModelOutput: (about: unknown) => ToolOutput | Promise<ToolOutput>): AnyTool {
  return { ...plain, toModelOutput } as AnyTool
}

async function sentBySdk(value: unknown): Promise<ToolOutput | undefined> {
  const { responseMessages } = await generateText({
    model: scriptedModel([{ toolCalls: [{ name: 'give' }] }]),
    tools: { give: tool({ inputSchema: z.object({}), execute: async () => value }) },
    prompt: 'go',
  })
  const last = responseMessages.at(-1)
  const part = last?.role === 'tool' ? last.content[0] : undefined
  return part?.type === 'tool-result' ? part.output : undefined
}
