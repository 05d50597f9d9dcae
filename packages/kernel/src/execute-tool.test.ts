import { type ToolSet, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createKernel } from './kernel.ts'
import { scriptedModel } from './testing/scripted-model.ts'

const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic

describe('a tool that fails', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['throws', () => Promise.reject(new Error('no such seat')), /look failed: no such seat/],
    ['throws something that is no error', () => Promise.reject('nope'), /look failed: nope/],
    ['throws at once', raise, /look failed: at once/],
    ['hangs past its time-out', () => new Promise(() => {}), /look failed: no answer within 20 ms/],
    ['gives a value that contains itself', () => cyclic, /look failed: .*circular/i],
    ['gives a BigInt', () => ({ seats: 12n }), /look failed: .*BigInt/],
    ['gives a function', () => raise, /look failed: a function cannot be written as JSON/],
    ['yields and then throws', yieldThenThrow, /look failed: after the first/],
  ])('tells the model why, and the turn goes on, when it %s', async (_what, execute, expected) => {
    const { result, output, model } = await runOnce(execute)
    expect(output).toMatchObject({ type: 'error-text', value: expect.stringMatching(expected) })
    expect(result.text).toBe('I see.')
    expect(result.refusals).toEqual([])
    model.assertDone()
  })

  it('says so when toModelOutput throws', async () => {
    const { output } = await runOnce(() => 'fine', {
      toModelOutput: () => {
        throw new Error('cannot render')
      },
    })
    expect(output).toEqual({ type: 'error-text', value: 'look failed: cannot render' })
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['an unknown kind', { type: 'bogus', value: 1 }],
    ['a value of the wrong kind', { type: 'text', value: 5 }],
  ])(
    'is one whose toModelOutput gives %s, and the transcript still loads',
    async (_what, output) => {
      const { result, output: read } = await runOnce(() => 'fine', {
        toModelOutput: (() => output) as never,
      })
      expect(read).toMatchObject({
        type: 'error-text',
        value: expect.stringMatching(/^look failed/),
      })
      const model = scriptedModel([{ text: 'on' }])
      const next = createKernel({ model }).run({ query: 'q', history: result.messages })
      expect((await next).text).toBe('on')
    },
  )

  it('may say so through toModelOutput, and is a failure everywhere then', async () => {
    const { model, kernel } = setUp(() => ({ status: 503 }), {
      toModelOutput: () => ({ type: 'error-text' as const, value: 'the desk is closed' }),
    })
    const seen: unknown[] = []
    for await (const event of kernel.stream({ query: 'q' })) {
      if (event.type === 'tool-error') seen.push(event.error)
      if (event.type === 'tool-result') seen.push('a result')
      if (event.type === 'step-end' && event.record.step === 1) {
        seen.push(event.record.content.at(-1)?.type)
      }
    }
    expect(seen).toEqual(['the desk is closed', 'tool-error'])
    model.assertDone()
  })

  it('is told to stop when its time is up', async () => {
    let told: unknown
    await runOnce(
      (_input, { abortSignal }) =>
        new Promise(() => {
          abortSignal.addEventListener('abort', () => {
            told = abortSignal.reason
          })
        }),
    )
    expect(told).toMatchObject({ message: 'no answer within 20 ms' })
  })
})

describe('a tool that succeeds', () => {
  it.each<[string, unknown, unknown]>([
    ['text', 'two seats', { type: 'text', value: 'two seats' }],
    ['JSON', { seats: [1, null] }, { type: 'json', value: { seats: [1, null] } }],
    ['nothing', undefined, { type: 'json', value: null }],
    ['a date', new Date(0), { type: 'json', value: '1970-01-01T00:00:00.000Z' }],
  ])('hands %s to the model', async (_what, value, expected) => {
    expect((await runOnce(() => value)).output).toEqual(expected)
  })

  it('streams preliminary values and keeps the last', async () => {
    const { model, kernel } = setUp(async function* () {
      yield 'one'
      yield 'two'
    })
    const seen: unknown[] = []
    for await (const event of kernel.stream({ query: 'q' })) {
      if (event.type === 'tool-result') seen.push([event.output, event.preliminary ?? false])
    }
    expect(seen).toEqual([
      ['one', true],
      ['two', true],
      ['two', false],
    ])
    model.assertDone()
  })

  it('gets the identity and the state of the turn, and may change its input freely', async () => {
    const seen: unknown[] = []
    const { result } = await runOnce(
      (input, { context, toolCallId, messages }) => {
        seen.push(context, toolCallId, messages.length)
        input.id = 'changed'
        return 'ok'
      },
      {},
      { scope: { tenantId: 't' }, sessionId: 's', runId: 'r', state: { mode: 'm' } },
    )
    expect(seen).toEqual([
      { runId: 'r', sessionId: 's', scope: { tenantId: 't' }, state: { mode: 'm' } },
      'call-1',
      2,
    ])
    expect(JSON.stringify(result.messages)).not.toContain('changed')
  })

  it('does not see its result change in the transcript when it changes the value later', async () => {
    const value = { seats: 2 }
    const { output } = await runOnce(() => value)
    value.seats = 3
    expect(output).toEqual({ type: 'json', value: { seats: 2 } })
  })
})

// biome-ignore lint/suspicious/noExplicitAny: stands for whatever a host writes
type Execute = (input: any, options: any) => unknown

function setUp(execute: Execute, more: Partial<ToolSet[string]> = {}) {
  const model = scriptedModel([
    { toolCalls: [{ name: 'look', input: { id: 'A1' } }] },
    { text: 'I see.' },
  ])
  const look = { ...tool({ inputSchema: z.object({ id: z.string() }), execute }), ...more }
  const kernel = createKernel({
    model,
    tools: { look: look as ToolSet[string] },
    limits: { toolTimeoutMs: 20 },
  })
  return { model, kernel }
}

async function runOnce(execute: Execute, more: Partial<ToolSet[string]> = {}, options = {}) {
  const { model, kernel } = setUp(execute, more)
  const result = await kernel.run({ query: 'q', ...options })
  const message = result.messages[2]
  const part = message?.role === 'tool' ? message.content[0] : undefined
  return { result, model, output: part?.type === 'tool-result' ? part.output : undefined }
}

function raise(): never {
  throw new Error('at once')
}

async function* yieldThenThrow() {
  yield 'first'
  throw new Error('after the first')
}
