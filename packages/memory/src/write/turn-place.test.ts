import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createMemory, type Memory } from '../create-memory.ts'
import { createInMemoryStore } from '../in-memory-store.ts'
import type { MemoryLayer } from '../layer.ts'
import { nextRound } from '../next-round.ts'
import { createPostgresStore } from '../postgres/postgres-store.ts'
import { createSqliteStore } from '../sqlite/store.ts'
import type { MemoryStore } from '../store.ts'
import { sample } from '../testing/sample.ts'
import { openServer, serverUrl } from '../testing-fixtures/postgres-databases.ts'
import { all, ann, note } from '../testing-fixtures/told-memory.ts'
import { guardPlace } from './turn-place.ts'

const folder = mkdtempSync(join(tmpdir(), 'symfonic-memory-'))
const server = serverUrl === undefined ? undefined : openServer()
afterAll(async () => {
  await server?.close()
  rmSync(folder, { recursive: true })
})

/** Everybody has read before anybody writes, as it is between processes. */
const interleaved = (store: MemoryStore): MemoryStore => ({
  ...store,
  write: async (...given) => {
    await nextRound()
    return store.write(...given)
  },
})

let files = 0

/** Two stores of one place, as two processes have them. */
const pairs: readonly (readonly [string, boolean, () => Promise<[MemoryStore, MemoryStore]>])[] = [
  [
    'in memory',
    true,
    async () => {
      const store = createInMemoryStore()
      return [store, store]
    },
  ],
  [
    'SQLite',
    true,
    async () => {
      files += 1
      const file = join(folder, `${files}.db`)
      return [createSqliteStore(file), createSqliteStore(file)]
    },
  ],
  [
    'PostgreSQL',
    server !== undefined,
    async () => {
      if (server === undefined) throw new Error('There is no server.')
      const place = { pool: server.pool, schema: server.newSchema() }
      return [await createPostgresStore(place), await createPostgresStore(place)]
    },
  ],
]

const turn = (name: string, length = 2) => ({
  turnId: name,
  sessionId: 'chat',
  messages: Array.from({ length }, (_, at) => ({
    role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
    text: `${name} says ${at}`,
  })),
})

const say = async (memory: Memory, name: string, length?: number) => {
  const outcome = await memory.consolidate(ann, turn(name, length))
  expect(outcome.failed).toBe(false)
  return outcome
}

const episodesOf = async (memory: Memory) => {
  const entries = (await all(memory, ann)).filter(({ layer }) => layer === 'episodic')
  return entries.sort((one, other) => placeOf(one) - placeOf(other))
}
const placeOf = ({ sequence }: { sequence?: { index: number } }) => sequence?.index ?? -1
const workingOf = async (memory: Memory) =>
  (await memory.hydrate(ann, { query: '', sessionId: 'chat' })).working

describe.each(pairs)('several memories in one conversation, %s', (_, isThere, open) => {
  const setUp = async (layers?: readonly MemoryLayer[]) => {
    const stores = (await open()).map(interleaved)
    const memories = [...stores, ...stores, ...stores].map((store) =>
      createMemory({ store, quickNapEveryTurns: 0, ...(layers && { layers }) }),
    )
    const [one] = memories
    if (one === undefined) throw new Error('A memory is expected.')
    const tellAll = (turns: number, length?: number) =>
      Promise.all(
        Array.from({ length: turns }, (_, at) => {
          return say(memories[at % memories.length] ?? one, `t${at}`, length)
        }),
      )
    return { one, memories, tellAll }
  }

  const everyLayer: readonly (readonly MemoryLayer[] | undefined)[] = [undefined, ['episodic']]
  it.skipIf(!isThere).each(everyLayer.map((layers) => ({ layers })))(
    'give each message a place of its own, and each turn its own run: $layers',
    async ({ layers }) => {
      const { one, tellAll } = await setUp(layers)
      const outcomes = await tellAll(60)
      expect(outcomes.map(({ created }) => created)).toEqual(Array(60).fill(2))
      const episodes = await episodesOf(one)
      expect(episodes.map(placeOf)).toEqual([...Array(120).keys()])
      for (let at = 0; at < 120; at += 2) {
        const [asked, answered] = episodes.slice(at, at + 2)
        expect(answered?.provenance.turnId).toBe(asked?.provenance.turnId)
      }
      const tail = (await workingOf(one)).map(placeOf)
      expect(tail).toEqual(layers ? [] : [...Array(12).keys()].map((at) => 108 + at))
    },
  )

  it.skipIf(!isThere)('find a message by what was said before it, whoever wrote that', async () => {
    const { one, tellAll } = await setUp()
    await tellAll(6)
    const episodes = await episodesOf(one)
    for (const [at, { context }] of episodes.entries()) {
      for (const { content } of episodes.slice(Math.max(0, at - 2), at)) {
        expect(context).toContain(content)
      }
    }
  })

  it.skipIf(!isThere)('write a turn once that all of them are told at once', async () => {
    const { one, memories } = await setUp()
    for (const name of ['first', 'second']) {
      const outcomes = await Promise.all(memories.map((memory) => say(memory, name)))
      expect(outcomes.reduce((sum, { created }) => sum + created, 0)).toBe(2)
    }
    expect((await episodesOf(one)).map(({ content }) => content)).toEqual([
      'first says 0',
      'first says 1',
      'second says 0',
      'second says 1',
    ])
    expect((await workingOf(one)).map(placeOf)).toEqual([0, 1, 2, 3])
  })

  it.skipIf(!isThere)('keep to it when turns are longer than working memory', async () => {
    const { one, tellAll } = await setUp()
    await tellAll(6, 15)
    expect((await episodesOf(one)).map(placeOf)).toEqual([...Array(90).keys()])
    expect((await workingOf(one)).map(placeOf)).toEqual([...Array(12).keys()].map((at) => 78 + at))
  })

  it.skipIf(!isThere)('keep to it when only the working layer is enabled', async () => {
    const { one, tellAll } = await setUp(['working'])
    await tellAll(12)
    expect((await workingOf(one)).map(placeOf)).toEqual([...Array(12).keys()].map((at) => 12 + at))
  })
})

it('behind what has a vector leaves it its vector', async () => {
  const store = createInMemoryStore()
  const embedder = { embed: async (texts: readonly string[]) => texts.map(() => [1, 2]) }
  const memory = createMemory({ store, embedder, layers: ['episodic'] })
  for (const name of ['t0', 't1', 't2']) await say(memory, name)
  const episodes = await episodesOf(memory)
  expect(episodes.map(({ embedding }) => embedding?.length)).toEqual(Array(6).fill(2))
})

it('replaces what it comes behind where a note says so', async () => {
  const memory = createMemory({ store: createInMemoryStore(), layers: ['episodic', 'semantic'] })
  await say(memory, 't0')
  const last = (await episodesOf(memory)).at(-1)
  const correction = { kind: 'correction', replaces: last?.id, content: 'It was another one.' }
  const text = `Well.\n${note(correction)}`
  const messages = [{ role: 'assistant' as const, text }]
  const told = memory.consolidate(ann, { ...turn('t1'), messages })
  expect(await told).toMatchObject({ created: 2, changed: 1, failed: false })
  const { entries } = await memory.list(ann, { filter: { status: 'superseded' } })
  expect(entries.map(({ id }) => id)).toEqual([last?.id])
})

describe('a turn', () => {
  const setUp = () => createMemory({ store: createInMemoryStore(), quickNapEveryTurns: 0 })
  const tell = async (memory: Memory, names: readonly string[]) => {
    for (const name of names) await say(memory, name)
  }
  const names = Array.from({ length: 20 }, (_, at) => `t${at}`)

  it.each(['t0', 't3', 't19'])(
    'that is told again much later changes nothing: %s',
    async (name) => {
      const memory = setUp()
      await tell(memory, names)
      const before = await all(memory, ann)
      expect(await say(memory, name)).toMatchObject({ created: 0, changed: 0 })
      expect(await all(memory, ann)).toEqual(before)
    },
  )

  it('that opened a conversation, and is told again at a place with more, is written', async () => {
    const memory = setUp()
    await say(memory, 't0')
    const longer = { ...turn('t0', 3), index: 0 }
    expect(await memory.consolidate(ann, longer)).toMatchObject({ created: 1, failed: false })
    expect((await episodesOf(memory)).map(placeOf)).toEqual([0, 1, 2])
  })

  it('comes behind what its conversation has left when the opening was corrected and taken out', async () => {
    const store = createInMemoryStore()
    const memory = createMemory({ store, quickNapEveryTurns: 0 })
    await say(memory, 't0', 1)
    const [opening] = await episodesOf(memory)
    await memory.correct(ann, { id: opening?.id ?? '', content: 'It was another one.' })
    const current = (await all(memory, ann)).filter(
      ({ supersededBy }) => supersededBy === undefined,
    )
    await store.remove(ann, { ids: current.map(({ id }) => id) })
    await say(memory, 't1')
    await say(memory, 't2')
    const { entries } = await memory.list(ann, {
      filter: { layers: ['episodic'] },
      order: 'oldest',
    })
    expect(entries.map(placeOf)).toEqual([0, 1, 2, 3])
  })

  it.each<[string, readonly MemoryLayer[]]>([
    ['with', ['working', 'episodic']],
    ['without', ['episodic']],
  ])('comes last, whatever times the messages have, %s working memory', async (_, layers) => {
    const memory = createMemory({ store: createInMemoryStore(), layers, quickNapEveryTurns: 0 })
    for (let day = 60; day > 0; day -= 1) {
      const { messages, ...others } = turn(`t${day}`)
      const at = day * 86_400_000
      await memory.consolidate(ann, {
        ...others,
        messages: messages.map((each) => ({ ...each, at })),
      })
    }
    expect((await episodesOf(memory)).map(placeOf)).toEqual([...Array(120).keys()])
  })

  it('that a host puts at a place goes there, whatever is there', async () => {
    const memory = setUp()
    await tell(memory, ['t0', 't1'])
    expect(await memory.consolidate(ann, { ...turn('t2'), index: 1 })).toMatchObject({ created: 2 })
    expect((await episodesOf(memory)).map(placeOf)).toEqual([0, 1, 1, 2, 2, 3])
  })
})

describe('guardPlace', () => {
  it.each(['behind a message', 'at an opening'])('keeps the job that is done %s', (where) => {
    const latest = where === 'behind a message' ? { ...sample('latest'), version: 3 } : undefined
    const place = { index: 1, before: [], working: [], known: new Set<string>(), latest }
    const completes = { jobId: 'job', token: 'mine' } as never
    const guarded = guardPlace({ ...place, openingId: undefined }, { put: [], completes })
    expect(guarded.completes).toBe(completes)
  })
})
