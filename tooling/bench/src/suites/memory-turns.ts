import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { TurnsFigure } from '../memory/turns-process.ts'
import type { Computation, ComputedSuite } from '../suite.ts'

/** Where the memory of the process is read off, in turns. */
const places = [1_000, 10_000, 25_000, 50_000, 75_000, 100_000]

/**
 * What a process holds while it lives through a hundred thousand turns: each is hydrated and consolidated, with
 * what the model noted, naps and a sleep for each user, in one SQLite file.
 */
export const memoryTurns: ComputedSuite = {
  name: 'memory/turns',
  compute: () => heapOver(places, { from: 25_000 }),
}

/**
 * Runs the turns in a process of their own, that nothing else fills. What an engine and an allocator keep in
 * reserve is held small, since it grows with how busy the machine is: the young generation, and the arenas of
 * the C library.
 *
 * @param at - Where to read off, rising; `from` is one of them, and what the last one is compared with.
 */
export async function heapOver(
  at: readonly number[],
  { from }: { from: number },
): Promise<Computation> {
  const program = fileURLToPath(new URL('../memory/turns-process.ts', import.meta.url))
  const flags = ['--expose-gc', '--max-semi-space-size=8', '--conditions=@symfonic/source']
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...flags, program, ...at.map(String)],
    { env: { ...process.env, MALLOC_ARENA_MAX: '1' } },
  )
  const figures = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as TurnsFigure)
  const last = figures.at(-1)
  const first = figures.find(({ turns }) => turns === from)
  const ratioOf = (key: 'heap' | 'rss') =>
    (last?.[key] ?? Number.NaN) / (first?.[key] ?? Number.NaN)
  const name = (what: string) => `${what} after ${last?.turns} turns / after ${from}`
  return {
    text: ['memory of the process, garbage collected', ...figures.map(lineOf)].join('\n'),
    ratios: [
      { name: name('heap'), ratio: ratioOf('heap'), bound: 1.1 },
      { name: name('rss'), ratio: ratioOf('rss'), bound: 1.1 },
    ],
  }
}

function lineOf({ turns, heap, external, rss, turnMs }: TurnsFigure): string {
  const held = `heap ${inMegabytes(heap)}  external ${inMegabytes(external)}  rss ${inMegabytes(rss)}`
  return `  after ${String(turns).padStart(7)} turns  ${held}  ${turnMs.toFixed(2)} ms a turn`
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`.padStart(9)
}
