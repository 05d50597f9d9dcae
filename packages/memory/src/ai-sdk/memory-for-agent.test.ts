import { isStepCount, jsonSchema, type LanguageModel, Output, ToolLoopAgent, tool } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { createMemory, type Memory } from '../create-memory.ts'
import { createInMemoryStore } from '../in-memory-store.ts'
import type { Scope } from '../scope.ts'
import { block, type Said, speakingModel } from '../testing-fixtures/speaking-model.ts'
import { type MemoryForAgentOptions, memoryForAgent } from './memory-for-agent.ts'

interface CallOptions {
  scope: Scope
  sessionId: string
  turnId?: string
}

const scope = { tenantId: 'acme', userId: 'ann' }
const note = block({ kind: 'fact', content: 'Ann is allergic to walnuts.' })
const look = tool({
  inputSchema: jsonSchema<object>({ type: 'object', properties: {} }),
  execute: async () => 'seen',
})

describe('an agent with memory', () => {
  it.each(['generate', 'stream'] as const)(
    'remembers in a later call what was said in an earlier one (%s)',
    async (way) => {
      const { ask, prompt } = agentWith([{ texts: [`Noted.\n${note}`] }, { texts: ['ok'] }])
      expect(await ask(way, 'I cannot eat walnuts.', { sessionId: 's1' })).toBe('Noted.\n')
      await ask(way, 'What about walnuts?', { sessionId: 's2' })
      expect(prompt(0)).not.toContain('## Recalled memory')
      expect(prompt(1)).toContain('Ann is allergic to walnuts.')
    },
  )

  it('serves all tenants, each with its own memory', async () => {
    const { ask, prompt } = agentWith([{ texts: [note] }, {}])
    await ask('generate', 'walnuts', {})
    await ask('generate', 'walnuts', { scope: { ...scope, tenantId: 'globex' } })
    expect(prompt(1)).not.toContain('allergic')
  })

  it('looks up once a call, and learns from all its steps', async () => {
    const memory = { ...memoryOf() }
    const hydrate = vi.spyOn(memory, 'hydrate')
    const calls = [{ toolName: 'look' }]
    const { ask } = agentWith([{ texts: [note], calls }, { texts: ['Done.'] }], {}, memory)
    await ask('generate', 'hello', {})
    expect(hydrate).toHaveBeenCalledTimes(1)
    expect(await contents(memory)).toEqual(
      expect.arrayContaining(['hello', 'Done.', 'Ann is allergic to walnuts.']),
    )
  })

  it('writes every call of a host that sends the last message only', async () => {
    const { ask, memory } = agentWith(['a', 'b', 'c', 'd'].map((text) => ({ texts: [text] })))
    for (const said of ['one', 'yes', 'yes', 'yes']) await ask('generate', said, {})
    const { entries } = await memory.list(scope, { filter: { layers: ['episodic'] } })
    const places = entries.map(({ sequence, content }) => [sequence?.index ?? -1, content] as const)
    expect(places.toSorted(([a], [b]) => a - b)).toEqual(
      ['one', 'a', 'yes', 'b', 'yes', 'c', 'yes', 'd'].map((content, index) => [index, content]),
    )
  })

  it('writes a call once that is told again under the same name', async () => {
    const { ask, memory } = agentWith([{ texts: ['ok'] }, { texts: ['ok'] }])
    for (const _ of [1, 2]) await ask('generate', 'yes', { turnId: 'request-7' })
    const { entries } = await memory.list(scope, { filter: { layers: ['episodic'] } })
    expect(entries.map(({ content }) => content).sort()).toEqual(['ok', 'yes'])
  })

  it.each(['generate', 'stream'] as const)(
    'neither shows nor learns the tail of a block that a call came into (%s)',
    async (way) => {
      const { ask, memory } = agentWith([
        { texts: [note.slice(0, 40)], calls: [{ toolName: 'look' }] },
        { texts: [`${note.slice(40)}\nDone.`] },
      ])
      expect(await ask(way, 'hello', {})).toBe('Done.')
      expect(JSON.stringify(await contents(memory))).not.toContain('walnuts')
    },
  )

  it('keeps the instructions of the host in front', async () => {
    const { ask, model } = agentWith([{}, {}])
    await ask('generate', 'hello', {})
    expect(callsOf(model)[0]?.prompt.slice(0, 2)).toMatchObject([
      { role: 'system', content: 'You are kind.' },
      { role: 'system', content: expect.stringContaining('## Memory notes') },
    ])
  })

  it('asks for no blocks where the answer is JSON', async () => {
    const memory = memoryOf()
    const { prepareCall } = memoryForAgent(memory, { placeOf: () => ({ scope, sessionId: 's' }) })
    const call = { model: speakingModel([]), prompt: 'my seat?', output: Output.json() }
    expect(await prepareCall(call)).toMatchObject({ instructions: [], prompt: 'my seat?' })
  })

  it.each<[string, Said]>([
    ['was cut off', { texts: [note], finishReason: 'length' }],
    ['failed', { error: new Error('down') }],
  ])('learns nothing from an answer that %s', async (_how, said) => {
    const { ask, memory } = agentWith([said])
    await ask('generate', 'hello', {}).catch(() => {})
    expect(await contents(memory)).toEqual([])
  })

  it('ends a call whose scope is missing: that is no wildcard', async () => {
    const { ask, model } = agentWith([{}])
    await expect(ask('generate', 'hello', { scope: undefined as never })).rejects.toMatchObject({
      code: 'MEMORY_SCOPE_REQUIRED',
    })
    expect(callsOf(model)).toEqual([])
  })

  it('ends a call that has no place at all', async () => {
    const { ask, model } = agentWith([{}], { placeOf: () => undefined as never })
    const code = 'MEMORY_SCOPE_REQUIRED'
    await expect(ask('generate', 'hello', {})).rejects.toMatchObject({ code })
    expect(callsOf(model)).toEqual([])
  })

  it.each([{ sessionId: 7 as never }, { turnId: '' }])(
    'ends a call of a conversation or turn that is none, before it is asked: %j',
    async (given) => {
      const { ask, model } = agentWith([{}])
      const code = 'MEMORY_ENTRY_INVALID'
      await expect(ask('generate', 'hello', given)).rejects.toMatchObject({ code })
      expect(callsOf(model)).toEqual([])
    },
  )

  it('takes a place whose keys are getters of a class', async () => {
    class Place {
      get scope() {
        return scope
      }
      get sessionId() {
        return 'mine'
      }
    }
    const { ask, memory } = agentWith([{ texts: ['ok'] }], { placeOf: () => new Place() })
    await ask('generate', 'hello', {})
    const { entries } = await memory.list(scope, { filter: { sessionId: 'mine' } })
    expect(entries.map(({ content }) => content)).toContain('hello')
  })

  it('resolves an id of a model as the SDK does', async () => {
    const model = speakingModel([{ texts: ['ok'] }])
    const languageModel = vi.fn(() => model)
    vi.stubGlobal('AI_SDK_DEFAULT_PROVIDER', { languageModel })
    try {
      const { ask } = agentWith([], {}, memoryOf(), 'openai/gpt-5')
      expect(await ask('generate', 'hello', {})).toBe('ok')
      expect(languageModel).toHaveBeenCalledWith('openai/gpt-5')
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it.each([undefined, null, {}, { symfonicMemory: { place: { scope }, turn: {} } }, 'x'])(
    'takes no end for one it began: %j',
    async (runtimeContext) => {
      const memory = memoryOf()
      const { onEnd } = memoryForAgent(memory, { placeOf: () => ({ scope, sessionId: 's' }) })
      onEnd({ finishReason: 'stop', runtimeContext })
      await memory.flush()
      expect(await contents(memory)).toEqual([])
    },
  )
})

function memoryOf(): Memory {
  return createMemory({ store: createInMemoryStore() })
}

async function contents(memory: Memory) {
  await memory.flush()
  return (await memory.list(scope)).entries.map(({ content }) => content)
}

function callsOf(model: ReturnType<typeof speakingModel>) {
  return [...model.doGenerateCalls, ...model.doStreamCalls]
}

function agentWith(
  script: readonly Said[],
  options: Partial<MemoryForAgentOptions<CallOptions>> = {},
  memory: Memory = memoryOf(),
  id?: string,
) {
  const model = speakingModel(script)
  const asked: LanguageModel = id ?? model
  const agent = new ToolLoopAgent<CallOptions, { look: typeof look }>({
    model: asked,
    instructions: 'You are kind.',
    tools: { look },
    stopWhen: isStepCount(5),
    maxRetries: 0,
    ...memoryForAgent<CallOptions>(memory, { placeOf: (given) => given, ...options }),
  })
  return {
    ...{ memory, model },
    prompt: (call: number) => JSON.stringify(callsOf(model)[call]?.prompt),
    ask: async (way: 'generate' | 'stream', prompt: string, given: Partial<CallOptions>) => {
      const call = { prompt, options: { scope, sessionId: 's', ...given } }
      let text = ''
      if (way === 'generate') text = (await agent.generate(call)).text
      else for await (const piece of (await agent.stream(call)).textStream) text += piece
      await memory.flush()
      return text
    },
  }
}
