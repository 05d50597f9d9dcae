import { type FilePart, type ModelMessage, tool } from 'ai'
import { applyPatches, enablePatches, type Patch } from 'immer'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createKernel } from './kernel.ts'
import type { KernelOptions } from './kernel-options.ts'
import { scriptedModel } from './testing/scripted-model.ts'
import { isOurs, openTurn, transcriptOf } from './turn-state.ts'

enablePatches()

const script = [{ toolCalls: [{ name: 'read', input: { id: 'A1' } }] }, { text: 'done' }]
const read = tool({ inputSchema: z.object({ id: z.string() }), execute: async () => 'seats' })

describe("a turn's state", () => {
  it('is told as patches, which rebuild its last value from its first', async () => {
    const patches: Patch[] = []
    const result = await createKernel({
      model: scriptedModel(script),
      tools: { read },
      onStatePatch: (more) => patches.push(...more),
    }).run({ query: 'q', runId: 'r' })

    const first = openTurn({
      runId: 'r',
      sessionId: undefined,
      scope: undefined,
      query: 'q',
      history: [],
      asked: result.messages.slice(0, 1),
    })
    const last = applyPatches(first, patches)
    expect(transcriptOf(last)).toEqual(result.messages)
    expect(last).toMatchObject({ text: 'done', finishReason: 'stop', usage: result.usage })
    expect(last.steps).toEqual(result.steps)
  })

  it('gives a result nobody can change by accident', async () => {
    const result = await createKernel({ model: scriptedModel(script), tools: { read } }).run({
      query: 'q',
    })
    expect(Object.isFrozen(result)).toBe(true)
    expect(Object.isFrozen(result.steps)).toBe(true)
    expect(Object.isFrozen(result.steps[0]?.messages[0])).toBe(true)
  })

  it.each<[string, Pick<KernelOptions, 'onStatePatch'>]>([
    ['nobody', {}],
    ['a listener', { onStatePatch: () => {} }],
  ])(
    'knows every message its steps made as its own when %s hears of patches',
    async (_who, options) => {
      const kernel = createKernel({ model: scriptedModel(script), tools: { read }, ...options })
      const { messages, added } = await kernel.run({ query: 'q' })
      expect(added.slice(1).map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant'])
      expect(messages.slice(1).map(isOurs)).toEqual([true, true, true])
    },
  )

  it("never freezes the caller's own objects", async () => {
    const history: ModelMessage[] = [
      { role: 'user', content: [{ type: 'text', text: 'earlier' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'yes' }] },
    ]
    const attachment: FilePart = { type: 'file', data: 'aGk=', mediaType: 'text/plain' }
    const state = { list: [1] }
    const scope = { tenantId: 't' }
    const value = { seats: [1] }
    const shared = tool({ inputSchema: z.object({ id: z.string() }), execute: async () => value })
    const model = scriptedModel(script)
    const kernel = createKernel({ model, tools: { read: shared } })
    await kernel.run({ query: 'q', history, attachments: [attachment], state, scope })

    const own = [history, history[0], history[0]?.content, attachment, state, state.list, scope]
    for (const object of [...own, value, value.seats, shared, model]) {
      expect(Object.isFrozen(object)).toBe(false)
    }
  })
})
