import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemory, extractionDelimiter, type Memory, type MemoryStore } from '@symfonic/memory'
import { createSqliteStore } from '@symfonic/memory/sqlite'
import { writeText } from '../memory/written-text.ts'
import type { Computation, ComputedSuite } from '../suite.ts'

/** Where the memory of the process is read off, in turns. */
const places = [1_000, 10_000, 25_000, 50_000, 75_000, 100_000]

/**
 * Turns of one user, and of one conversation: there are always new ones of both. Of the last 1,000 users a memory
 * holds what they were shown; there are as many before the first figure that counts.
 */
const turnsOfUser = 20
const turnsOfSession = 10

/**
 * What the process holds while it lives through a hundred thousand turns: each is hydrated and consolidated, with
 * what the model noted, naps every 20 turns and a sleep for each user, in one SQLite file.
 */
export const memoryTurns: ComputedSuite = {
  name: 'memory/turns',
  compute: () => heapOver(places, { from: 25_000 }),
}

/** @param at - Where to read off, rising; `from` is one of them, and what the last one is compared with. */
export async function heapOver(
  at: readonly number[],
  { from }: { from: number },
): Promise<Computation> {
  const folder = mkdtempSync(join(tmpdir(), 'symfonic-turns-'))
  const store = createSqliteStore(join(folder, 'memory.db'))
  try {
    return await liveThrough(store, at, from)
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}

async function liveThrough(
  store: MemoryStore,
  at: readonly number[],
  from: number,
): Promise<Computation> {
  let clock = Date.UTC(2026, 0, 1)
  const memory = createMemory({ store, now: () => clock })
  const figures = new Map<number, NodeJS.MemoryUsage>()
  const lines: string[] = []
  let began = performance.now()
  let last = 0
  for (let turn = 0; turn < (at.at(-1) ?? 0); turn += 1) {
    clock += 60_000
    await liveTurn(memory, turn)
    if (!at.includes(turn + 1)) continue
    const turnMs = (performance.now() - began) / (turn + 1 - last)
    const usage = settledUsage()
    figures.set(turn + 1, usage)
    lines.push(
      `  after ${String(turn + 1).padStart(7)} turns  heap ${inMegabytes(usage.heapUsed)}  external ${inMegabytes(usage.external)}  rss ${inMegabytes(usage.rss)}  ${turnMs.toFixed(2)} ms a turn`,
    )
    began = performance.now()
    last = turn + 1
  }
  const counters = Object.entries(memory.counters()).filter(([, count]) => count > 0)
  if (counters.length > 0) throw new Error(`Something failed: ${JSON.stringify(counters)}`)
  const ratioOf = (key: 'heapUsed' | 'rss') =>
    (figures.get(at.at(-1) ?? 0)?.[key] ?? Number.NaN) / (figures.get(from)?.[key] ?? Number.NaN)
  return {
    text: ['memory of the process, garbage collected', ...lines].join('\n'),
    ratios: [
      {
        name: `heap after ${at.at(-1)} turns / after ${from}`,
        ratio: ratioOf('heapUsed'),
        bound: 1.1,
      },
      { name: `rss after ${at.at(-1)} turns / after ${from}`, ratio: ratioOf('rss'), bound: 1.25 },
    ],
  }
}

async function liveTurn(memory: Memory, turn: number): Promise<void> {
  const text = writeText(turn)
  const user = Math.floor(turn / turnsOfUser)
  const scope = { tenantId: 'bench', userId: `user ${user}` }
  const sessionId = `session ${Math.floor(turn / turnsOfSession)}`
  const asked = text.words(12)
  const { failed } = await memory.hydrate(scope, { query: asked, sessionId })
  const { open, close } = extractionDelimiter
  const noted = JSON.stringify({ kind: 'fact', content: text.words(8) })
  const outcome = await memory.consolidate(scope, {
    turnId: `turn ${turn}`,
    sessionId,
    messages: [
      { role: 'user', speaker: 'Ann', text: asked },
      { role: 'assistant', text: [text.words(30), open, noted, close].join('\n') },
    ],
  })
  // Two messages and what the model noted.
  if (failed || outcome.failed || outcome.created !== 3) throw new Error(`Turn ${turn} failed.`)
  if (turn % turnsOfUser === turnsOfUser - 1) await memory.requestSleep(scope)
  await memory.flush()
}

function settledUsage(): NodeJS.MemoryUsage {
  // Twice: what a finalizer lets go of is collected the second time.
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage()
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`.padStart(9)
}
