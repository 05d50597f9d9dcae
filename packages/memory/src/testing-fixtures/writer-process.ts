import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Scope } from '../scope.ts'

/** What a writer is to do, and where. */
export interface WriterOrder {
  /** Differs from writer to writer. */
  readonly name: string
  readonly task: 'until-killed' | 'share'
  /** A path for SQLite, a URL for PostgreSQL. */
  readonly place: string
  /** The schema, for PostgreSQL. */
  readonly schema?: string
  /** Which writer it is, from 1; what is later has a later clock. */
  readonly turn: number
  /** How many writes, for `share`. */
  readonly writes?: number
  /** How many numbers are counted up, for `share`. */
  readonly tallies?: number
}

/** What a writer tells. */
export type WriterReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'batch'; readonly step: number }
  | { readonly kind: 'job'; readonly key: string }
  | { readonly kind: 'shared'; readonly created: number }
  | { readonly kind: 'failed'; readonly reason: string }

/** Whose memory all writers write to. */
export const writerScope: Scope = { tenantId: 'acme', userId: 'ann' }

/** When the clocks of writers begin. */
export const startOfTime = Date.UTC(2026, 4, 8)

/** A writer that has its store open and waits for `start`. */
export interface Writer {
  readonly reports: readonly WriterReport[]
  start(): void
  /** Resolves once there are so many reports; rejects when it ended before. */
  told(count: number): Promise<void>
  /** Ends it as a machine without power does. Resolves once it is gone. */
  kill(): Promise<void>
  /** Resolves when it ended by itself; rejects with what it failed for. */
  readonly ended: Promise<void>
}

/** Forks a writer. @param cache - A folder in which Node keeps compiled code from one to the next. */
export async function forkWriter(order: WriterOrder, cache: string): Promise<Writer> {
  const program = fileURLToPath(new URL('./writer.ts', import.meta.url))
  const child: ChildProcess = fork(program, [JSON.stringify(order)], {
    execArgv: ['--conditions=@symfonic/source', '--no-warnings'],
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const reports: WriterReport[] = []
  child.on('message', (said: WriterReport) => reports.push(said))
  const gone = once(child, 'exit')
  await Promise.race([once(child, 'message'), gone])
  if (reports[0]?.kind !== 'ready') throw new Error('The writer could not open its store.')
  const ended = gone.then(() => {
    const failed = reports.find(({ kind }) => kind === 'failed')
    if (failed?.kind === 'failed') throw new Error(failed.reason)
  })
  return {
    reports,
    start: () => child.send('start'),
    async told(count) {
      let isGone = false
      const end = ended.then(() => {
        isGone = true
      })
      while (reports.length < count && !isGone) await Promise.race([once(child, 'message'), end])
      if (reports.length < count) throw new Error('The writer ended too early.')
    },
    async kill() {
      child.kill('SIGKILL')
      await gone
    },
    ended,
  }
}
