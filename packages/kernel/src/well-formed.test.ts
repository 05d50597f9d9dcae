import { type ModelMessage, type ToolResultPart, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Capability } from './capability.ts'
import { createKernel } from './kernel.ts'
import { type ScriptedStep, scriptedModel } from './testing/scripted-model.ts'

// Half a surrogate pair: what is left of an emoji that was cut in two. Providers refuse it.
const half = 'cut \ud83d'
const mended = 'cut \ufffd'
const answers: readonly ScriptedStep[] = [{ toolCalls: [{ name: 'give' }] }, { text: 'ok' }]

describe('half a surrogate pair is not sent', () => {
  it.each<[string, Capability['sections']]>([
    ['a section', [{ name: 's', layer: 'L1', render: () => half }]],
    ['a promised one', [{ name: 's', layer: 'L2', render: async () => half }]],
    [
      'a piece of one',
      [{ name: 's', layer: 'L1', render: () => ({ pieces: [{ origin: 'p', text: half }] }) }],
    ],
  ])('of %s', async (_what, sections = []) => {
    expect(await sent({ capabilities: [{ name: 'desk', sections }] })).toContain(mended)
  })

  it('of context that was looked up, and of instructions', async () => {
    const hydrate = () => `hydrated ${half}`
    const prompt = await sent({ instructions: half, capabilities: [{ name: 'm', hydrate }] })
    expect(prompt.split(mended)).toHaveLength(3)
  })

  it('of what the user says', async () => {
    const text = { type: 'text' as const, text: half }
    expect(await sent({}, { query: half, attachments: [text] })).toContain(mended)
    const model = scriptedModel([{ text: 'ok' }, { text: 'ok' }])
    const kernel = createKernel({ model })
    await kernel.generate({ prompt: half, options: {} })
    await kernel.generate({ messages: [{ role: 'user', content: [text] }], options: {} })
    for (const { prompt } of model.received) expect(written(prompt)).toContain(mended)
  })

  const content: ToolResultPart['output'] = {
    type: 'content',
    value: [{ type: 'text', text: half }],
  }
  it.each<[string, unknown, ToolResultPart['output']?]>([
    ['a text', half],
    ['JSON', { list: [half, { [half]: 1 }], path: 'C:\\ud83d' }],
    ['content', 'x', content],
    ['an error of its own', 'x', { type: 'error-text', value: half }],
    ['error JSON', 'x', { type: 'error-json', value: { why: half } }],
    ['a denial', 'x', { type: 'execution-denied', reason: half }],
    ['an error that is thrown', new Error(half)],
  ])('of what a tool gave: %s', async (_what, value, output) => {
    const give = tool({
      inputSchema: z.object({}),
      execute: async () => {
        if (value instanceof Error) throw value
        return value
      },
      ...(output && { toModelOutput: () => output as never }),
    })
    const model = scriptedModel(answers)
    const { messages } = await createKernel({ model, tools: { give } }).run({ query: 'q' })
    expect(written(messages)).toContain(mended)
    expect(written(model.received[1]?.prompt)).toContain(mended)
  })

  it('but a history of the host’s stays as it is', async () => {
    const history: ModelMessage[] = [{ role: 'user', content: half }]
    const kernel = createKernel({ model: scriptedModel([{ text: 'ok' }]) })
    const { messages } = await kernel.run({ query: 'q', history })
    expect(messages[0]).toBe(history[0])
  })

  it('and whole pairs and backslashes stay as they are', async () => {
    const value = { text: '😀 \\ud83d \\\\ud83d', half }
    const give = tool({ inputSchema: z.object({}), execute: async () => value })
    const model = scriptedModel(answers)
    const { messages } = await createKernel({ model, tools: { give } }).run({ query: 'q' })
    const output = { type: 'json', value: { ...value, half: mended } }
    expect(messages[2]?.content[0]).toMatchObject({ output })
  })
})

type Options = Partial<Parameters<typeof createKernel>[0]>

/** What the model was sent first. */
async function sent(options: Options, input: object = {}): Promise<string> {
  const model = scriptedModel([{ text: 'ok' }])
  await createKernel({ model, ...options }).run({ query: 'q', ...input })
  return written(model.received[0]?.prompt)
}

/** As JSON, in which half a pair would be an escape. */
function written(value: unknown): string {
  const text = JSON.stringify(value)
  expect(text).not.toMatch(/(?<!\\)(?:\\\\)*\\ud83d/)
  return text
}
