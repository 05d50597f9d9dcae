import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createPostgresStore } from './postgres/postgres-store.ts'
import { createSqliteStore } from './sqlite.ts'
import type { MemoryStore } from './store.ts'
import { here, idsOf, put, sample } from './testing/sample.ts'
import { openPGlite, openServer, serverUrl } from './testing-fixtures/postgres-databases.ts'

/** The question, and what is asked for. */
const question = ['clara cello vienna opera', { limit: 8 }] as const

const fillerOf = (length: number, seed: number): string =>
  Array.from({ length }, (_, at) => `w${(at * 7_919 + seed * 104_729) % 5_000}`).join(' ')

/** Entries among which twelve have three words of the question and three are short and have the fourth. */
const library = Array.from({ length: 1_000 }, (_, index) => {
  if (index < 12) {
    const content = `clara plays cello vienna ${fillerOf(14, 1_000 + index)}`
    return sample(`three words ${index}`, { content })
  }
  if (index < 15) return sample(`one word ${index}`, { content: 'opera' })
  return sample(`none ${index}`, { content: fillerOf(18, index) })
})

/** A place for stores that see each other: each call opens another. */
interface Place {
  open(): Promise<MemoryStore>
}

const folder = mkdtempSync(join(tmpdir(), 'symfonic-memory-'))
const databases = {
  PGlite: openPGlite,
  ...(serverUrl !== undefined && { 'a PostgreSQL server': async () => openServer() }),
}
const opened = Object.entries(databases).map(([name, open]) => ({ name, database: open() }))
let places = 0

afterAll(async () => {
  for (const { database } of opened) await (await database).close()
  rmSync(folder, { recursive: true })
})

const kinds: readonly { name: string; at: () => Promise<Place> }[] = [
  {
    name: 'SQLite',
    at: async () => {
      places += 1
      const path = join(folder, `${places}.db`)
      return { open: async () => createSqliteStore(path) }
    },
  },
  ...opened.map(({ name, database }) => ({
    name,
    at: async () => {
      const { pool, newSchema } = await database
      const schema = newSchema()
      return { open: () => createPostgresStore({ pool, schema }) }
    },
  })),
]

for (const { name, at } of kinds) {
  describe(`a search in ${name}`, { timeout: 60_000 }, () => {
    // The first search of a conversation sees little or nothing, and the next ones must not reckon with it.
    it.each([
      [0, 315],
      [1, 315],
      [20, 400],
      [400, 800],
      [600, 1_000],
      [1_000, 600],
      [1_000, 200],
    ])(
      'ranks what has most of the words first when %i entries have become %i',
      async (before, after) => {
        const place = await at()
        const [store, other] = [await place.open(), await place.open()]
        // What is asked for is the first that goes in, and the last that goes out.
        const first = before < 15 ? library.slice(15, 15 + before) : library.slice(0, before)
        if (first.length > 0) await put(store, here, first)
        for (const each of [store, other]) await each.search(here, ...question)
        if (after > before) await put(store, here, library.slice(0, after))
        else await store.remove(here, { ids: idsOf(library.slice(after)) })
        const fresh = await (await place.open()).search(here, ...question)
        expect(idsOf(fresh).every((id) => id.startsWith('three words'))).toBe(true)
        // Another process does not hear of the writes: it is as right where it measures for each search.
        for (const each of before <= 500 ? [store, other] : [store]) {
          const found = await each.search(here, ...question)
          expect(idsOf(found)).toEqual(idsOf(fresh))
          for (const [place, { score }] of found.entries()) {
            expect(Math.abs(score / (fresh[place]?.score ?? 0) - 1)).toBeLessThan(0.05)
          }
        }
      },
    )
  })
}
