import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type MemoryEntry, type MemoryStore, parseEntry } from '@symfonic/memory'
import { createPostgresStore } from '@symfonic/memory/postgres'
import { createSqliteStore } from '@symfonic/memory/sqlite'
import { Pool } from 'pg'
import { type Effort, measureInTurn, median } from '../measure.ts'
import { scope } from '../memory/filled-memory.ts'
import { writeText } from '../memory/written-text.ts'
import type { Computation, ComputedSuite } from '../suite.ts'

/** Entries of one write. */
const batch = 100

/** Entries that are there before the clock runs; what is measured comes on top. */
const sizes = [1_000, 10_000, 100_000]

const bound = 1.5
const effort: Effort = { rounds: 12, turnMs: 150, warmUpMs: 500 }
const now = Date.UTC(2026, 0, 1)

/** Writes a batch of entries; resolves once they are on the disk. */
type Writer = (entries: readonly MemoryEntry[]) => unknown

/**
 * Writing batches of a hundred entries to a store, against inserting the same texts by hand: one transaction, a
 * table of the same columns and indexes, and a full-text index that cuts words its own way.
 */
export const memoryWrites: ComputedSuite = {
  name: 'memory/writes',
  async compute() {
    const found = [await compareSqlite()]
    const url = process.env['SYMFONIC_TEST_POSTGRES_URL']
    if (url !== undefined) found.push(await comparePostgres(url))
    const skipped = 'PostgreSQL: not measured; set SYMFONIC_TEST_POSTGRES_URL to a server.'
    return {
      text: [
        `writes, in batches of ${batch} entries`,
        ...found.map(({ text }) => text),
        ...(url === undefined ? [`  ${skipped}`] : []),
      ].join('\n'),
      ratios: found.flatMap(({ ratios }) => ratios),
    }
  },
}

async function compareSqlite(): Promise<Computation> {
  const folder = mkdtempSync(join(tmpdir(), 'symfonic-bench-'))
  const store = createSqliteStore(join(folder, 'ours.db'))
  const bare = new DatabaseSync(join(folder, 'bare.db'))
  try {
    bare.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;
      CREATE TABLE entries (
        number INTEGER PRIMARY KEY, tenant TEXT NOT NULL, id TEXT NOT NULL, layer TEXT NOT NULL,
        content TEXT NOT NULL, importance REAL NOT NULL, created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL, occurred_at INTEGER NOT NULL, strength REAL NOT NULL,
        source TEXT NOT NULL, turn_id TEXT, session_id TEXT, place INTEGER, metadata TEXT,
        UNIQUE (tenant, id)
      );
      CREATE INDEX by_layer ON entries (tenant, layer, occurred_at, place, id);
      CREATE INDEX by_place ON entries (tenant, session_id, place);
      CREATE INDEX by_turn ON entries (tenant, turn_id);
      CREATE VIRTUAL TABLE texts USING fts5 (content, content = '', tokenize = 'porter')`)
    const insert =
      bare.prepare(`INSERT INTO entries (tenant, id, layer, content, importance, created_at,
      updated_at, occurred_at, strength, source, turn_id, session_id, place, metadata)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    const insertText = bare.prepare('INSERT INTO texts (rowid, content) VALUES (?, ?)')
    const writeBare: Writer = (entries) => {
      bare.exec('BEGIN IMMEDIATE')
      for (const entry of entries) {
        const { lastInsertRowid } = insert.run(...columnsOf(entry))
        insertText.run(lastInsertRowid, entry.content)
      }
      bare.exec('COMMIT')
    }
    return await compare('SQLite', writerOf(store), writeBare)
  } finally {
    await store.close()
    bare.close()
    rmSync(folder, { recursive: true })
  }
}

async function comparePostgres(url: string): Promise<Computation> {
  const pool = new Pool({ connectionString: url, max: 2 })
  const schema = `symfonic_bench_${process.pid}`
  try {
    const store = await createPostgresStore({ pool, schema })
    await pool.query(`CREATE TABLE ${schema}.bare (LIKE ${schema}.entries INCLUDING ALL)`)
    const places = Array.from({ length: 13 }, (_, index) => `$${index + 1}::text[]`)
    const insert = `INSERT INTO ${schema}.bare (partition, id, layer, content, importance, created_at,
        updated_at, occurred_at, strength, source, turn_id, session_id, place_index, version, recall_count,
        terms, terms_length)
      SELECT partition, id, layer, content, importance::double precision, created_at::bigint,
        updated_at::bigint, occurred_at::bigint, strength::double precision, source, turn_id, session_id,
        place::bigint, 1, 0, to_tsvector('english', content), 1
      FROM unnest(${places.join(', ')}) AS given (partition, id, layer, content, importance, created_at,
        updated_at, occurred_at, strength, source, turn_id, session_id, place)`
    const writeBare: Writer = (entries) => {
      const rows = entries.map((entry) => columnsOf(entry).slice(0, 13))
      return pool.query(
        insert,
        places.map((_, column) => rows.map((row) => String(row[column]))),
      )
    }
    return await compare('PostgreSQL', writerOf(store), writeBare)
  } finally {
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await pool.end()
  }
}

async function compare(database: string, ours: Writer, bare: Writer): Promise<Computation> {
  const [ourBatches, bareBatches] = [createBatches(), createBatches()]
  const contenders = [
    { name: 'ours', units: batch, work: () => ours(ourBatches()) },
    { name: 'bare', units: batch, work: () => bare(bareBatches()) },
  ]
  const found: Computation[] = []
  let written = 0
  for (const size of sizes) {
    for (; written < size; written += batch) {
      for (const { work } of contenders) await work()
    }
    const figures = await measureInTurn(contenders, effort)
    const [our = [], their = []] = [figures.get('ours'), figures.get('bare')]
    const about = `${database}, ${size.toLocaleString('en')} entries there`
    found.push({
      text: `  ${about.padEnd(34)} ${perSecond(our)} entries a second; by hand ${perSecond(their)}`,
      ratios: [
        {
          name: `writing ${batch} entries / inserting them by hand, ${about}`,
          ratio: median(our.map((figure, round) => figure / (their[round] ?? Number.NaN))),
          bound,
        },
      ],
    })
  }
  return {
    text: found.map(({ text }) => text).join('\n'),
    ratios: found.flatMap(({ ratios }) => ratios),
  }
}

function perSecond(nanoseconds: readonly number[]): string {
  return Math.round(1e9 / median(nanoseconds)).toLocaleString('en')
}

function writerOf(store: MemoryStore): Writer {
  return async (entries) => {
    const outcome = await store.write(scope, { put: entries.map((entry) => ({ entry })) })
    if (!outcome.committed) throw new Error('A batch was not written.')
  }
}

/** Answers another batch each time: the same texts over and over, new ids and places. */
function createBatches(): () => readonly MemoryEntry[] {
  const text = writeText(1)
  const drafts = Array.from({ length: 1_000 }, () => text.words(20))
  let next = 0
  return () =>
    Array.from({ length: batch }, () => {
      const number = next
      next += 1
      return parseEntry(
        {
          id: `entry ${number}`,
          layer: 'episodic',
          content: drafts[number % drafts.length] ?? '',
          provenance: { source: 'turn', turnId: `turn ${number >> 1}` },
          sequence: { sessionId: `session ${number >> 5}`, index: number & 31 },
        },
        { now: now + number },
      )
    })
}

function columnsOf(entry: MemoryEntry): (string | number)[] {
  const { id, layer, content, importance, createdAt, updatedAt, occurredAt, strength } = entry
  const { sessionId = '', index = 0 } = entry.sequence ?? {}
  const times = [createdAt, updatedAt, occurredAt]
  const { source, turnId = '' } = entry.provenance
  const metadata = JSON.stringify(entry.metadata)
  return [
    'bench',
    id,
    layer,
    content,
    importance,
    ...times,
    strength,
    source,
    turnId,
    sessionId,
    index,
    metadata,
  ]
}
