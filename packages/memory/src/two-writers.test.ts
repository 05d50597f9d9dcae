import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StoredEntry } from './entry.ts'
import { createPostgresStore } from './postgres/postgres-store.ts'
import { openServer, serverUrl, type TestDatabase } from './testing-fixtures/postgres-databases.ts'
import { forkWriter, writerScope } from './testing-fixtures/writer-process.ts'

/** Writes of both processes together: half to entries of their own, a quarter to the same, a quarter counting. */
const writes = 10_000
const tallies = 48

describe.skipIf(serverUrl === undefined)('two processes that write to one scope at once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'symfonic-memory-'))
  let database: TestDatabase
  const entries = new Map<string, StoredEntry>()
  let created = 0
  let exported = 0

  beforeAll(async () => {
    database = openServer()
    const schema = database.newSchema()
    const store = await createPostgresStore({ pool: database.pool, schema })
    const writers = await Promise.all(
      ['one', 'other'].map((name, index) =>
        forkWriter(
          {
            name,
            task: 'share',
            place: serverUrl ?? '',
            schema,
            turn: index + 1,
            writes: writes / 2,
            tallies,
          },
          folder,
        ),
      ),
    )
    for (const writer of writers) writer.start()
    await Promise.all(writers.map(({ ended }) => ended))
    for (const { reports } of writers) {
      for (const report of reports) if (report.kind === 'shared') created += report.created
    }
    for await (const entry of store.export(writerScope)) {
      entries.set(entry.id, entry)
      exported += 1
    }
  }, 300_000)

  afterAll(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })

  const labelled = (label: string) => [...entries.values()].filter((each) => each.label === label)

  it('lose none and double none of their own entries', () => {
    expect(exported).toBe(entries.size)
    for (const name of ['one', 'other']) {
      expect(labelled(name)).toHaveLength(writes / 4)
      expect(labelled(name).filter(({ version }) => version !== 1)).toEqual([])
    }
  })

  it('make each entry once that both of them write', () => {
    expect(labelled('both')).toHaveLength(writes / 8)
    expect(labelled('both').filter(({ version }) => version !== 1)).toEqual([])
    expect(created).toBe(writes / 8)
  })

  it('lose no count that both of them add to', () => {
    const counted = labelled('tally').map(({ content, version }) => [Number(content), version])
    expect(counted.reduce((sum, [content = 0]) => sum + content, 0)).toBe(writes / 4)
    expect(counted.filter(([content, version]) => content !== version)).toEqual([])
  })
})
