// A process that writes to a store until it is done, or killed. Its parent talks to it over IPC.

import { Pool } from 'pg'
import { parseEntry } from '../parse-entry.ts'
import { createPostgresStore } from '../postgres/postgres-store.ts'
import { createSqliteStore } from '../sqlite/store.ts'
import type { MemoryStore } from '../store.ts'
import { startOfTime, type WriterOrder, type WriterReport, writerScope } from './writer-process.ts'

/** Entries of a batch: either all of them are there afterwards, or none. */
const batchSize = 5

const order: WriterOrder = JSON.parse(process.argv[2] ?? '')
const { store, close } = await openStore(order)

process.on('message', () => {
  const done = order.task === 'share' ? share(order) : writeUntilKilled(order)
  done
    .then(close)
    .then(() => process.disconnect())
    .catch(fail)
})
report({ kind: 'ready' })

async function openStore({
  place,
  schema,
  name,
}: WriterOrder): Promise<{ store: MemoryStore; close: () => Promise<void> }> {
  if (schema === undefined) {
    const file = createSqliteStore(place)
    return { store: file, close: () => file.close() }
  }
  const pool = new Pool({ connectionString: place, max: 6, application_name: name })
  return { store: await createPostgresStore({ pool, schema }), close: () => pool.end() }
}

function draft(id: string, label: string, content = `what ${id} says`) {
  const said = { id, layer: 'episodic', label, content, provenance: { source: 'turn' } } as const
  return parseEntry(said, { now: startOfTime })
}

/** Batches, jobs and their effects, each told to the parent once the store has answered. */
async function writeUntilKilled({ name, turn }: WriterOrder): Promise<void> {
  for (let step = 0; ; step += 1) {
    const ids = Array.from({ length: batchSize }, (_, index) => `${name}.${step}.${index}`)
    await store.write(writerScope, { put: ids.map((id) => ({ entry: draft(id, name) })) })
    report({ kind: 'batch', step })

    const key = `${name}.${step}`
    await store.jobs.enqueue(writerScope, { kind: 'nap', key, runAt: startOfTime + turn })
    report({ kind: 'job', key })

    // Each process has a later clock, so what a dead one held is free.
    const now = startOfTime + turn * 10_000
    for (const job of await store.jobs.claim({ now, leaseMs: 5_000 })) {
      const effect = draft(`effect ${job.key} ${job.token}`, 'effect', job.key)
      const [tally] = await store.get(writerScope, ['tally'])
      await store.write(writerScope, {
        put: [
          { entry: effect },
          {
            entry: draft('tally', 'tally', String(Number(tally?.content ?? 0) + 1)),
            expectedVersion: tally?.version ?? 0,
          },
        ],
        completes: job,
      })
    }
  }
}

/** A share of the writes to a scope that another process writes to as well. */
async function share({ name, writes = 0, tallies = 1 }: WriterOrder): Promise<void> {
  let created = 0
  let index = 0
  const worker = async (): Promise<void> => {
    while (index < writes) {
      const at = index
      index += 1
      if (at % 2 === 0) {
        await store.write(writerScope, { put: [{ entry: draft(`${name}.${at}`, name) }] })
      } else if (at % 4 === 1) {
        const put = [{ entry: draft(`both.${at}`, 'both'), ifExists: 'keep' } as const]
        const outcome = await store.write(writerScope, { put })
        if (outcome.committed && outcome.entries[0]?.status === 'created') created += 1
      } else await count(`tally.${at % tallies}`)
    }
  }
  await Promise.all(Array.from({ length: 6 }, worker))
  report({ kind: 'shared', created })
}

/** Adds one to a number that others add to as well. */
async function count(id: string): Promise<void> {
  while (true) {
    const [there] = await store.get(writerScope, [id])
    const entry = draft(id, 'tally', String(Number(there?.content ?? 0) + 1))
    const put = [{ entry, expectedVersion: there?.version ?? 0 }]
    if ((await store.write(writerScope, { put })).committed) return
  }
}

function report(said: WriterReport): void {
  process.send?.(said)
}

function fail(thrown: unknown): void {
  report({ kind: 'failed', reason: thrown instanceof Error ? `${thrown.stack}` : String(thrown) })
  process.exit(1)
}
