import { describe, expect, it } from 'vitest'
import { createInMemoryStore } from '../in-memory-store.ts'
import { createSqliteStore } from '../sqlite.ts'
import { here, idsOf, put, sample } from '../testing/sample.ts'

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
})
