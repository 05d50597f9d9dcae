import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ParsedFilter } from '../parse-query.ts'
import { partitionKey } from '../scope.ts'
import type { Ranked } from '../store.ts'
import { here, put, sample } from '../testing/sample.ts'
import { openPGlite, type TestDatabase } from '../testing-fixtures/postgres-databases.ts'
import { querySearchTerms } from '../text/search-terms.ts'
import { partitionTag } from './partition-tag.ts'
import { createPostgresStore } from './postgres-store.ts'
import { createTextSearch } from './text-search.ts'

const size = 500
const partition = partitionKey(here)
const words = Array.from({ length: 14 }, (_, at) => `word${at}`)

/** A number from 0 to 1 that looks drawn, always the same for the same place. */
function drawn(index: number, at: number): number {
  const far = Math.sin(index * 127.1 + at * 311.7) * 43_758.5453
  return far - Math.floor(far)
}

/** Texts of words that are ever rarer, each said up to twenty times: then a score comes close to the most it can be. */
const texts = Array.from({ length: size }, (_, index) =>
  words
    .filter((_word, at) => drawn(index, at) < 0.7 / (at / 2 + 1))
    .flatMap((word, at) => {
      const times = 1 + Math.floor(drawn(index, at + 50) ** 3 * 20)
      return Array.from({ length: times }, () => word)
    }),
)

const shares = new Map(
  words.map((word): [string, number] => [
    partitionTag(partition) + (querySearchTerms(word)[0] ?? ''),
    texts.filter((own) => own.includes(word)).length / size,
  ]),
)
const common = new Map([...shares].filter(([, share]) => share >= 0.05))

const filters: readonly ParsedFilter[] = [
  { status: 'current' },
  { status: 'current', layers: ['semantic'] },
]

describe('the lookups of a search', () => {
  let database: TestDatabase
  let statements = 0
  let search: (
    asked: { text: string; limit: number; filter: ParsedFilter },
    known: ReadonlyMap<string, number>,
  ) => Promise<readonly Ranked[]>

  beforeAll(async () => {
    database = await openPGlite()
    const schema = database.newSchema()
    const store = await createPostgresStore({ pool: database.pool, schema })
    const entries = texts.map((own, index) => {
      const layer = index % 3 === 0 ? 'semantic' : 'episodic'
      return sample(`e${index}`, { layer, content: own.join(' ') || 'nothing' })
    })
    await put(store, here, entries)
    const queries = {
      query: (text: string, values?: unknown[]) => {
        statements += 1
        return database.pool.query(text, values)
      },
    }
    // Against so long a mean length, that of an entry takes next to nothing from a term.
    const measured = { entries: size, averageLength: 1_000 }
    search = (asked, known) => {
      const measureOf = async () => ({ ...measured, common: known })
      return createTextSearch(queries, `${schema}.entries`, measureOf)({ partition, ...asked })
    }
  }, 120_000)
  afterAll(() => database.close())

  it('find the same best, whatever is put off, however many are asked for, whatever is filtered', async () => {
    let [plain, informed] = [0, 0]
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(words, { minLength: 1, maxLength: 8 }),
        fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: size })),
        fc.constantFrom(...filters),
        async (asked, limit, filter) => {
          const question = { text: asked.join(' '), limit, filter }
          statements = 0
          const wanted = await search(question, new Map())
          plain += statements
          statements = 0
          const found = await search(question, common)
          informed += statements
          expect(found.length).toBe(wanted.length)
          // Equal scores may change places by what single precision leaves of them.
          for (const [at, { score }] of found.entries()) {
            expect(Math.abs(score - (wanted[at]?.score ?? 0))).toBeLessThan(1e-4)
          }
        },
      ),
      { numRuns: 200 },
    )
    // Both ways were gone often.
    expect(informed - plain).toBeGreaterThan(40)
    expect(informed - plain).toBeLessThan(160)
  }, 60_000)
})
