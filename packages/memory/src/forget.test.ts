import { describe, expect, it } from 'vitest'
import type { Memory } from './create-memory.ts'
import { createInMemoryStore } from './in-memory-store.ts'
import { renderHydration } from './render-hydration.ts'
import { createSqliteStore } from './sqlite/store.ts'
import type { MemoryStore } from './store.ts'
import { all, ann, note, setUp } from './testing-fixtures/told-memory.ts'

const rare = 'porphyria'
const provenance = { source: 'author' } as const

/** Everything a memory shows or finds for a word, by method. */
async function tracesOf(memory: Memory, store: MemoryStore, word = rare) {
  const has = (value: unknown) => JSON.stringify(value).toLowerCase().includes(word)
  const hydration = await memory.hydrate(ann, { query: word, sessionId: 's1' })
  const listed = await memory.list(ann, { filter: { status: 'all' }, limit: 1_000 })
  return {
    export: (await all(memory, ann)).filter(has).length,
    list: listed.entries.filter(has).length,
    hydrate: hydration.items.length,
    working: hydration.working.filter(has).length,
    due: hydration.due.filter(has).length,
    rendered: renderHydration(hydration, { showWorking: true }).includes(word),
    search: (await store.search(ann, word, { limit: 10, filter: { status: 'all' } })).length,
  }
}

const none = {
  export: 0,
  list: 0,
  hydrate: 0,
  working: 0,
  due: 0,
  rendered: false,
  search: 0,
}

const say = (memory: Memory, turnId: string, ...texts: string[]) =>
  memory.consolidate(ann, {
    turnId,
    sessionId: 's1',
    messages: texts.map((text, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', text })),
  })

/** A conversation that names the word once, at its second turn. */
async function converse(memory: Memory) {
  await say(memory, 't1', 'Good morning.', 'Hello!')
  await say(memory, 't2', `My diagnosis is ${rare}.`, 'I am sorry.')
  await say(memory, 't3', 'What is for lunch?', 'Soup.')
}

const idOf = async (memory: Memory, layer: 'episodic' | 'working', word = rare) => {
  const { entries } = await memory.list(ann, { filter: { layers: [layer] } })
  return entries.find(({ content }) => content.includes(word))?.id ?? ''
}

describe.each([
  ['in memory', () => createInMemoryStore()],
  ['in SQLite', () => createSqliteStore(':memory:')],
])('what was forgotten %s', (_, createStore) => {
  it.each([
    [
      'the id of the message',
      async (memory: Memory) => ({ ids: [await idOf(memory, 'episodic')] }),
    ],
    ['the id of the copy', async (memory: Memory) => ({ ids: [await idOf(memory, 'working')] })],
    ['its turn', async () => ({ source: { turnId: 't2' } })],
    ['its author', async () => ({ source: { author: 'user' } })],
    ['its session', async () => ({ source: { sessionId: 's1' } })],
    ['where it comes from', async () => ({ source: { source: 'turn' } }) as const],
    ['everything', async () => ({ everything: true }) as const],
  ])('by %s is found and shown by no method', async (_, select) => {
    const { memory, store } = setUp({ store: createStore() })
    await converse(memory)
    expect((await tracesOf(memory, store)).export).toBeGreaterThan(2)
    expect(await memory.forget(ann, await select(memory))).toBeGreaterThan(1)
    expect(await tracesOf(memory, store)).toEqual(none)
  })

  it('takes nothing else with it, and leaves later messages to be found by what is still said', async () => {
    const { memory } = setUp({ store: createStore() })
    await converse(memory)
    await memory.forget(ann, { ids: [await idOf(memory, 'episodic')] })
    const { entries } = await memory.list(ann, { filter: { layers: ['episodic'] } })
    expect(entries.map(({ content }) => content).sort()).toEqual([
      'Good morning.',
      'Hello!',
      'I am sorry.',
      'Soup.',
      'What is for lunch?',
    ])
    const lunch = entries.find(({ content }) => content === 'What is for lunch?')
    expect(lunch?.context).toMatch(/^user\. .* 2026.*\. Hello!\. I am sorry\.$/)
  })

  it('is gone with what it corrected, and so is the copy of what was corrected', async () => {
    const { memory, store } = setUp({ store: createStore() })
    await converse(memory)
    const id = await idOf(memory, 'episodic')
    const first = await memory.correct(ann, { id, content: `My diagnosis is acute ${rare}.` })
    if (!first.corrected) throw new Error('It was not corrected.')
    const second = await memory.correct(ann, { id: first.id, content: 'I am well.' })
    if (!second.corrected) throw new Error('It was not corrected.')
    await memory.forget(ann, { ids: [second.id] })
    expect(await tracesOf(memory, store)).toEqual(none)
    expect(await idOf(memory, 'working', 'I am well')).toBe('')
  })

  it('is gone with what a merge took together, whichever of them is named', async () => {
    for (const named of [0, 1]) {
      const { memory, store } = setUp({ store: createStore(), quickNapEveryTurns: 1 })
      const ids: string[] = []
      for (const end of ['.', '!']) {
        const content = `Ann has ${rare}${end}`
        ids.push((await memory.remember(ann, { layer: 'semantic', content, provenance })).id)
      }
      await say(memory, 't1', 'Hello.')
      await memory.flush()
      expect((await memory.list(ann, { filter: { status: 'superseded' } })).entries).toHaveLength(1)
      expect(await memory.forget(ann, { ids: [ids[named] ?? ''] })).toBe(2)
      expect(await tracesOf(memory, store)).toEqual(none)
    }
  })

  it('by subject is gone from every layer', async () => {
    const { memory, store } = setUp({ store: createStore() })
    const draft = { subject: 'Ann', content: `Ask about ${rare}.`, provenance }
    await memory.remember(ann, { ...draft, layer: 'prospective', dueAt: 5 })
    await memory.remember(ann, { ...draft, layer: 'semantic' })
    expect(await memory.forget(ann, { subject: 'Ann' })).toBe(2)
    expect(await tracesOf(memory, store)).toEqual(none)
  })
})

describe('forgetting', () => {
  it.each([{ everything: true } as const, { source: { turnId: 't2' } }])(
    'waits for turns that are still being written: %o',
    async (selector) => {
      const { memory, store } = setUp()
      const written = say(memory, 't2', `My diagnosis is ${rare}.`)
      const later = memory.forget(ann, selector).then(async (removed) => {
        expect(removed).toBe(2)
        expect(await tracesOf(memory, store)).toEqual(none)
      })
      await Promise.all([written, later])
      await memory.flush()
      expect(await tracesOf(memory, store)).toEqual(none)
    },
  )

  it('lets a turn that is told meanwhile be written after it, without the old words', async () => {
    const { memory, store } = setUp()
    await say(memory, 't2', `My diagnosis is ${rare}.`)
    const forgotten = memory.forget(ann, { source: { turnId: 't2' } })
    const told = say(memory, 't3', 'What is for lunch?')
    expect(await forgotten).toBe(2)
    expect(await told).toMatchObject({ created: 1 })
    expect(await tracesOf(memory, store)).toEqual(none)
  })

  it('takes what was refilled with the message it repeats', async () => {
    const { memory, store } = setUp()
    await say(memory, 't2', `My diagnosis is ${rare}.`)
    await memory.forget(ann, { ids: [await idOf(memory, 'working')] })
    await memory.refillWorking(ann, {
      sessionId: 's1',
      messages: [{ role: 'user', text: `My diagnosis is ${rare}.` }],
    })
    await say(memory, 't2', `My diagnosis is ${rare}.`)
    expect(await memory.forget(ann, { ids: [await idOf(memory, 'episodic')] })).toBe(3)
    expect(await tracesOf(memory, store)).toEqual(none)
  })

  it('leaves no words in the context of what was said after an answer that only repeated them', async () => {
    const { memory, store } = setUp()
    const content = `Ann has ${rare} since May.`
    const { id } = await memory.remember(ann, { layer: 'semantic', content, provenance })
    await memory.hydrate(ann, { query: rare })
    await say(memory, 't1', 'What do I have?', content, 'Thanks.')
    await memory.forget(ann, { ids: [id] })
    expect(await tracesOf(memory, store)).toEqual(none)
  })

  it('of what was recalled brings up nothing that says the same, in whatever conversation it was said', async () => {
    const { memory, store } = setUp()
    const told = (turnId: string, sessionId: string, text: string) =>
      memory.consolidate(ann, { turnId, sessionId, messages: [{ role: 'user', text }] })
    await told('t1', 's1', `My diagnosis is ${rare}.`)
    await told('t2', 's1', `my diagnosis is ${rare}`)
    await told('t3', 's2', `"My diagnosis is ${rare}!"`)
    await told('t4', 's2', 'My neighbour has it too.')
    const { items } = await memory.hydrate(ann, { query: rare })
    const shown = items.filter(({ content }) => content.includes(rare))
    expect(shown).toHaveLength(1)
    expect(await memory.forget(ann, { ids: shown.map(({ id }) => id) })).toBe(6)
    expect(await tracesOf(memory, store)).toEqual(none)
    const { entries } = await memory.list(ann, { filter: { layers: ['episodic'] } })
    expect(entries.map(({ content }) => content)).toEqual(['My neighbour has it too.'])
  })

  it('of a note in the words of the identity leaves the identity', async () => {
    const { memory } = setUp()
    const tenant = { tenantId: 'acme' }
    const content = 'I am the travel desk.'
    await memory.seedIdentity(tenant, { domainName: 'desk', depth: 0, content })
    const draft = { layer: 'semantic', label: 'desk', content, provenance } as const
    const { id } = await memory.remember(tenant, draft)
    expect(await memory.forget(tenant, { ids: [id] })).toBe(1)
    const [identity, ...others] = await all(memory, tenant)
    expect([identity?.content, others]).toEqual([content, []])
  })

  it('of a turn leaves what was said in the same words in another', async () => {
    const { memory } = setUp()
    await say(memory, 't1', 'I like tea.')
    await say(memory, 't2', 'I like tea.')
    await memory.forget(ann, { source: { turnId: 't1' } })
    const { entries } = await memory.list(ann, { filter: { layers: ['episodic'] } })
    expect(entries.map(({ provenance: { turnId } }) => turnId)).toEqual(['t2'])
  })

  it('leaves what was selected in place when it is cut short, so that it can be asked for again', async () => {
    const good = createInMemoryStore()
    let failures = 1
    const store: MemoryStore = {
      ...good,
      async write(scope, write) {
        const isRewrite = write.put?.every(({ expectedVersion }) => expectedVersion !== undefined)
        if (isRewrite && failures > 0) {
          failures -= 1
          throw new Error('The database is gone.')
        }
        return good.write(scope, write)
      },
    }
    const { memory } = setUp({ store })
    await converse(memory)
    const selector = { ids: [await idOf(memory, 'episodic')] }
    await expect(memory.forget(ann, selector)).rejects.toThrow('The database is gone.')
    expect(await memory.forget(ann, selector)).toBe(2)
    expect(await tracesOf(memory, store)).toEqual(none)
  })

  it('says so when others keep changing the conversation', async () => {
    const good = createInMemoryStore()
    const store: MemoryStore = {
      ...good,
      async write(scope, write) {
        const isRewrite = write.put?.every(({ expectedVersion }) => expectedVersion !== undefined)
        const conflicts = write.put?.map(({ entry }) => entry.id) ?? []
        return isRewrite
          ? { committed: false, reason: 'version', conflicts }
          : good.write(scope, write)
      },
    }
    const { memory } = setUp({ store })
    await converse(memory)
    const ids = [await idOf(memory, 'episodic')]
    await expect(memory.forget(ann, { ids })).rejects.toMatchObject({ code: 'MEMORY_STORE_FAILED' })
    expect(await idOf(memory, 'episodic')).toBe(ids[0])
  })
})

describe('a correction of a message', () => {
  it('is what the conversation says from then on, and later messages are not found by the old words', async () => {
    const { memory } = setUp()
    await converse(memory)
    const id = await idOf(memory, 'episodic')
    await memory.correct(ann, { id, content: 'My diagnosis is a cold.' })
    const { working, items } = await memory.hydrate(ann, { query: rare, sessionId: 's1' })
    expect(items).toEqual([])
    expect(working.map(({ content }) => content)).toEqual([
      'Good morning.',
      'Hello!',
      'My diagnosis is a cold.',
      'I am sorry.',
      'What is for lunch?',
      'Soup.',
    ])
    const cold = await memory.hydrate(ann, { query: 'cold' })
    expect(cold.items.map(({ content }) => content)).toContain('I am sorry.')
    await say(memory, 't2', `My diagnosis is ${rare}.`, 'I am sorry.')
    const again = await memory.hydrate(ann, { query: rare, sessionId: 's1' })
    expect(again.working.map(({ content }) => content)).not.toContain(`My diagnosis is ${rare}.`)
  })

  it('that a note makes names what it replaces, also where it was known already', async () => {
    const { memory } = setUp()
    const facts = ['Ann lives in Lyon.', 'Ann lives in Paris.']
    await say(memory, 't1', 'x', note(...facts.map((content) => ({ kind: 'fact', content }))))
    const [replaces, content] = facts
    await say(memory, 't2', 'x', note({ kind: 'correction', replaces, content }))
    const { entries } = await memory.list(ann, { filter: { kind: 'fact' } })
    expect(entries).toMatchObject([{ content, supersedes: [expect.any(String)] }])
    expect(await memory.forget(ann, { ids: entries.map(({ id }) => id) })).toBe(2)
  })
})
