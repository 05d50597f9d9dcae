import { DatabaseSync } from 'node:sqlite'
import { createSqliteStore } from '@symfonic/memory/sqlite'
import { fillMemory, queriesOf, scope } from '../memory/filled-memory.ts'
import type { Contest, Suite } from '../suite.ts'

const limit = 20

/** Hydrating a turn from 1,000 entries in SQLite, against the bare full-text query. */
export const hydrate1000 = hydrating(1_000)
/** From 10,000. */
export const hydrate10000 = hydrating(10_000)
/** From 100,000, where it must not cost more than twice the query. */
export const hydrate100000 = hydrating(100_000, 2)

function hydrating(entries: number, bound?: number): Suite {
  return { name: `memory/hydrate-${entries}`, prepare: () => hydrateContest(entries, bound) }
}

/**
 * What it takes to hydrate a turn, all signals and all layers, against one full-text query over the same
 * texts in a table that has nothing but them.
 */
async function hydrateContest(entries: number, bound?: number): Promise<Contest> {
  const store = createSqliteStore(':memory:')
  const memory = await fillMemory(store, entries)
  const bare = new DatabaseSync(':memory:')
  bare.exec("CREATE VIRTUAL TABLE texts USING fts5 (content, context, tokenize = 'porter')")
  const insert = bare.prepare('INSERT INTO texts (content, context) VALUES (?, ?)')
  bare.exec('BEGIN')
  for await (const { content, context } of store.export(scope)) insert.run(content, context ?? '')
  bare.exec('COMMIT')
  const select = bare.prepare(
    'SELECT rowid, content FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT ?',
  )
  const ask = (query: string) => select.all(query.split(' ').join(' OR '), limit)
  const hydrate = (query: string) =>
    memory.hydrate(scope, { query, sessionId: 'now', limit, budgetTokens: 100_000 })

  const queries = queriesOf(8)
  for (const query of queries) {
    const { items, failed } = await hydrate(query)
    const found = ask(query)
    if (failed || items.length !== found.length) {
      throw new Error(`${items.length} entries were recalled and ${found.length} found.`)
    }
  }
  await memory.flush()
  let turn = 0
  const nextQuery = () => queries[turn++ % queries.length] ?? ''
  const name = `of ${entries} entries`
  return {
    contenders: [
      { name: 'hydrate', units: 1, work: () => hydrate(nextQuery()) },
      { name: 'bare', units: 1, work: () => ask(nextQuery()) },
      {
        name: 'hydrate and feedback',
        units: 1,
        work: async () => {
          await hydrate(nextQuery())
          await memory.flush()
        },
      },
    ],
    comparisons: [
      {
        name: `memory.hydrate ${name} / the bare FTS5 query`,
        ours: 'hydrate',
        theirs: 'bare',
        ...(bound !== undefined && { bound }),
      },
      {
        name: `the same, with what was recalled strengthened`,
        ours: 'hydrate and feedback',
        theirs: 'bare',
      },
    ],
  }
}
