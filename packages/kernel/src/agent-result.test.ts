import { isStepCount, ToolLoopAgent } from 'ai'
import { beforeEach, describe, expect, it } from 'vitest'
import { createKernel } from './kernel.ts'
import { type ScriptedStep, scriptedModel } from './testing/scripted-model.ts'
import {
  askCall,
  collect,
  lookCall,
  plain,
  playing,
  refusing,
  resultFields,
  tools,
  watchUnhandled,
} from './testing-fixtures/agent-calls.ts'

beforeEach(() => {
  const stopWatching = watchUnhandled()
  return async () => expect(await stopWatching()).toEqual([])
})

describe('a kernel is an agent of the AI SDK', () => {
  it.each<[string, ScriptedStep[]]>([
    ['text', [{ text: 'hello' }]],
    ['nothing', [{}]],
    ['reasoning', [{ reasoning: 'hm', text: 'hello', usage: { input: 3, cacheRead: 2 } }]],
    ['a tool', [{ text: 'let me see', toolCalls: [lookCall, lookCall] }, { text: 'seen' }]],
    ['a tool that fails', [{ toolCalls: [{ name: 'broken' }] }, { text: 'sorry' }]],
    ['an unknown tool', [{ toolCalls: [{ name: 'fly' }] }, { text: 'sorry' }]],
    ['invalid input', [{ toolCalls: [{ name: 'look', input: '{' }] }, { text: 'sorry' }]],
    ['a client’s tool', [{ toolCalls: [lookCall, askCall] }]],
    ['a cut-off answer', [{ text: 'half', finishReason: 'length', rawFinishReason: 'max' }]],
    [
      'three steps',
      [{ toolCalls: [lookCall] }, { reasoning: 'more', toolCalls: [lookCall] }, { text: 'done' }],
    ],
  ])('whose result is that of a ToolLoopAgent: %s', async (_what, script) => {
    const [ours, theirs] = await both(script)
    expect(fieldsOf(ours)).toEqual(fieldsOf(theirs))
  })

  it('that answers calls of a cut-off step, where the SDK leaves them open', async () => {
    const [ours, theirs] = await both([{ toolCalls: [lookCall], finishReason: 'length' }])
    expect(theirs.responseMessages.map(({ role }) => role)).toEqual(['assistant'])
    expect(ours.responseMessages.map(({ role }) => role)).toEqual(['assistant', 'tool'])
    expect(ours).toMatchObject({ finishReason: 'length', text: '' })
  })

  it('that shows a refusal as the tool’s error', async () => {
    const kernel = createKernel({
      model: scriptedModel([{ toolCalls: [lookCall] }, { text: 'ok' }]),
      tools,
      capabilities: [refusing('Read first.')],
    })
    const result = await kernel.generate({ prompt: 'go', options: {} })
    expect(result.content).toMatchObject([
      { type: 'tool-call', toolName: 'look' },
      { type: 'tool-error', toolName: 'look', error: 'Read first.' },
      { type: 'text', text: 'ok' },
    ])
    expect(result.toolResults).toEqual([])
  })

  it('that gives the rewritten text, and the steps as they were', async () => {
    const kernel = createKernel({
      model: scriptedModel([{ text: 'hello' }]),
      onResponseRender: [(text) => text.toUpperCase()],
    })
    const result = await kernel.generate({ prompt: 'go', options: {} })
    expect([result.text, result.finalStep.text]).toEqual(['HELLO', 'hello'])
  })

  it('that ends with "other" at its step limit', async () => {
    const script = Array.from({ length: 3 }, () => ({ toolCalls: [lookCall] }))
    const kernel = createKernel({ model: scriptedModel(script), tools, limits: { steps: 2 } })
    const result = await kernel.generate({ prompt: 'go', options: {} })
    expect(result).toMatchObject({ finishReason: 'other', steps: { length: 2 } })
  })

  it('that names the step limit as the raw reason, blocking and streaming alike', async () => {
    const script = [1, 2].map(() => ({ toolCalls: [lookCall], rawFinishReason: 'tool_use' }))
    const kernel = createKernel({ model: scriptedModel(script), tools, limits: { steps: 1 } })
    const blocking = await kernel.generate({ prompt: 'go', options: {} })
    const streaming = await kernel.stream({ prompt: 'go', options: {} })
    const parts = await collect(streaming.stream)
    expect(blocking.rawFinishReason).toBe('step-limit')
    expect(blocking.finalStep.rawFinishReason).toBe('tool_use')
    expect(parts.at(-1)).toMatchObject({ finishReason: 'other', rawFinishReason: 'step-limit' })
  })

  it('that shows files of reasoning among the reasoning', async () => {
    const model = scriptedModel([{ text: 'hello' }])
    const picture = {
      type: 'reasoning-file' as const,
      mediaType: 'image/png',
      data: { type: 'data' as const, data: 'AAAA' },
    }
    const doGenerate: typeof model.doGenerate = async (sent) => {
      const answer = await model.doGenerate(sent)
      return { ...answer, content: [picture, ...answer.content] }
    }
    const kernel = createKernel({ model: { ...model, doGenerate } })
    const agent = new ToolLoopAgent({
      model: { ...scriptedModel([{ text: 'hello' }]), doGenerate },
    })
    const ours = await kernel.generate({ prompt: 'go', options: {} }).catch((error) => error)
    expect(ours.reasoning).toMatchObject([{ type: 'reasoning-file', file: { base64: 'AAAA' } }])
    expect(ours.reasoningText).toBeUndefined()
    expect(ours.finalStep.reasoning).toEqual([
      { type: 'reasoning-file', mediaType: 'image/png', data: 'AAAA' },
    ])
    expect(agent.version).toBe(kernel.version)
  })
})

async function both(script: readonly ScriptedStep[]) {
  const { kernel } = playing(script)
  const agent = new ToolLoopAgent({
    model: scriptedModel(script),
    tools,
    stopWhen: isStepCount(20),
  })
  return [
    await kernel.generate({ prompt: 'go', options: {} }),
    await agent.generate({ prompt: 'go' }),
  ] as const
}

function fieldsOf(result: unknown) {
  const about = result as Record<string, unknown>
  return Object.fromEntries(
    [...resultFields, 'content' as const].map((name) => [name, plain(about[name])]),
  )
}
