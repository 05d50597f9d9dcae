import { createPostgresStore } from '@symfonic/memory/postgres'
import { Pool } from 'pg'
import { median } from '../measure.ts'
import { fillMemory, queriesOf, scope } from '../memory/filled-memory.ts'
import type { Computation, ComputedSuite } from '../suite.ts'

const limit = 20
const sizes = [1_000, 10_000, 100_000]

/** Times that every query is asked in every way; the first does not count. */
const rounds = 6

/** The ranks that the server has. */
const ranks = ['ts_rank', 'ts_rank_cd'] as const

/**
 * Hydrating a turn from PostgreSQL, all signals and all layers, against one ranked full-text query over the same
 * texts in a table that has nothing but them, indexed as the server's manual says. It is asked with each of the
 * server's ranks, and the bound is on the cheaper one.
 */
export const hydratePostgres: ComputedSuite = {
  name: 'memory/hydrate-postgres',
  async compute() {
    const url = process.env['SYMFONIC_TEST_POSTGRES_URL']
    const title = 'hydrating from PostgreSQL'
    if (url === undefined) {
      const skipped = 'not measured; set SYMFONIC_TEST_POSTGRES_URL to a server.'
      return { text: `${title}: ${skipped}`, ratios: [] }
    }
    const found: Computation[] = []
    for (const size of sizes) found.push(await hydrateFrom(url, size))
    return {
      text: [title, ...found.map(({ text }) => text)].join('\n'),
      ratios: found.flatMap(({ ratios }) => ratios),
    }
  },
}

async function hydrateFrom(url: string, entries: number): Promise<Computation> {
  const pool = new Pool({ connectionString: url, max: 4 })
  const schema = `symfonic_bench_${process.pid}_${entries}`
  try {
    const store = await createPostgresStore({ pool, schema })
    const memory = await fillMemory(store, entries)
    await pool.query(
      `CREATE TABLE ${schema}.texts AS SELECT id, content, to_tsvector('english', concat_ws(' ', content, context)) AS words
      FROM ${schema}.entries`,
    )
    await pool.query(`CREATE INDEX ON ${schema}.texts USING gin (words)`)
    for (const table of ['texts', 'entries']) await pool.query(`VACUUM ANALYZE ${schema}.${table}`)
    const ask = (query: string, rank: string) =>
      pool.query(
        `SELECT id, content FROM ${schema}.texts WHERE words @@ to_tsquery('english', $1)
        ORDER BY ${rank}(words, to_tsquery('english', $1)) DESC LIMIT ${limit}`,
        [query.split(' ').join(' | ')],
      )
    const hydrate = (query: string) =>
      memory.hydrate(scope, { query, sessionId: 'now', limit, budgetTokens: 100_000 })

    const queries = queriesOf(8)
    for (const query of queries) {
      const [{ items, failed }, { rows }] = [await hydrate(query), await ask(query, 'ts_rank')]
      if (failed || items.length < rows.length) {
        throw new Error(`${items.length} entries were recalled and ${rows.length} found.`)
      }
    }
    await memory.flush()
    const figures = await timeInTurn(
      queries,
      {
        hydrate,
        ts_rank: (query) => ask(query, 'ts_rank'),
        ts_rank_cd: (query) => ask(query, 'ts_rank_cd'),
      },
      () => memory.flush(),
    )
    const of = (name: string): readonly number[] => figures.get(name) ?? []
    const millis = (name: string) => `${median(of(name)).toFixed(2)} ms`
    const [cheaper] = ranks.toSorted((one, other) => median(of(one)) - median(of(other)))
    const ratios = ranks.map((rank) => ({
      name: `memory.hydrate of ${entries} entries / the bare query by ${rank}`,
      ratio: median(of('hydrate').map((figure, round) => figure / (of(rank)[round] ?? Number.NaN))),
      bound: rank === cheaper && entries === sizes.at(-1) ? 1.5 : undefined,
    }))
    const shown = ['hydrate', ...ranks].map((name) => `${name} ${millis(name)}`)
    return { text: `  ${String(entries).padStart(7)} entries: ${shown.join(', ')}`, ratios }
  } finally {
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await pool.end()
  }
}

/**
 * Milliseconds of each way to ask, a figure per round. What a hydration strengthens afterwards is waited for and
 * not counted: nobody hydrates again before it is done.
 */
async function timeInTurn(
  queries: readonly string[],
  ways: { readonly [name: string]: (query: string) => Promise<unknown> },
  settle: () => Promise<void>,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const figures = new Map(Object.keys(ways).map((name) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, ask] of Object.entries(ways)) {
      const times: number[] = []
      for (const query of queries) {
        const began = performance.now()
        await ask(query)
        times.push(performance.now() - began)
        await settle()
      }
      if (round > 0) figures.get(name)?.push(median(times))
    }
  }
  return figures
}
