import { beforeAll, expect, it } from 'vitest'
import { partitionKey } from '../scope.ts'
import type { Ranked } from '../store.ts'
import { here, idsOf, put, sample } from '../testing/sample.ts'
import { describeOnPostgres } from '../testing-fixtures/describe-on-postgres.ts'
import { querySearchTerms } from '../text/search-terms.ts'
import type { Measure } from './partition-measure.ts'
import { partitionTag } from './partition-tag.ts'
import { createPostgresStore } from './postgres-store.ts'
import { createTextSearch } from './text-search.ts'

const size = 600
const partition = partitionKey(here)

/** Which words entry `index` has: the first are common, and the last are in a few entries each. */
const words: Readonly<Record<string, (index: number) => boolean>> = {
  apple: (index) => index % 2 === 0,
  berry: (index) => index % 3 === 0,
  cedar: (index) => index % 5 < 2,
  daisy: (index) => index % 7 === 3,
  ember: (index) => index % 11 === 5,
  fjord: (index) => index % 37 === 1,
  grove: (index) => index % 149 === 2,
}
const commonWords = ['apple', 'berry', 'cedar', 'daisy', 'ember']

const contentOf = (index: number): string => {
  const own = Object.keys(words).filter((word) => words[word]?.(index))
  const again = own.slice(0, index % 3)
  return [
    ...own,
    ...again,
    ...Array.from({ length: 1 + (index % 13) }, (_, at) => `filler${at}`),
  ].join(' ')
}

describeOnPostgres('the text search', (database) => {
  let statements = 0
  let search: (text: string, limit: number, common: readonly string[]) => Promise<readonly Ranked[]>

  beforeAll(async () => {
    const schema = database.newSchema()
    const store = await createPostgresStore({ pool: database.pool, schema })
    const indices = Array.from({ length: size }, (_, index) => index)
    await put(
      store,
      here,
      indices.map((index) => sample(`e${index}`, { content: contentOf(index) })),
    )
    const queries = {
      query: (text: string, values?: unknown[]) => {
        statements += 1
        return database.pool.query(text, values)
      },
    }
    search = (text, limit, common) => {
      const shares = common.map((word): [string, number] => [
        partitionTag(partition) + (querySearchTerms(word)[0] ?? ''),
        indices.filter((index) => words[word]?.(index)).length / size,
      ])
      const measure: Measure = { entries: size, averageLength: 9, common: new Map(shares) }
      const ask = createTextSearch(queries, `${schema}.entries`, async () => measure)
      statements = 0
      return ask({ partition, text, limit, filter: { status: 'current' } })
    }
  }, 120_000)

  it.each([
    ['apple', 10],
    ['apple berry', 10],
    ['apple berry', size],
    ['grove apple', 3],
    ['grove apple', 20],
    ['grove fjord apple berry', 5],
    ['grove fjord apple berry', 15],
    ['grove fjord apple berry cedar daisy', 15],
    ['fjord apple berry cedar daisy', 30],
    ['fjord apple berry cedar daisy ember', 10],
    ['fjord apple berry cedar daisy ember', 100],
    ['fjord apple berry cedar daisy ember', size],
    ['apple berry cedar daisy ember', 25],
    ['nothing apple berry', 10],
  ])(
    'finds for "%s" the same best %i, whether or not it knows what is common',
    async (text, limit) => {
      const plain = await search(text, limit, [])
      const informed = await search(text, limit, commonWords)
      expect(informed.map(({ id }) => id)).toEqual(plain.map(({ id }) => id))
      for (const [at, { score }] of informed.entries()) {
        expect(score).toBeCloseTo(plain[at]?.score ?? Number.NaN, 4)
      }
    },
  )

  it('finds and counts nothing of a scope that shares its tag, in either statement', async () => {
    const [own, other] = ['u30640', 'u84111'].map((userId) => ({ tenantId: 'acme', userId }))
    if (own === undefined || other === undefined) throw new Error('There are two.')
    const [ownKey, otherKey] = [partitionKey(own), partitionKey(other)]
    expect(partitionTag(ownKey)).toBe(partitionTag(otherKey))
    const schema = database.newSchema()
    const store = await createPostgresStore({ pool: database.pool, schema })
    const entriesOf = (whose: string) =>
      Array.from({ length: 60 }, (_, index) =>
        sample(`${whose}${index}`, { content: index < 3 ? 'grove apple' : 'apple' }),
      )
    const queries = {
      query: (text: string, values?: unknown[]) => {
        statements += 1
        return database.pool.query(text, values)
      },
    }
    const common = new Map([[`${partitionTag(ownKey)}appl`, 1]])
    const measure: Measure = { entries: 60, averageLength: 1, common }
    const ask = createTextSearch(queries, `${schema}.entries`, async () => measure)
    const searchOwn = async () => {
      statements = 0
      const found = await ask({
        partition: ownKey,
        text: 'grove apple',
        limit: 100,
        filter: { status: 'current' },
      })
      expect(statements).toBe(2)
      return found
    }

    await put(store, own, entriesOf('own'))
    const alone = await searchOwn()
    expect(alone).toHaveLength(60)
    const inStore = await store.search(own, 'grove apple', { limit: 100 })
    await put(store, other, entriesOf('other'))
    expect(await searchOwn()).toEqual(alone)
    expect(await store.search(own, 'grove apple', { limit: 100 })).toEqual(inStore)
    expect(idsOf(await store.search(other, 'grove', { limit: 100 })).sort()).toEqual([
      'other0',
      'other1',
      'other2',
    ])
  })

  it('reads entries with common words alone only where they can be among the best', async () => {
    await search('grove apple', 3, commonWords)
    expect(statements).toBe(1)
    await search('grove apple', 20, commonWords)
    expect(statements).toBe(2)
  })
})
