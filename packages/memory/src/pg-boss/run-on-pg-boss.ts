import { MemoryError } from '../errors.ts'

/** What is needed of a started `PgBoss`, version 12. */
export interface PgBossQueue {
  createQueue(name: string, options: { policy: 'short' }): Promise<unknown>
  schedule(name: string, cron: string): Promise<unknown>
  send(name: string): Promise<unknown>
  work(
    name: string,
    options: { pollingIntervalSeconds: number },
    handler: () => Promise<void>,
  ): Promise<unknown>
  offWork(name: string): Promise<unknown>
}

/** What is needed of a memory: `createMemory` makes one. Give it `jobs: 'external'`. */
export interface MemoryJobs {
  runJobs(options: { signal: AbortSignal }): Promise<number>
}

/** Which queue wakes the workers, and how often they look. */
export interface PgBossOptions {
  /** Started, and not stopped before `stop` of the worker has resolved. */
  readonly boss: PgBossQueue
  /** The name of the queue, the same in all processes. `symfonic-memory` by default. */
  readonly queue?: string
  /** When work that waits is looked for, as a cron line in UTC. Every minute by default. */
  readonly cron?: string
  /** How often the queue is looked at, in seconds, at least 0.5. 2 by default. */
  readonly pollSeconds?: number
}

/** A process that takes part. */
export interface PgBossWorker {
  /** Asks that some process looks for work now, as after a turn; asking again while it is due is once. */
  wake(): Promise<void>
  /** Takes no more work, interrupts what is under way before its next write, and waits for it. */
  stop(): Promise<void>
}

/**
 * Works on the jobs of a memory wherever a process is free, woken by `pg-boss`, on a schedule and on `wake`.
 *
 * The queue of `pg-boss` only says when to look. The jobs themselves stay in the store, whose claims and
 * completing writes make each take effect once; a wake that is lost or doubled does no harm.
 *
 * @throws MemoryError - `MEMORY_OPTION_INVALID` for a boss or a memory that is none.
 * @see DESIGN decision 12
 */
export async function runOnPgBoss(
  memory: MemoryJobs,
  { boss, queue = 'symfonic-memory', cron = '* * * * *', pollSeconds = 2 }: PgBossOptions,
): Promise<PgBossWorker> {
  if (typeof memory?.runJobs !== 'function') throw wrongOption('memory', 'createMemory makes one')
  if (typeof boss?.work !== 'function') throw wrongOption('boss', 'Pass a started PgBoss')
  const stopping = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  // At most one wake waits, however many processes and turns ask for it.
  await boss.createQueue(queue, { policy: 'short' })
  await boss.schedule(queue, cron)
  await boss.work(queue, { pollingIntervalSeconds: pollSeconds }, async () => {
    if (stopping.signal.aborted) return
    const work = memory.runJobs({ signal: stopping.signal })
    underWay.add(work)
    try {
      await work
    } finally {
      underWay.delete(work)
    }
  })
  return {
    async wake() {
      await boss.send(queue)
    },
    async stop() {
      stopping.abort()
      await boss.offWork(queue)
      await Promise.allSettled(underWay)
    },
  }
}

function wrongOption(option: string, what: string): MemoryError {
  return new MemoryError('MEMORY_OPTION_INVALID', `Option "${option}" was refused. ${what}.`, {
    details: { option },
  })
}
