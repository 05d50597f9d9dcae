import {
  generateText,
  isStepCount,
  jsonSchema,
  type LanguageModelMiddleware,
  type ModelMessage,
  Output,
  streamText,
  tool,
  wrapLanguageModel,
} from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { createMemory, type Memory } from '../create-memory.ts'
import type { StoredEntry } from '../entry.ts'
import { createInMemoryStore } from '../in-memory-store.ts'
import { block, type Said, speakingModel } from '../testing-fixtures/speaking-model.ts'
import { type MemoryMiddlewareOptions, memoryMiddleware } from './memory-middleware.ts'

const scope = { tenantId: 'acme', userId: 'ann' }
const note = block({ kind: 'fact', content: 'Ann is allergic to walnuts.' })
const look = tool({
  inputSchema: jsonSchema<object>({ type: 'object', properties: {} }),
  execute: async () => 'seen',
})

describe('memory as middleware', () => {
  it.each(['generate', 'stream'] as const)(
    'remembers in one conversation what was said in another (%s)',
    async (way) => {
      const memory = memoryOf()
      const first = conversation(memory, [{ texts: [`Noted.\n${note}`] }], { sessionId: 's1' })
      expect(await first.ask(way, 'I cannot eat walnuts.')).toBe('Noted.\n')
      await memory.flush()
      const second = conversation(memory, [{ texts: ['No walnuts.'] }], { sessionId: 's2' })
      await second.ask(way, 'What about walnuts?')
      expect(second.prompt(0)).toContain('Ann is allergic to walnuts.')
    },
  )

  it('puts directives and memories behind the system messages of the host', async () => {
    const memory = memoryOf()
    await remember(memory)
    const { ask, model } = conversation(memory, [{}])
    await ask('generate', 'walnuts?', { instructions: 'You are kind.' })
    const prompt = callsOf(model)[0]?.prompt ?? []
    expect(prompt.map(({ role }) => role)).toEqual(['system', 'system', 'system', 'user'])
    expect(prompt.map(({ content }) => JSON.stringify(content).slice(0, 24))).toEqual([
      '"You are kind."',
      expect.stringContaining('## Memory notes'),
      expect.stringContaining('## Recalled memory'),
      expect.stringContaining('text'),
    ])
  })

  it('looks up once for what the user says, whatever the steps', async () => {
    const memory = memoryOf()
    const hydrate = vi.spyOn(spied(memory), 'hydrate')
    const calls = [{ toolName: 'look' }]
    const { ask, prompt } = conversation(spied(memory), [{ calls }, { calls }, { texts: ['ok'] }])
    await remember(memory)
    await ask('generate', 'walnuts?', { tools: { look }, stopWhen: isStepCount(5) })
    expect(hydrate).toHaveBeenCalledTimes(1)
    for (const step of [0, 1, 2]) expect(prompt(step)).toContain('allergic')
    await ask('generate', 'and hazelnuts?').catch(() => {})
    expect(hydrate).toHaveBeenCalledTimes(2)
  })

  it.each(['generate', 'stream'] as const)(
    'looks up once for a call that is retried, and again for a later one of the same words (%s)',
    async (way) => {
      vi.useFakeTimers({ toFake: ['Date'] })
      try {
        const memory = spied(memoryOf())
        const hydrate = vi.spyOn(memory, 'hydrate')
        const down = { error: new Error('down') }
        const { ask } = conversation(memory, [down, { texts: ['ok'] }, down, { texts: ['ok'] }])
        const failing = () => ask(way, 'walnuts?').catch(() => {})
        await failing()
        await failing()
        expect(hydrate).toHaveBeenCalledTimes(1)
        await failing()
        expect(hydrate).toHaveBeenCalledTimes(2)
        vi.setSystemTime(Date.now() + 60_000)
        await failing()
        expect(hydrate).toHaveBeenCalledTimes(3)
      } finally {
        vi.useRealTimers()
      }
    },
  )

  it('looks nothing up for a turn that began elsewhere and goes on after a tool', async () => {
    const memory = spied(memoryOf())
    const hydrate = vi.spyOn(memory, 'hydrate')
    const { model, middleware } = conversation(memory, [{ texts: ['ok'] }])
    const messages: ModelMessage[] = [
      { role: 'user', content: 'walnuts?' },
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: '1', toolName: 'look', input: {} }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: '1',
            toolName: 'look',
            output: { type: 'text', value: 'seen' },
          },
        ],
      },
    ]
    await generateText({ model: wrapLanguageModel({ model, middleware }), messages })
    expect(hydrate).not.toHaveBeenCalled()
    expect(JSON.stringify(callsOf(model)[0]?.prompt)).toContain('## Memory notes')
  })

  it('learns from all steps of a turn, once it has ended with stop', async () => {
    const memory = memoryOf()
    const calls = [{ toolName: 'look' }]
    const { ask } = conversation(memory, [{ texts: [note], calls }, { texts: ['Done.'] }])
    await ask('stream', 'hello', { tools: { look }, stopWhen: isStepCount(5) })
    await memory.flush()
    expect(await contents(memory)).toEqual(
      expect.arrayContaining(['hello', 'Done.', 'Ann is allergic to walnuts.']),
    )
  })

  it('learns an answer that is asked for again as one of its own', async () => {
    const memory = spied(memoryOf())
    const consolidate = vi.spyOn(memory, 'consolidate')
    const { ask } = conversation(memory, [{ texts: ['One.'] }, { texts: ['Two.'] }])
    await ask('generate', 'hello')
    await ask('generate', 'hello')
    const told = consolidate.mock.calls.map(([, { messages }]) => messages.map(({ text }) => text))
    expect(told).toEqual([
      ['hello', 'One.'],
      ['hello', 'Two.'],
    ])
  })

  const questions = ['one apple', 'yes', 'yes', 'OK?', 'yes', 'yes']
  it.each<[string, (told: readonly ModelMessage[]) => readonly ModelMessage[]]>([
    ['the last message', (told) => told.slice(-1)],
    ['a window', (told) => told.slice(-3)],
    ['an even window', (told) => told.slice(-4)],
    ['everything', (told) => told],
  ])('writes every turn, in order, of a host that sends %s', async (_what, windowOf) => {
    const memory = memoryOf()
    const script = questions.flatMap((_, index) => [
      { texts: [`Look ${index}.`], calls: [{ toolName: 'look' }] },
      { texts: [`Answer ${index}.`] },
    ])
    const { ask } = conversation(memory, script)
    const told: ModelMessage[] = []
    for (const content of questions) {
      told.push({ role: 'user', content })
      const options = { tools: { look }, stopWhen: isStepCount(5) }
      const text = await ask('generate', [...windowOf(told)], options)
      told.push({ role: 'assistant', content: text })
      await memory.flush()
    }
    const expected = questions.flatMap((content, index) => [
      content,
      `Look ${index}.`,
      `Answer ${index}.`,
    ])
    const { entries } = await memory.list(scope, {
      filter: { layers: ['episodic'], kind: 'turn' },
      order: 'oldest',
    })
    const ordered = entries.toSorted((a, b) => indexOf(a) - indexOf(b))
    expect(ordered.map(({ content }) => content)).toEqual(expected)
    expect(ordered.map(indexOf)).toEqual(expected.map((_, index) => index))
    const working = await memory.list(scope, { filter: { layers: ['working'] } })
    const tail = working.entries.toSorted((a, b) => indexOf(a) - indexOf(b))
    expect(tail.map(({ content }) => content)).toEqual(expected.slice(-tail.length))
  })

  it('keeps the turns in order that come faster than a store writes', async () => {
    const store = createInMemoryStore()
    const list: typeof store.list = async (...asked) => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      return store.list(...asked)
    }
    const memory = memoryOf({ ...store, list })
    const { ask } = conversation(memory, [{ texts: ['1'] }, { texts: ['2'] }, { texts: ['3'] }])
    for (const said of ['one', 'two', 'three']) await ask('generate', said)
    await memory.flush()
    const { entries } = await store.list(scope, { filter: { layers: ['episodic'] } })
    expect(entries.map((entry) => [indexOf(entry), entry.content]).sort()).toEqual(
      ['one', '1', 'two', '2', 'three', '3'].map((content, index) => [index, content]),
    )
  })

  it('writes a turn once that the host tells again by its name', async () => {
    const memory = memoryOf()
    const script = [{ texts: ['One.'] }, { texts: ['One.'] }, { texts: ['Two.'] }]
    const ids = ['a', 'a', undefined]
    const { ask } = conversation(memory, script, { turnIdOf: () => ids.shift() })
    for (const _ of script) {
      await ask('generate', 'yes')
      await memory.flush()
    }
    const { entries } = await memory.list(scope, { filter: { layers: ['episodic'] } })
    expect(entries.map(({ content }) => content).sort()).toEqual(['One.', 'Two.', 'yes', 'yes'])
  })

  it('refuses a name of a turn that is none before the model is asked', async () => {
    const { ask, model } = conversation(memoryOf(), [{}], { turnIdOf: () => '' })
    await expect(ask('generate', 'yes')).rejects.toMatchObject({ code: 'MEMORY_ENTRY_INVALID' })
    expect(callsOf(model)).toEqual([])
  })

  it('knows the steps of a turn also where they send less and less of it', async () => {
    const memory = spied(memoryOf())
    const consolidate = vi.spyOn(memory, 'consolidate')
    const calls = [{ toolName: 'look' }]
    const { ask } = conversation(memory, [{ calls }, { calls }, { texts: ['Done.'] }])
    await ask(
      'generate',
      [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
        { role: 'user', content: 'hello' },
      ],
      {
        tools: { look },
        stopWhen: isStepCount(5),
        prepareStep: ({ messages, stepNumber }) => ({
          messages: messages.slice(stepNumber === 0 ? 0 : 2),
        }),
      },
    )
    expect(consolidate.mock.calls.map(([, { messages }]) => messages.length)).toEqual([2])
  })

  it('tells a turn of any number of steps', async () => {
    const memory = memoryOf()
    const steps = Array.from({ length: 230 }, (_, index) => ({
      texts: [`step ${index}`],
      calls: [{ toolName: 'look' }],
    }))
    const { ask } = conversation(memory, [...steps, { texts: ['Done.'] }])
    await ask('generate', 'hello', { tools: { look }, stopWhen: isStepCount(300) })
    await memory.flush()
    const { entries } = await memory.list(scope, { limit: 500 })
    const told = entries.map(({ content }) => content)
    expect(told).toEqual(expect.arrayContaining(['hello', 'Done.']))
    expect(told.some((content) => content.includes('step 7\n'))).toBe(true)
  })

  it.each(['generate', 'stream'] as const)(
    'neither shows nor learns the tail of a block that a call came into (%s)',
    async (way) => {
      const memory = memoryOf()
      const [head, tail] = [note.slice(0, 40), note.slice(40)]
      const { ask } = conversation(memory, [
        { texts: [`Let me see.\n${head}`], calls: [{ toolName: 'look' }] },
        { texts: [`${tail}\nDone.`] },
      ])
      const text = await ask(way, 'hello', { tools: { look }, stopWhen: isStepCount(5) })
      expect(text).toBe(way === 'stream' ? 'Let me see.\nDone.' : 'Done.')
      await memory.flush()
      expect((await contents(memory)).map((content) => content.trim()).sort()).toEqual(
        expect.arrayContaining(['Done.', 'Let me see.', 'hello']),
      )
      expect(JSON.stringify(await contents(memory))).not.toContain('walnuts')
    },
  )

  it.each<[string, Said]>([
    ['was cut off', { texts: [note], finishReason: 'length' }],
    ['failed', { error: new Error('down') }],
  ])('learns nothing from an answer that %s', async (_how, said) => {
    const memory = memoryOf()
    const { ask } = conversation(memory, [said])
    await ask('generate', 'hello').catch(() => {})
    await memory.flush()
    expect(await contents(memory)).toEqual([])
  })

  it('asks for no blocks where the answer is JSON, and answers it whole', async () => {
    const memory = memoryOf()
    const { prompt, model, middleware } = conversation(memory, [{ texts: ['{"seat":"12A"}'] }])
    const schema = jsonSchema<{ seat: string }>({
      type: 'object',
      properties: { seat: { type: 'string' } },
    })
    const { output } = await generateText({
      model: wrapLanguageModel({ model, middleware }),
      prompt: 'my seat?',
      output: Output.object({ schema }),
    })
    expect(output).toEqual({ seat: '12A' })
    expect(prompt(0)).not.toContain('Memory notes')
  })

  it('asks a model of OpenAI in its own way (MEM-35)', async () => {
    const ours = conversation(memoryOf(), [{}], {}, 'openai.responses')
    const theirs = conversation(memoryOf(), [{}], {}, 'anthropic.messages')
    await ours.ask('generate', 'hello')
    await theirs.ask('generate', 'hello')
    expect(ours.prompt(0)).not.toBe(theirs.prompt(0))
  })

  it('hides blocks also where it asks for none', async () => {
    const { ask, prompt } = conversation(memoryOf(), [{ texts: [`a\n${note}\nb`] }], {
      extraction: false,
    })
    expect(await ask('stream', 'hello')).toBe('a\nb')
    expect(prompt(0)).not.toContain('Memory notes')
  })

  it('shows the tail of the conversation only where the host sends none of it', async () => {
    const memory = memoryOf()
    const { ask, prompt } = conversation(memory, [{ texts: ['Hello Ann.'] }, {}, {}])
    await ask('generate', 'I am Ann.')
    await memory.flush()
    await ask('generate', 'xyzzy')
    expect(prompt(1)).toMatch(/- working: .*I am Ann\./)
    await ask('generate', [
      { role: 'user', content: 'I am Ann.' },
      { role: 'assistant', content: 'Hello Ann.' },
      { role: 'user', content: 'xyzzy' },
    ])
    expect(prompt(2)).not.toContain('- working:')
  })

  it('keeps two people of one conversation apart', async () => {
    const memory = memoryOf()
    await remember(memory)
    const { ask, prompt } = conversation(memory, [{}], { scope: { ...scope, userId: 'bob' } })
    await ask('generate', 'walnuts?')
    expect(prompt(0)).not.toContain('allergic')
  })

  it('costs recall and not the answer, when the store is down', async () => {
    const store = createInMemoryStore()
    const memory = memoryOf(store)
    const onHydrate = vi.fn(() => {
      throw new Error('a listener that fails')
    })
    const { ask } = conversation(memory, [{ texts: ['Hello.'] }], { onHydrate })
    await store.close()
    expect(await ask('stream', 'hello')).toBe('Hello.')
    await memory.flush()
    expect(onHydrate).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ failed: true }))
    expect(memory.counters()).toMatchObject({ recallFailures: 1, writeFailures: 1 })
  })

  it('goes on without a store that hangs, when its time is over', async () => {
    const memory = { ...memoryOf() }
    vi.spyOn(memory, 'list').mockReturnValue(new Promise(() => {}))
    const hydrate = vi.spyOn(memory, 'hydrate')
    const { ask } = conversation(memory, [{ texts: ['Hello.'] }], { timeoutMs: 5 })
    expect(await ask('generate', 'hello')).toBe('Hello.')
    expect(hydrate.mock.calls[0]?.[1].signal?.aborted).toBe(true)
  })

  it('looks up again what was cut short by the caller', async () => {
    const memory = { ...memoryOf() }
    const hydrate = vi.spyOn(memory, 'hydrate')
    const { model, middleware } = conversation(memory, [{ texts: ['ok'] }, { texts: ['ok'] }])
    const wrapped = wrapLanguageModel({ model, middleware })
    const call = (abortSignal: AbortSignal) => wrapped.doGenerate({ prompt: said, abortSignal })
    const said = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }]
    await call(AbortSignal.abort())
    await call(new AbortController().signal)
    expect(hydrate).toHaveBeenCalledTimes(2)
  })

  it.each([
    [{ scope: undefined as never }, 'MEMORY_SCOPE_REQUIRED'],
    [{ scope: { tenantId: '' } }, 'MEMORY_SCOPE_INVALID'],
    [{ sessionId: 7 as never }, 'MEMORY_ENTRY_INVALID'],
    [{ sessionId: undefined as never }, 'MEMORY_ENTRY_INVALID'],
    [{ timeoutMs: 0 }, 'MEMORY_OPTION_INVALID'],
    [{ timeoutMs: 2 ** 31 }, 'MEMORY_OPTION_INVALID'],
    [{ extraction: { budgetTokens: 0 } }, 'MEMORY_OPTION_INVALID'],
    [{ extraction: { template: '{{SEAT}}' } }, 'MEMORY_EXTRACTION_PLACEHOLDERS'],
    [{ extraction: { values: { SOUL_SCHEMA: {} } } }, 'MEMORY_EXTRACTION_VALUE'],
  ])('refuses %j where it is made', (options, code) => {
    const make = () => memoryMiddleware(memoryOf(), { scope, sessionId: 's', ...options })
    expect(make).toThrow(expect.objectContaining({ code }))
  })
})

function memoryOf(store = createInMemoryStore()): Memory {
  return createMemory({ store })
}

const copies = new WeakMap<Memory, Memory>()

/** The same memory as an object whose methods can be watched. */
function spied(memory: Memory): Memory {
  const copy = copies.get(memory) ?? { ...memory }
  copies.set(memory, copy).set(copy, copy)
  return copy
}

async function remember(memory: Memory) {
  const content = 'Ann is allergic to walnuts.'
  await memory.remember(scope, { layer: 'semantic', content, provenance: { source: 'author' } })
}

async function contents(memory: Memory) {
  return (await memory.list(scope)).entries.map(({ content }) => content)
}

function callsOf(model: ReturnType<typeof speakingModel>) {
  return [...model.doGenerateCalls, ...model.doStreamCalls]
}

function indexOf({ sequence }: StoredEntry): number {
  return sequence?.index ?? -1
}

type Asked = Partial<
  Pick<Parameters<typeof generateText>[0], 'instructions' | 'tools' | 'stopWhen' | 'prepareStep'>
>

function conversation(
  memory: Memory,
  script: readonly Said[],
  options: Partial<MemoryMiddlewareOptions> = {},
  provider = 'mock',
) {
  const model = speakingModel(script, { provider })
  const middleware: LanguageModelMiddleware = memoryMiddleware(memory, {
    ...{ scope, sessionId: 's' },
    ...options,
  })
  const wrapped = wrapLanguageModel({ model, middleware })
  return {
    ...{ model, middleware },
    prompt: (call: number) => JSON.stringify(callsOf(model)[call]?.prompt),
    ask: async (way: 'generate' | 'stream', prompt: string | ModelMessage[], asked: Asked = {}) => {
      const call = { ...asked, model: wrapped, prompt, maxRetries: 0 }
      if (way === 'generate') return (await generateText(call)).text
      let text = ''
      for await (const piece of streamText(call).textStream) text += piece
      return text
    },
  }
}
