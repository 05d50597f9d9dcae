// A process that does nothing but live through turns with one memory in a file, and says what it holds.
//
//   node --expose-gc turns-process.ts <turns> …
//
// Prints a line of JSON at each number of turns, a `TurnsFigure`.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemory, extractionDelimiter, type Memory } from '@symfonic/memory'
import { createSqliteStore } from '@symfonic/memory/sqlite'
import { writeText } from './written-text.ts'

/** What the process holds after some turns. Bytes and milliseconds. */
export interface TurnsFigure {
  readonly turns: number
  readonly heap: number
  readonly external: number
  readonly rss: number
  /** Of each turn since the figure before. */
  readonly turnMs: number
}

/**
 * Turns of one user, and of one conversation: there are always new ones of both. Of the last 1,000 users a memory
 * holds what they were shown; there are as many before the first figure that counts.
 */
const turnsOfUser = 20
const turnsOfSession = 10

const folder = mkdtempSync(join(tmpdir(), 'symfonic-turns-'))
const store = createSqliteStore(join(folder, 'memory.db'))
try {
  await liveThrough(process.argv.slice(2).map(Number))
} finally {
  await store.close()
  rmSync(folder, { recursive: true })
}

async function liveThrough(places: readonly number[]): Promise<void> {
  let clock = Date.UTC(2026, 0, 1)
  const memory = createMemory({ store, now: () => clock })
  let began = performance.now()
  let last = 0
  for (let turn = 0; turn < (places.at(-1) ?? 0); turn += 1) {
    clock += 60_000
    await liveTurn(memory, turn)
    const turns = turn + 1
    if (!places.includes(turns)) continue
    const turnMs = (performance.now() - began) / (turns - last)
    const { heapUsed: heap, external, rss } = settledUsage()
    const figure: TurnsFigure = { turns, heap, external, rss, turnMs }
    console.log(JSON.stringify(figure))
    began = performance.now()
    last = turns
  }
  const counters = Object.entries(memory.counters()).filter(([, count]) => count > 0)
  if (counters.length > 0) throw new Error(`Something failed: ${JSON.stringify(counters)}`)
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
