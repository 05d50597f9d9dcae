import { MemoryError } from '../errors.ts'
import { migrationLock } from './migrate.ts'
import { partitionTag } from './partition-tag.ts'
import { inTransaction, type PostgresPool, type PostgresQueries, type PostgresRow } from './pool.ts'
import { termVector } from './term-vector.ts'

/** Entries that are indexed anew in one transaction at most. */
const pageEntries = 500

/** Characters from which such a page is full: its texts and their terms are held in memory together. */
const pageChars = 1_000_000

/**
 * Sees to it that the entries of a schema are indexed by the present terms, and indexes them anew where they are not,
 * page by page: each in a transaction of its own, so that writers wait for a page at most, and what was
 * cut short is gone on with. Processes that start together do it together.
 *
 * @param schema - Quoted already.
 * @param version - Of the present terms.
 * @throws MemoryError - `MEMORY_MIGRATION_FAILED` where the schema has later terms than this package.
 */
export async function migrateTerms(
  pool: PostgresPool,
  { schema, version }: { schema: string; version: number },
): Promise<void> {
  let isDone = false
  while (!isDone) {
    isDone = await inTransaction(pool, async (queries) => {
      await queries.query(migrationLock)
      const result = await indexPage(queries, schema, version)
      return { keep: true, result }
    })
  }
}

/** Indexes the next page. Whether there is none. */
async function indexPage(
  queries: PostgresQueries,
  schema: string,
  version: number,
): Promise<boolean> {
  const { rows: states } = await queries.query(
    `SELECT version, partition, id FROM ${schema}.terms_version`,
  )
  const state = states[0]
  if (state !== undefined && state['version'] > version) throw laterTerms(state, version)
  const isGoingOn = state?.['version'] === version
  if (isGoingOn && state['partition'] === null) return true

  const from = isGoingOn ? [state['partition'], state['id']] : ['', '']
  const { rows: sizes } = await queries.query(
    `SELECT partition, id, length(content) + coalesce(length(context), 0) AS chars FROM ${schema}.entries
    WHERE (partition, id) > ($1, $2) ORDER BY partition, id LIMIT ${pageEntries} FOR UPDATE`,
    from,
  )
  let chars = 0
  const full = sizes.findIndex((size) => {
    chars += Number(size['chars'])
    return chars >= pageChars
  })
  const page = full < 0 ? sizes : sizes.slice(0, full + 1)
  const last = page.at(-1)
  const { rows } = await queries.query(
    `SELECT partition, id, content, context FROM ${schema}.entries
    WHERE (partition, id) > ($1, $2) AND (partition, id) <= ($3, $4)`,
    [...from, last?.['partition'] ?? '', last?.['id'] ?? ''],
  )
  await queries.query(
    `UPDATE ${schema}.entries AS entry SET terms = given.terms, terms_length = given.length
    FROM json_to_recordset($1::json) AS given (partition text, id text, terms tsvector, length real)
    WHERE entry.partition = given.partition AND entry.id = given.id`,
    [
      JSON.stringify(
        rows.map(({ partition, id, content, context }) => {
          return { partition, id, ...termVector({ content, context }, partitionTag(partition)) }
        }),
      ),
    ],
  )
  const next = page.length < sizes.length || sizes.length === pageEntries ? last : undefined
  await queries.query(`DELETE FROM ${schema}.terms_version`)
  await queries.query(
    `INSERT INTO ${schema}.terms_version (version, partition, id) VALUES ($1, $2, $3)`,
    [version, next?.['partition'] ?? null, next?.['id'] ?? null],
  )
  return next === undefined
}

function laterTerms({ version }: PostgresRow, known: number): MemoryError {
  return new MemoryError(
    'MEMORY_MIGRATION_FAILED',
    `The entries are indexed by terms of version ${version} and this package knows ${known}. Install the package that wrote them, or a newer one.`,
    { details: { version } },
  )
}
