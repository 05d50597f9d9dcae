import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { createInMemoryStore } from '../in-memory-store.ts'
import { createSqliteStore } from '../sqlite.ts'
import { here, idsOf, put, sample } from '../testing/sample.ts'
import { migrations } from './migrations.ts'
import { openDatabase } from './open-database.ts'

const words = ['apple', 'pear', 'plum', 'fig', 'quince', 'medlar', 'cherry', 'grape']

/** Texts of one length, in which words are as rare as they stand far back. */
const library = Array.from({ length: 400 }, (_, number) =>
  sample(`e${number}`, {
    content: [0, 1, 2]
      .map(
        (at) => words[Math.floor((((number * 7 + at * 131) % 400) ** 2 / 160_000) * words.length)],
      )
      .join(' '),
  }),
)

const folder = mkdtempSync(join(tmpdir(), 'symfonic-memory-search-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the text search of SQLite', () => {
  it('ranks as BM25 over the scope alone does, however much there is of others', async () => {
    const sqlite = createSqliteStore(':memory:')
    const exact = createInMemoryStore()
    for (const store of [sqlite, exact]) await put(store, here, library)
    const crowd = Array.from({ length: 1_000 }, (_, number) =>
      sample(`c${number}`, { content: 'apple quince grape' }),
    )
    await put(sqlite, { tenantId: 'crowd' }, crowd)
    for (const query of ['apple grape', 'quince', 'fig medlar plum', 'grape cherry pear apple']) {
      const options = { limit: 20 }
      const [found, wanted] = [
        await sqlite.search(here, query, options),
        await exact.search(here, query, options),
      ]
      expect(idsOf(found).length).toBe(20)
      // Ties are many: the scores must fall alike, and what is best must be among the best.
      const best = new Map(
        (await exact.search(here, query, { limit: 400 })).map((each) => [each.id, each.score]),
      )
      const worst = wanted.at(-1)?.score ?? 0
      expect(found.every(({ id }) => (best.get(id) ?? 0) >= worst * 0.97)).toBe(true)
    }
    await sqlite.close()
  })

  it('keeps its sense of what is rare while a scope grows and shrinks', async () => {
    const store = createSqliteStore(':memory:')
    const ask = async () => idsOf(await store.search(here, 'quince apple', { limit: 3 }))
    await put(store, here, [sample('rare', { content: 'quince' })])
    expect(await ask()).toEqual(['rare'])
    const apples = Array.from({ length: 900 }, (_, number) =>
      sample(`a${number}`, { content: 'apple' }),
    )
    await put(store, here, apples)
    expect((await ask())[0]).toBe('rare')
    await store.remove(here, { ids: idsOf(apples) })
    expect(await ask()).toEqual(['rare'])
    await store.close()
  })

  it.each([
    ['is the best of all', 'plum', {}],
    [
      'is read after all others',
      `plum ${'and one more thing '.repeat(20)}`,
      { layers: ['semantic'] },
    ],
  ] as const)(
    'shows nothing of another scope, were it in the index of this one, where it %s',
    async (_where, content, filter) => {
      const path = join(folder, `${content.length}.db`)
      const store = createSqliteStore(path)
      const plums = Array.from({ length: 200 }, (_, number) =>
        sample(`own${number}`, {
          content: 'plum tree',
          layer: number < 190 ? 'episodic' : 'semantic',
        }),
      )
      await put(store, here, [...plums, sample('foreign', { content })])
      const other = { tenantId: 'other' }
      await put(store, other, [sample('theirs')])
      const file = new DatabaseSync(path)
      file.exec("UPDATE memory_entries SET partition = 2 WHERE id = 'foreign'")
      file.close()
      expect(idsOf(await store.get(other, ['foreign']))).toEqual(['foreign'])
      const found = idsOf(await store.search(here, 'plum', { limit: 20, filter }))
      expect(found).not.toContain('foreign')
      expect(found.length).toBeGreaterThanOrEqual(10)
      await store.close()
    },
  )

  it('knows how many entries a scope has, whatever was done to them', async () => {
    const path = join(folder, 'counted.db')
    const store = createSqliteStore(path)
    const other = { tenantId: 'other' }
    const file = new DatabaseSync(path)
    const counted = () =>
      file
        .prepare('SELECT entries FROM memory_partitions ORDER BY number')
        .all()
        .map(({ entries }) => entries)
    await put(store, here, [sample('a'), sample('b'), sample('c')])
    await put(store, other, [sample('a')])
    expect(counted()).toEqual([3, 1])
    await put(store, here, [sample('a'), sample('b', { content: 'another' })])
    await put(store, here, [sample('c')], { ifExists: 'keep' })
    await store.touch(here, ['a'], { at: 1, gain: 0.1 })
    expect(counted()).toEqual([3, 1])
    const conflicting = { entry: sample('a'), expectedVersion: 99 }
    const refused = await store.write(here, { put: [{ entry: sample('d') }, conflicting] })
    expect([refused.committed, counted()]).toEqual([false, [3, 1]])
    await store.write(here, { put: [{ entry: sample('d') }], remove: ['b'] })
    expect(counted()).toEqual([3, 1])
    expect(await store.remove(here, { ids: ['a', 'missing'] })).toBe(1)
    expect(counted()).toEqual([2, 1])
    await store.remove(here, { everything: true })
    expect(counted()).toEqual([1])
    file.close()
    await store.close()
  })

  it('counts what was there before the number was kept', () => {
    const path = join(folder, 'earlier.db')
    const options = { busyTimeoutMs: 0 }
    openDatabase(path, { ...options, steps: migrations.slice(0, 1) }).close()
    const file = new DatabaseSync(path)
    file.exec("INSERT INTO memory_partitions (key) VALUES ('one'), ('two')")
    file.exec(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 7)
       INSERT INTO memory_entries (partition, id, version, layer, content, importance, created_at,
         updated_at, occurred_at, recall_count, strength, source)
       SELECT 1 + i / 5, 'e' || i, 1, 'semantic', '', 5, 0, 0, 0, 0, 1, 'turn' FROM n`,
    )
    file.close()
    const database = openDatabase(path, options)
    expect(database.all('SELECT number, entries FROM memory_partitions ORDER BY number')).toEqual([
      { number: 1, entries: 4 },
      { number: 2, entries: 3 },
    ])
    database.close()
  })
})
