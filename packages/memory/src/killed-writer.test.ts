import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StoredEntry } from './entry.ts'
import { parseEntry } from './parse-entry.ts'
import { createPostgresStore } from './postgres/postgres-store.ts'
import { createSqliteStore } from './sqlite/store.ts'
import type { EntryFilter, MemoryStore } from './store.ts'
import { serverUrl } from './testing-fixtures/postgres-databases.ts'
import {
  forkWriter,
  startOfTime,
  type Writer,
  type WriterOrder,
  writerScope,
} from './testing-fixtures/writer-process.ts'

/** How many writers are killed, of each database. */
const kills = Number(process.env['SYMFONIC_TEST_KILLS'] ?? 100)

/** The moments are the same in every run, as far as a clock can be trusted. */
const seed = Number(process.env['SYMFONIC_TEST_SEED'] ?? 20_261_201)

/** How many reports there are when a writer has told of its first job. */
const readyBatchAndJob = 3

interface KilledDatabase {
  readonly order: Pick<WriterOrder, 'place' | 'schema'>
  open(): Promise<MemoryStore>
  /** Resolves once the server has noticed that a writer is gone. */
  settled(name: string): Promise<void>
  close(): Promise<void>
}

const folder = mkdtempSync(join(tmpdir(), 'symfonic-memory-'))
afterAll(() => rmSync(folder, { recursive: true }))

const databases = [
  { name: 'a SQLite file', isThere: true, create: sqliteDatabase },
  { name: 'a PostgreSQL server', isThere: serverUrl !== undefined, create: serverDatabase },
]

for (const { name, isThere, create } of databases) {
  describe.skipIf(!isThere)(`writers of ${name} that are killed at any moment`, () => {
    const batches: string[] = []
    const jobs: string[] = []
    const halves: string[] = []
    const missing: string[] = []
    let drained = 0
    let database: KilledDatabase

    beforeAll(async () => {
      database = create()
      await (await database.open()).close()
      const orders = Array.from({ length: kills }, (_, index): WriterOrder => {
        const name = `writer-${index}`
        return { name, task: 'until-killed', turn: index + 1, ...database.order }
      })
      // The first one leaves its compiled code to the others, which then start within a tenth of a second.
      const cache = join(folder, 'cache')
      const about = { name: 'first', task: 'share', turn: 0, writes: 0 } as const
      const first = await forkWriter({ ...about, ...database.order }, cache)
      first.start()
      await first.ended

      const random = randomFrom(seed)
      const warm: Promise<Writer>[] = []
      for (const [index, order] of orders.entries()) {
        for (const next of orders.slice(index + warm.length, index + 3)) {
          warm.push(forkWriter(next, cache))
        }
        const writer = await warm.shift()
        if (writer === undefined) throw new Error('There is no writer to be killed.')
        writer.start()
        // Every other one has written something by then, however slow the machine is.
        if (index % 2 === 0) await writer.told(readyBatchAndJob)
        await wait(1 + random() * 29)
        await writer.kill()
        await database.settled(order.name)
        await inspect(order.name, writer)
      }
    }, 600_000)

    /** What a killed writer left behind, beside what it had been answered. */
    async function inspect(writerName: string, writer: Writer): Promise<void> {
      const store = await database.open()
      const found = new Map<string, number>()
      for (const { id } of await everything(store, { label: writerName })) {
        const batch = id.slice(0, id.lastIndexOf('.'))
        found.set(batch, (found.get(batch) ?? 0) + 1)
      }
      for (const [batch, size] of found) {
        batches.push(batch)
        if (size !== 5) halves.push(`${batch}: ${size}`)
      }
      for (const report of writer.reports) {
        if (report.kind === 'job') jobs.push(report.key)
        const batch = report.kind === 'batch' ? `${writerName}.${report.step}` : undefined
        if (batch !== undefined && !found.has(batch)) missing.push(batch)
      }
      await store.close()
    }

    afterAll(() => database.close())

    it('leave a store that opens, with something in it', () => {
      expect(batches.length).toBeGreaterThanOrEqual(kills / 2)
      expect(jobs.length).toBeGreaterThanOrEqual(kills / 2)
    })

    it('leave no half of a batch', () => {
      expect(halves).toEqual([])
    })

    it('lose nothing that was answered', () => {
      expect(missing).toEqual([])
    })

    it('lose no job, and let none take effect twice', async () => {
      const store = await database.open()
      const now = startOfTime + (kills + 1) * 10_000
      for (let claimed = 1; claimed > 0; ) {
        const held = await store.jobs.claim({ now, leaseMs: 60_000, limit: 100 })
        claimed = held.length
        for (const job of held) {
          const id = `effect ${job.key} ${job.token}`
          const said = { id, layer: 'episodic', label: 'effect', content: job.key } as const
          const entry = parseEntry({ ...said, provenance: { source: 'system' } }, { now })
          await store.write(writerScope, { put: [{ entry }], completes: job })
          drained += 1
        }
      }
      const effects = await everything(store, { label: 'effect' })
      const done = effects.map(({ content }) => content)
      expect(new Set(done).size).toBe(done.length)
      expect(jobs.filter((key) => !done.includes(key))).toEqual([])
      const [tally] = await store.get(writerScope, ['tally'])
      expect(Number(tally?.content ?? 0)).toBe(done.length - drained)
      await store.close()
    })
  })
}

async function everything(store: MemoryStore, filter: EntryFilter): Promise<StoredEntry[]> {
  const found: StoredEntry[] = []
  let cursor: string | undefined
  do {
    const page = await store.list(writerScope, {
      filter,
      limit: 1_000,
      ...(cursor !== undefined && { cursor }),
    })
    found.push(...page.entries)
    cursor = page.next
  } while (cursor !== undefined)
  return found
}

function sqliteDatabase(): KilledDatabase {
  const place = join(folder, 'killed.db')
  return {
    order: { place },
    open: async () => createSqliteStore(place),
    settled: async () => {},
    close: async () => {},
  }
}

function serverDatabase(): KilledDatabase {
  const place = serverUrl ?? ''
  const schema = `memory_killed_${process.pid}`
  const pool = new Pool({ connectionString: place, max: 2 })
  return {
    order: { place, schema },
    open: () => createPostgresStore({ pool, schema }),
    async settled(name) {
      const ask = 'SELECT FROM pg_stat_activity WHERE application_name = $1'
      while ((await pool.query(ask, [name])).rows.length > 0) await wait(2)
    },
    async close() {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`)
      await pool.end()
    },
  }
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(start: number): () => number {
  let state = start
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
