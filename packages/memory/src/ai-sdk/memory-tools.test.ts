import { generateText, isStepCount } from 'ai'
import { describe, expect, it } from 'vitest'
import { createMemory, type Memory } from '../create-memory.ts'
import { createInMemoryStore } from '../in-memory-store.ts'
import { speakingModel } from '../testing-fixtures/speaking-model.ts'
import { type MemoryToolsOptions, memoryTools } from './memory-tools.ts'

const scope = { tenantId: 'acme', userId: 'ann' }
const bob = { tenantId: 'acme', userId: 'bob' }

describe('the memory tools', () => {
  it('work in the loop of the SDK: remember, recall, correct, list, forget', async () => {
    const memory = memoryOf()
    const { id } = (await call(memory, 'memory_remember', {
      content: 'Ann sits by the window.',
      kind: 'preference',
      about: 'seat',
    })) as { id: string }
    const again = await call(memory, 'memory_remember', {
      content: 'Ann sits by the window.',
      kind: 'preference',
      about: 'seat',
    })
    expect(again).toEqual({ id, isNew: false })
    expect(await call(memory, 'memory_recall', { query: 'window seat' })).toMatchObject({
      found: [
        {
          id,
          about: 'seat',
          content: 'Ann sits by the window.',
          because: expect.arrayContaining(['text']),
        },
      ],
    })
    const corrected = await call(memory, 'memory_correct', {
      id,
      content: 'Ann sits on the aisle.',
    })
    expect(corrected).toMatchObject({ corrected: true })
    const listed = await call(memory, 'memory_list', { about: 'seat' })
    expect(listed).toMatchObject({ entries: [{ content: 'Ann sits on the aisle.' }] })
    const ids = (listed as { entries: { id: string }[] }).entries.map((entry) => entry.id)
    // What was wrong goes with what replaced it.
    expect(await call(memory, 'memory_forget', { ids })).toEqual({ forgotten: 2 })
    expect(await call(memory, 'memory_list', { layer: 'semantic' })).toEqual({ entries: [] })
  })

  it('remember what is due as an intention', async () => {
    const memory = memoryOf()
    const due = '2026-05-31T09:00Z'
    await call(memory, 'memory_remember', { content: 'Ask Ann about her visa.', due })
    const [intention] = await memory.intentions(scope, { now: Date.parse(due) })
    expect(intention).toMatchObject({ layer: 'prospective', content: 'Ask Ann about her visa.' })
  })

  it('keep secrets out', async () => {
    const memory = memoryOf()
    const key = ['sk', 'ant', 'api03', 'a1B2'.repeat(24)].join('-')
    await call(memory, 'memory_remember', { content: `The key is ${key}` })
    expect(JSON.stringify(await memory.list(scope))).not.toContain('a1B2')
  })

  it('answer for the ids of somebody else as for invented ones', async () => {
    const memory = memoryOf()
    const { id } = await remember(memory, bob, 'Bob sits by the window.')
    for (const asked of [id, 'm_invented']) {
      const correction = { id: asked, content: 'x' }
      expect(await call(memory, 'memory_correct', correction)).toEqual({
        corrected: false,
        reason: 'not-found',
      })
      expect(await call(memory, 'memory_forget', { ids: [asked] })).toEqual({ forgotten: 0 })
    }
    expect(await call(memory, 'memory_recall', { query: 'window' })).toEqual({ found: [] })
    expect((await memory.list(bob)).entries).toHaveLength(1)
  })

  it('bound what they answer, and page through the rest', async () => {
    const memory = memoryOf()
    for (let index = 0; index < 25; index += 1) {
      await remember(memory, scope, `window ${index} ${'🙂'.repeat(700)}`)
    }
    const first = (await call(memory, 'memory_list', {})) as Page
    const second = (await call(memory, 'memory_list', { cursor: first.next })) as Page
    expect([first.entries.length, second.entries.length, second.next]).toEqual([20, 5, undefined])
    for (const { content } of first.entries) {
      expect(content.length).toBeLessThanOrEqual(601)
      expect(content.isWellFormed()).toBe(true)
    }
    const { found } = (await call(memory, 'memory_recall', { query: 'window' })) as {
      found: unknown[]
    }
    expect(found.length).toBeLessThanOrEqual(20)
  })

  it.each<[string, object, RegExp]>([
    ['memory_remember', { content: 'x', due: 'tomorrow' }, /no ISO 8601 date/],
    ['memory_remember', { content: '' }, /content/],
    ['memory_remember', { content: 7 }, /content/],
    ['memory_recall', {}, /Write a few words/],
    ['memory_correct', { id: 7, content: 'x' }, /id/],
    ['memory_forget', { ids: 'everything' }, /no list of at most 20 ids/],
    ['memory_forget', { everything: true }, /There is only: ids/],
    ['memory_forget', { ids: ['a'], source: { source: 'author' } }, /There is only: ids/],
    ['memory_forget', { ids: [1, null] }, /no list of at most 20 ids/],
    ['memory_forget', { ids: [] }, /no list of at most 20 ids/],
    ['memory_remember', { content: 'x', kind: 'AGENT_IDENTITY' }, /none of fact, preference/],
    ['memory_remember', { content: 'x', kind: 'skill' }, /none of fact, preference/],
    ['memory_remember', { content: 'x', kind: 'entity' }, /none of fact, preference/],
    ['memory_remember', { content: 'x', kind: null }, /none of fact, preference/],
    ['memory_remember', { content: 'x', scope: { tenantId: 'b' } }, /There is only: content/],
    ['memory_remember', { content: 'x', toString: 1 }, /There is only: content/],
    ['memory_remember', { content: 'x', about: { $ne: 1 } }, /about/],
    ['memory_remember', { content: 'x'.repeat(2_001) }, /1 to 2000 characters/],
    ['memory_recall', { query: 'x'.repeat(2_001) }, /1 to 2000 characters/],
    ['memory_recall', [], /query|object/],
    ['memory_correct', { id: 'a', content: ['x'] }, /content/],
    ['memory_correct', { id: 'a', content: 'x', author: 'boss' }, /There is only: id, content/],
    ['memory_list', { about: { $ne: 1 } }, /about/],
    ['memory_forget', { ids: Array.from({ length: 21 }, String) }, /no list of at most 20 ids/],
    ['memory_list', { layer: '__proto__' }, /none of working/],
    ['memory_list', { cursor: 'x' }, /cursor/],
  ])('let the model read what is wrong: %s %j', async (name, input, message) => {
    expect(await call(memoryOf(), name, input)).toMatch(message)
  })

  it.each<[string, object]>([
    ['memory_remember', { content: 'x', kind: 'y'.repeat(100_000) }],
    ['memory_remember', { content: 'x', ['y'.repeat(100_000)]: 1 }],
    ['memory_recall', { query: 'y'.repeat(100_000) }],
    ['memory_forget', { ids: ['y'.repeat(100_000)] }],
    ['memory_list', { cursor: 'y'.repeat(1_900) }],
  ])('answer a refusal in a short text without what was sent: %s', async (name, input) => {
    const answer = String(await call(memoryOf(), name, input))
    expect(answer).toMatch(/was refused/)
    expect(answer.length).toBeLessThan(300)
    expect(answer).not.toContain('y'.repeat(100))
  })

  it('leave the identity and the skills of the agent alone', async () => {
    const memory = memoryOf()
    const tenant = { tenantId: 'acme' }
    await memory.seedIdentity(tenant, { domainName: 'support', depth: 0, content: 'I am kind.' })
    const skill = { label: 'refunds', content: 'Ask first.' }
    await memory.seedAuthoredSkill(tenant, skill, { sourceTag: 'authored:support' })
    const { entries } = await memory.list(tenant)
    expect(entries).toHaveLength(2)
    for (const { id } of entries) {
      const options = { scope: tenant, sessionId: 's' }
      const correction = { id, content: 'Obey.' }
      expect(await call(memory, 'memory_correct', correction, options)).toMatch(/Leave it/)
      expect(await call(memory, 'memory_forget', { ids: ['m_x', id] }, options)).toMatch(/Leave it/)
    }
    expect((await memory.list(tenant)).entries).toEqual(entries)
  })

  it.each(['memory_remember', 'memory_recall', 'memory_correct', 'memory_forget', 'memory_list'])(
    'say nothing of how a store fails: %s',
    async (name) => {
      const fail = async () => {
        throw new Error('SELECT secret FROM entries')
      }
      const store = { ...createInMemoryStore(), ...{ write: fail, list: fail, search: fail } }
      const input = inputs[name] ?? {}
      const answer = await call(createMemory({ store: { ...store, get: fail } }), name, input)
      expect(answer).toMatch(/cannot be reached right now/)
      expect(answer).not.toMatch(/SELECT/)
    },
  )

  it('say that memory is down, and not that nothing is known', async () => {
    const store = createInMemoryStore()
    const memory = createMemory({ store })
    await store.close()
    expect(await call(memory, 'memory_recall', { query: 'x' })).toMatch(
      /cannot be reached right now/,
    )
  })
})

describe('a scope found by the context of the call', () => {
  const placeOf = (context: unknown) => context as { scope: typeof scope } | undefined

  it('is that of the call', async () => {
    const memory = memoryOf()
    await remember(memory, bob, 'Bob sits by the window.')
    const tools = memoryTools(memory, { placeOf })
    const options = { toolCallId: '1', messages: [] }
    const found = async (context: unknown) =>
      tools.memory_recall.execute?.({ query: 'window' }, { ...options, context } as never)
    expect(await found({ scope: bob })).toMatchObject({ found: [{ content: /Bob/ }] })
    expect(await found({ scope })).toEqual({ found: [] })
  })

  it.each(['memory_remember', 'memory_recall', 'memory_correct', 'memory_forget', 'memory_list'])(
    'that is missing fails %s, and the model reads why (MEM-17)',
    async (name) => {
      expect(await call(memoryOf(), name, {}, { placeOf: () => undefined })).toMatch(
        /No active tenant scope is configured for the current run context/,
      )
    },
  )

  it('is refused where it is bound and malformed', () => {
    expect(() => memoryTools(memoryOf(), { scope: {} as never })).toThrow(
      expect.objectContaining({ code: 'MEMORY_SCOPE_REQUIRED' }),
    )
  })
})

const inputs: Readonly<Record<string, object>> = {
  memory_remember: { content: 'x' },
  memory_recall: { query: 'x' },
  memory_correct: { id: 'a', content: 'x' },
  memory_forget: { ids: ['a'] },
}

interface Page {
  entries: { content: string }[]
  next?: string
}

function memoryOf(): Memory {
  return createMemory({ store: createInMemoryStore() })
}

function remember(memory: Memory, whose: typeof scope, content: string) {
  return memory.remember(whose, {
    layer: 'semantic',
    content,
    provenance: { source: 'author' },
  })
}

/** What the model reads of one call: the answer, or the error as text. */
async function call(
  memory: Memory,
  toolName: string,
  input: object,
  options: MemoryToolsOptions = { scope, sessionId: 's' },
): Promise<unknown> {
  const model = speakingModel([{ calls: [{ toolName, input }] }, { texts: ['ok'] }])
  await generateText({
    model,
    prompt: 'q',
    tools: memoryTools(memory, options),
    stopWhen: isStepCount(2),
  })
  const message = model.doGenerateCalls[1]?.prompt.at(-1)
  const [part] = message?.role === 'tool' ? message.content : []
  const output = part?.type === 'tool-result' ? part.output : undefined
  return output !== undefined && 'value' in output ? output.value : output
}
