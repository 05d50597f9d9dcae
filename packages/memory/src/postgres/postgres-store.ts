import { MemoryError } from '../errors.ts'
import { memoryLayers } from '../layer.ts'
import { parseVector } from '../parse-entry.ts'
import {
  listPosition,
  parseIds,
  parseLimit,
  parseListOptions,
  parsePlaces,
  parseRadius,
  parseSearchOptions,
  parseSelector,
  parseTouch,
  parseWrite,
  writeCursor,
} from '../parse-query.ts'
import { partitionKey, type Scope } from '../scope.ts'
import type { MemoryStore, StoredBlock } from '../store.ts'
import { termsVersion } from '../text/search-terms.ts'
import { entryColumns, readEntry } from './entry-row.ts'
import { createValues, filterCondition, selectorCondition } from './filter-sql.ts'
import { createPostgresJobs } from './job-queue.ts'
import { migrate } from './migrate.ts'
import { migrateTerms } from './migrate-terms.ts'
import { migrations } from './migrations.ts'
import { createPartitionMeasures } from './partition-measure.ts'
import { partitionName, partitionTag } from './partition-tag.ts'
import { asStoreFailure, type PostgresPool } from './pool.ts'
import { putEntries } from './put-entries.ts'
import { createTextSearch } from './text-search.ts'

/** How a store in PostgreSQL is opened. */
export interface PostgresStoreOptions {
  /** A `Pool` of `pg`, or anything like it. It stays the caller's: `close` does not end it. */
  readonly pool: PostgresPool
  /** The schema that holds the tables, made when it is missing. `symfonic_memory` by default. */
  readonly schema?: string
}

/** Entries that `export` reads at a time. */
const exportPage = 500

/**
 * A store in PostgreSQL 13 or newer, shared by any number of processes. It makes and migrates its own
 * schema, ranks by text with BM25, and by vector with the exact cosine where the extension `vector`
 * (pgvector) is installed in the database when the store is created. Vectors are kept either way.
 *
 * Removed rows are overwritten by the server's vacuum, not at once.
 *
 * @throws MemoryError - `MEMORY_OPTION_INVALID`; `MEMORY_MIGRATION_FAILED`; `MEMORY_STORE_FAILED` when
 * the server cannot be reached, or does not encode in UTF8.
 * @see DESIGN decisions 11, 12
 */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<MemoryStore> {
  const { pool, schema: name = 'symfonic_memory' } = options
  if (typeof pool?.query !== 'function' || typeof pool.connect !== 'function') {
    throw wrongOption('pool', 'It is no pool of connections. Pass a Pool of pg')
  }
  if (typeof name !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]{0,62}$/u.test(name)) {
    throw wrongOption('schema', 'It is no plain name of up to 63 letters, digits and underscores')
  }
  const schema = `"${name}"`
  const entries = `${schema}.entries`
  const ranksByVector = await asStoreFailure(async () => {
    const { rows } = await pool.query('SHOW server_encoding')
    if (rows[0]?.['server_encoding'] !== 'UTF8') throw new Error('the database is not UTF8')
    await migrate(pool, { schema, migrations })
    await migrateTerms(pool, { schema, version: termsVersion })
    const vector = await pool.query(
      `SELECT quote_ident(nspname) AS home FROM pg_extension
      JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'`,
    )
    return vector.rows[0]?.['home'] as string | undefined
  })
  return openStore(pool, { entries, jobs: `${schema}.jobs`, vectorHome: ranksByVector })
}

interface Tables {
  readonly entries: string
  readonly jobs: string
  /** The schema of the vector extension, quoted; none where it is not installed. */
  readonly vectorHome: string | undefined
}

function openStore(pool: PostgresPool, { entries, jobs, vectorHome }: Tables): MemoryStore {
  let isClosed = false
  const measures = createPartitionMeasures(pool, entries)
  const searchText = createTextSearch(pool, entries, measures.of)

  const assertOpen = (): void => {
    if (!isClosed) return
    throw new MemoryError('MEMORY_STORE_CLOSED', 'The store was closed. Create another one.')
  }

  /** What every method begins with: no scope, no answer. */
  const inPartition = <Result>(
    scope: Scope,
    work: (partition: string) => Promise<Result>,
  ): Promise<Result> =>
    asStoreFailure(async () => {
      const partition = partitionName(partitionKey(scope))
      assertOpen()
      return work(partition)
    })

  return {
    capabilities: Object.freeze({
      ranksByText: true,
      ranksByVector: vectorHome !== undefined,
      isDurable: true,
    }),

    jobs: createPostgresJobs({ queries: pool, jobs, assertOpen, guard: asStoreFailure }),

    write: (scope, write) =>
      inPartition(scope, async (partition) => {
        const outcome = await putEntries({ pool, entries, jobs, partition }, parseWrite(write))
        if (outcome.committed) measures.changed(partition, outcome.entries.length + outcome.removed)
        return outcome
      }),

    get: (scope, ids) =>
      inPartition(scope, async (partition) => {
        const asked = parseIds('ids', ids)
        const { rows } = await pool.query(
          `SELECT ${entryColumns} FROM ${entries} WHERE partition = $1 AND id = ANY($2::text[])`,
          [partition, asked],
        )
        const found = new Map(rows.map((row) => [row['id'], row]))
        return asked.flatMap((id) => {
          const row = found.get(id)
          return row === undefined ? [] : [readEntry(row)]
        })
      }),

    list: (scope, listOptions) =>
      inPartition(scope, async (partition) => {
        const { filter, order, limit, after } = parseListOptions(listOptions)
        const { layers = memoryLayers, ...others } = filter
        const values = createValues(partition, limit + 1, layers)
        const conditions = ['partition = $1', filterCondition(others, values)]
        const isDue = order === 'due'
        if (isDue) conditions.push('due_at IS NOT NULL', 'layer = ANY($3::text[])')
        else conditions.push('layer = asked.name')
        if (after !== undefined) {
          const [time, index, id] = [after.time, after.index, after.id].map(values.add)
          const position = isDue ? 'due_at, 0::bigint, id' : 'occurred_at, place_index, id'
          const sign = order === 'newest' ? '<' : '>'
          conditions.push(`(${position}) ${sign} (${time}::bigint, ${index}::bigint, ${id}::text)`)
        }
        const direction = order === 'newest' ? 'DESC' : 'ASC'
        const sorted = (isDue ? ['due_at', 'id'] : ['occurred_at', 'place_index', 'id'])
          .map((column) => `${column} ${direction}`)
          .join(', ')
        const inOrder = `SELECT * FROM ${entries} WHERE ${conditions.join(' AND ')}
          ORDER BY ${sorted} LIMIT $2`
        // A page of each layer comes in order from the index, whatever else the scope holds.
        const from = isDue
          ? `(${inOrder}) AS entry`
          : `unnest($3::text[]) AS asked (name) CROSS JOIN LATERAL (${inOrder}) AS entry`
        const { rows } = await pool.query(
          `SELECT ${entryColumns} FROM ${from} ORDER BY ${sorted} LIMIT $2`,
          values.list,
        )
        const page = rows.slice(0, limit).map(readEntry)
        const last = page.at(-1)
        return {
          entries: page,
          ...(rows.length > limit &&
            last !== undefined && { next: writeCursor(order, listPosition(last, order)) }),
        }
      }),

    search: (scope, text, searchOptions) =>
      inPartition(scope, (partition) =>
        searchText({ partition, text: String(text), ...parseSearchOptions(searchOptions) }),
      ),

    searchVector: (scope, embedding, searchOptions) =>
      inPartition(scope, async (partition) => {
        const { limit, filter } = parseSearchOptions(searchOptions)
        const asked = parseVector('embedding', embedding)
        if (vectorHome === undefined) throw noVectors()
        const vector = `${vectorHome}.vector`
        const values = createValues(partition, `[${asked.join(',')}]`, asked.length, limit)
        const isWanted = filterCondition(filter, values)
        // Materialized, so that no vector of another length ever reaches the comparison.
        const { rows } = await pool.query(
          `WITH fit AS MATERIALIZED (
            SELECT id, embedding FROM ${entries}
            WHERE partition = $1 AND cardinality(embedding) = $3 AND ${isWanted}
          )
          SELECT id, 1 - (embedding::${vector} OPERATOR(${vectorHome}.<=>) $2::${vector}) AS score
          FROM fit ORDER BY score DESC, id LIMIT $4`,
          values.list,
        )
        return rows.map(({ id, score }) => {
          return Object.freeze({ id, score: Math.max(-1, Math.min(1, Number(score))) })
        })
      }),

    neighbours: (scope, places, { radius }) =>
      inPartition(scope, async (partition) => {
        const reach = parseRadius(radius)
        const asked = parsePlaces(places)
        const { rows } = await pool.query(
          `SELECT ${entryColumns} FROM ${entries} WHERE partition = $1 AND superseded_by IS NULL
            AND id IN (
              SELECT near.id FROM unnest($2::text[], $3::bigint[]) AS place (session_id, at)
              JOIN ${entries} AS near ON near.partition = $1 AND near.session_id = place.session_id
                AND near.place_index BETWEEN place.at - $4::bigint AND place.at + $4::bigint
            )
          ORDER BY session_id, place_index, id`,
          [
            partition,
            asked.map(({ sessionId }) => sessionId),
            asked.map(({ index }) => index),
            reach,
          ],
        )
        return rows.map(readEntry)
      }),

    linked: (scope, ids, { limit }) =>
      inPartition(scope, async (partition) => {
        const most = parseLimit(limit)
        const asked = parseIds('ids', ids)
        const tag = partitionTag(partition)
        const { rows } = await pool.query(
          `SELECT near.id AS "from", link."to", link.relation, link.weight
          FROM ${entries} AS near
          CROSS JOIN json_to_recordset(near.links)
            AS link ("to" text COLLATE "C", relation text COLLATE "C", weight double precision)
          JOIN ${entries} AS far ON far.partition = $1 AND far.id = link."to"
          WHERE near.partition = $1 AND near.superseded_by IS NULL AND far.superseded_by IS NULL
            AND (near.id = ANY($2::text[]) OR near.linked_to && $3::text[])
            AND (near.id = ANY($2::text[]) OR link."to" = ANY($2::text[]))
          ORDER BY link.weight DESC, near.id, link."to", link.relation LIMIT $4`,
          [partition, asked, asked.map((id) => tag + id), most],
        )
        return rows.map(({ from, to, relation, weight }) => {
          return Object.freeze({ from, to, relation, weight })
        })
      }),

    touch: (scope, ids, touchOptions) =>
      inPartition(scope, async (partition) => {
        const { at, gain } = parseTouch(touchOptions)
        const { rows } = await pool.query(
          `WITH there AS (
            SELECT id FROM ${entries} WHERE partition = $1 AND id = ANY($2::text[])
            ORDER BY id FOR UPDATE
          )
          UPDATE ${entries} AS entry SET recall_count = recall_count + 1, version = version + 1,
            last_recalled_at = greatest(last_recalled_at, $3::bigint),
            strength = greatest(0, least(1, strength + $4::double precision))
          FROM there WHERE entry.partition = $1 AND entry.id = there.id RETURNING entry.id`,
          [partition, parseIds('ids', ids), at, gain],
        )
        return rows.length
      }),

    remove: (scope, selector) =>
      inPartition(scope, async (partition) => {
        const parsed = parseSelector(selector)
        const values = createValues(partition)
        const isMeant = selectorCondition(parsed, values)
        const jobsToo =
          'everything' in parsed
            ? `, gone AS (DELETE FROM ${jobs} WHERE partition = $1 RETURNING id)`
            : ''
        const { rows } = await pool.query(
          `WITH removed AS (
            DELETE FROM ${entries} WHERE partition = $1 AND ${isMeant} RETURNING id
          )${jobsToo} SELECT count(*) AS size FROM removed`,
          values.list,
        )
        const removed = Number(rows[0]?.['size'] ?? 0)
        measures.changed(partition, removed)
        return removed
      }),

    describe: (scope) =>
      inPartition(scope, async (partition) => {
        const { rows } = await pool.query(
          `SELECT layer, label, count(*) AS size, max(updated_at) AS updated_at,
            max(importance) AS importance
          FROM ${entries} WHERE partition = $1 AND superseded_by IS NULL GROUP BY layer, label
          ORDER BY array_position($2::text[], layer::text), coalesce(label, '') LIMIT 1000`,
          [partition, memoryLayers],
        )
        return rows.map((row): StoredBlock => {
          return Object.freeze({
            layer: row['layer'],
            ...(row['label'] !== null && { label: row['label'] }),
            count: Number(row['size']),
            lastUpdatedAt: Number(row['updated_at']),
            maxImportance: row['importance'],
          })
        })
      }),

    async *export(scope) {
      let after = ''
      while (true) {
        const page = await inPartition(scope, async (partition) => {
          const { rows } = await pool.query(
            `SELECT ${entryColumns} FROM ${entries} WHERE partition = $1 AND id > $2
            ORDER BY id LIMIT ${exportPage}`,
            [partition, after],
          )
          return rows.map(readEntry)
        })
        yield* page
        after = page.at(-1)?.id ?? ''
        if (page.length < exportPage) return
      }
    },

    async close() {
      isClosed = true
    },
  }
}

function noVectors(): MemoryError {
  return new MemoryError(
    'MEMORY_STORE_UNSUPPORTED',
    'The database has no extension "vector". Install pgvector, run CREATE EXTENSION vector, and create the store again.',
    { details: { capability: 'ranksByVector' } },
  )
}

function wrongOption(option: string, what: string): MemoryError {
  return new MemoryError('MEMORY_OPTION_INVALID', `Option "${option}" was refused. ${what}.`, {
    details: { option },
  })
}
