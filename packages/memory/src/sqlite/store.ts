import type { SQLInputValue } from 'node:sqlite'
import type { StoredEntry } from '../entry.ts'
import { MemoryError } from '../errors.ts'
import { isMemoryLayer, memoryLayers } from '../layer.ts'
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
import { partitionKey } from '../scope.ts'
import type { MemoryStore, Ranked, StoredBlock, StoredLink } from '../store.ts'
import { bytesOf } from './database.ts'
import { entryColumns, entryOf } from './entry-row.ts'
import { filterCondition, selectorCondition } from './filter-sql.ts'
import { createSqliteJobs } from './job-queue.ts'
import { listQuery } from './list-query.ts'
import { openDatabase } from './open-database.ts'
import { createPartitions } from './partitions.ts'
import { stretchesAround } from './stretches.ts'
import { requireOwnTerms } from './text-index.ts'
import { createTextSearch } from './text-search.ts'
import { removeRow, writeEntries } from './write-entries.ts'

/** How a store in SQLite is opened. */
export interface SqliteStoreOptions {
  /** How long a writer waits for another process to finish, in milliseconds; 5,000 by default. */
  readonly busyTimeoutMs?: number
  /** `if-installed` (the default) loads the native code of sqlite-vec where it is there; `never` does not. */
  readonly vectorExtension?: 'if-installed' | 'never'
}

const selected = entryColumns.map((column) => `e.${column}`).join(', ')

/** Rows of one page of an export, and of one step of a removal. */
const stepRows = 500

/**
 * A store in one SQLite file, through `node:sqlite`: WAL, FTS5 with BM25, every change in one transaction.
 * Several processes may share the file. Similarities are exact: computed by sqlite-vec where it is
 * installed, and otherwise in JavaScript, which suits some ten thousand vectors a scope.
 *
 * @param path - A file, made if it is not there, or `:memory:`.
 * @throws MemoryError - `MEMORY_OPTION_INVALID`, `MEMORY_STORE_FAILED`, `MEMORY_MIGRATION_FAILED`.
 */
export function createSqliteStore(
  path: string,
  { busyTimeoutMs = 5_000, vectorExtension = 'if-installed' }: SqliteStoreOptions = {},
): MemoryStore {
  if (typeof path !== 'string' || path === '') {
    throw new MemoryError(
      'MEMORY_OPTION_INVALID',
      'The path of the database is no text. Give a file name, or ":memory:".',
      { details: { option: 'path' } },
    )
  }
  if (!Number.isSafeInteger(busyTimeoutMs) || busyTimeoutMs < 0) {
    throw new MemoryError(
      'MEMORY_OPTION_INVALID',
      'Option "busyTimeoutMs" is no whole number from 0. Leave it out for 5,000.',
      { details: { option: 'busyTimeoutMs' } },
    )
  }
  if (vectorExtension !== 'if-installed' && vectorExtension !== 'never') {
    throw new MemoryError(
      'MEMORY_OPTION_INVALID',
      'Option "vectorExtension" is either "if-installed" or "never".',
      { details: { option: 'vectorExtension' } },
    )
  }
  const database = openDatabase(path, {
    busyTimeoutMs,
    loadsVectorExtension: vectorExtension === 'if-installed',
  })
  const partitions = createPartitions(database)
  const searchText = createTextSearch(database)
  const similarity = database.hasVectorExtension
    ? '1.0 - vec_distance_cosine(e.embedding, ?)'
    : 'memory_cosine(e.embedding, ?)'

  const select = (where: string, ...values: readonly SQLInputValue[]): StoredEntry[] =>
    database.all(`SELECT ${selected} FROM memory_entries e WHERE ${where}`, ...values).map(entryOf)

  return {
    capabilities: Object.freeze({
      ranksByText: true,
      ranksByVector: true,
      isDurable: path !== ':memory:',
    }),
    jobs: createSqliteJobs(database, partitions),

    async write(scope, write) {
      const key = partitionKey(scope)
      const parsed = parseWrite(write)
      return database.transaction(() => {
        requireOwnTerms(database)
        const partition = partitions.numberFor(key)
        const outcome = writeEntries(database, partition, parsed)
        if (outcome.committed) {
          const created = outcome.entries.filter(({ status }) => status === 'created')
          partitions.grow(partition, created.length - outcome.removed)
        }
        if (parsed.remove.length > 0 || !outcome.committed) partitions.forgetIfEmpty(key)
        return outcome
      })
    },

    async get(scope, ids) {
      const key = partitionKey(scope)
      const asked = parseIds('ids', ids)
      const found = select(
        'e.partition = ? AND e.id IN (SELECT value FROM json_each(?))',
        partitions.find(key),
        JSON.stringify(asked),
      )
      const byId = new Map(found.map((entry) => [entry.id, entry]))
      return asked.flatMap((id) => byId.get(id) ?? [])
    },

    async list(scope, options) {
      const key = partitionKey(scope)
      const parsed = parseListOptions(options)
      const { order, limit } = parsed
      const { sql, values } = listQuery(parsed, {
        columns: selected,
        partition: partitions.find(key),
      })
      const entries = database.all(sql, ...values).map(entryOf)
      const last = entries[limit - 1]
      return {
        entries: entries.slice(0, limit),
        ...(entries.length > limit &&
          last !== undefined && { next: writeCursor(order, listPosition(last, order)) }),
      }
    },

    async search(scope, text, options) {
      const key = partitionKey(scope)
      const { limit, filter } = parseSearchOptions(options)
      const partition = partitions.find(key)
      return partition < 0 ? [] : searchText({ partition, text: String(text), limit, filter })
    },

    async searchVector(scope, embedding, options) {
      const key = partitionKey(scope)
      const { limit, filter } = parseSearchOptions(options)
      const asked = parseVector('embedding', embedding)
      const condition = filterCondition(filter)
      return database
        .all(
          `SELECT e.id, ${similarity} AS score FROM memory_entries e
           WHERE e.partition = ? AND length(e.embedding) = ?${condition.sql}
           ORDER BY score DESC, e.id LIMIT ?`,
          bytesOf(asked),
          partitions.find(key),
          asked.byteLength,
          ...condition.values,
          limit,
        )
        .map(rankedOf)
    },

    async neighbours(scope, places, options) {
      const key = partitionKey(scope)
      const reach = parseRadius(options?.radius)
      const partition = partitions.find(key)
      return stretchesAround(parsePlaces(places), reach).flatMap(({ sessionId, from, to }) =>
        select(
          `e.partition = ? AND e.session_id = ? AND e.sequence_index BETWEEN ? AND ?
           AND e.superseded_by IS NULL ORDER BY e.sequence_index, e.id`,
          partition,
          sessionId,
          from,
          to,
        ),
      )
    },

    async linked(scope, ids, options) {
      const key = partitionKey(scope)
      const limit = parseLimit(options?.limit)
      const asked = JSON.stringify(parseIds('ids', ids))
      const partition = partitions.find(key)
      return database
        .all(
          `SELECT DISTINCT l.from_id, l.to_id, l.relation, l.weight FROM (
             SELECT * FROM memory_links
             WHERE partition = ? AND from_id IN (SELECT value FROM json_each(?))
             UNION ALL SELECT * FROM memory_links
             WHERE partition = ? AND to_id IN (SELECT value FROM json_each(?))
           ) l
           JOIN memory_entries a ON a.partition = ? AND a.id = l.from_id AND a.superseded_by IS NULL
           JOIN memory_entries b ON b.partition = ? AND b.id = l.to_id AND b.superseded_by IS NULL
           ORDER BY l.weight DESC, l.from_id, l.to_id, l.relation LIMIT ?`,
          partition,
          asked,
          partition,
          asked,
          partition,
          partition,
          limit,
        )
        .map(
          (row): StoredLink => ({
            from: String(row['from_id']),
            to: String(row['to_id']),
            relation: String(row['relation']),
            weight: Number(row['weight']),
          }),
        )
    },

    async touch(scope, ids, options) {
      const key = partitionKey(scope)
      const { at, gain } = parseTouch(options)
      const asked = parseIds('ids', ids)
      return database.run(
        `UPDATE memory_entries SET recall_count = recall_count + 1, version = version + 1,
           recalled_at = max(ifnull(recalled_at, ?1), ?1),
           strength = max(0.0, min(1.0, strength + ?2))
         WHERE partition = ?3 AND id IN (SELECT value FROM json_each(?4))`,
        at,
        gain,
        partitions.find(key),
        JSON.stringify(asked),
      )
    },

    async remove(scope, selector) {
      const key = partitionKey(scope)
      const parsed = parseSelector(selector)
      const condition = selectorCondition(parsed)
      const removed = database.transaction(() => {
        requireOwnTerms(database)
        const partition = partitions.find(key)
        if ('everything' in parsed) {
          database.run('DELETE FROM memory_jobs WHERE partition = ?', partition)
        }
        let count = 0
        while (true) {
          const rows = database.all(
            `SELECT e.number, e.id, e.content, e.context FROM memory_entries e
             WHERE e.partition = ?${condition.sql} LIMIT ?`,
            partition,
            ...condition.values,
            stepRows,
          )
          for (const row of rows) removeRow(database, partition, String(row['id']), row)
          count += rows.length
          if (rows.length < stepRows) break
        }
        partitions.grow(partition, -count)
        partitions.forgetIfEmpty(key)
        return count
      })
      // The log still holds the pages as they were before.
      if (removed > 0) database.get('PRAGMA wal_checkpoint(TRUNCATE)')
      return removed
    },

    async describe(scope) {
      const key = partitionKey(scope)
      const rank = memoryLayers.map((layer, at) => `WHEN '${layer}' THEN ${at}`).join(' ')
      return database
        .all(
          `SELECT layer, label, count(*) AS count, max(updated_at) AS updated,
             max(importance) AS importance FROM memory_entries e
           WHERE partition = ? AND superseded_by IS NULL
           GROUP BY layer, label ORDER BY CASE layer ${rank} END, label LIMIT 1000`,
          partitions.find(key),
        )
        .flatMap(({ layer, label, count, updated, importance }): StoredBlock[] => {
          if (!isMemoryLayer(layer)) return []
          return [
            {
              layer,
              ...(typeof label === 'string' && { label }),
              count: Number(count),
              lastUpdatedAt: Number(updated),
              maxImportance: Number(importance),
            },
          ]
        })
    },

    async *export(scope) {
      const key = partitionKey(scope)
      let last = ''
      while (true) {
        const page = select(
          'e.partition = ? AND e.id > ? ORDER BY e.id LIMIT ?',
          partitions.find(key),
          last,
          stepRows,
        )
        yield* page
        if (page.length < stepRows) return
        last = page.at(-1)?.id ?? ''
      }
    },

    async close() {
      database.close()
    },
  }
}

function rankedOf(row: Record<string, unknown>): Ranked {
  return { id: String(row['id']), score: Number(row['score']) }
}
