import type { PlainJson } from './plain-json.ts'
import type { Scope } from './scope.ts'

/**
 * Work that waits for a worker, such as the consolidation of a scope. It is claimed at least once and
 * takes effect at most once: the effect is one `write` that names the claim in `completes`.
 *
 * INVARIANT: a job that was enqueued is claimable until it is completed, given up or its scope is
 * removed; a worker that dies loses it to the next one when its lease ends.
 * INVARIANT: at any time at most one claim of a job holds: the latest one, until the job is completed,
 * released or claimed again. A lease that is over lets others claim it; it does not end the claim by itself.
 */
export interface JobQueue {
  /**
   * Adds a job, unless one of the same scope, kind and key waits already.
   *
   * @returns whether it was added.
   */
  enqueue(scope: Scope, job: NewJob): Promise<{ added: boolean }>

  /**
   * Takes up to `limit` jobs that wait and are due, the earliest first. The one method without a
   * scope in front, because a worker serves everybody: each job carries the scope it belongs to, and
   * `scope` narrows the choice to one.
   */
  claim(options: ClaimOptions): Promise<readonly ClaimedJob[]>

  /**
   * Marks a job as done that had nothing to write.
   *
   * @returns whether the claim still held.
   */
  complete(scope: Scope, claim: JobClaim): Promise<boolean>

  /**
   * Gives a job back, to be claimed again from `runAt` on; or ends it, with `giveUp`. A job given back
   * becomes one with a job of the same kind and key that waits meanwhile.
   *
   * @returns whether the claim still held.
   */
  release(
    scope: Scope,
    claim: JobClaim,
    options: { runAt: number } | { giveUp: true },
  ): Promise<boolean>

  /** How many jobs of the scope wait or are being worked on. */
  count(scope: Scope): Promise<number>
}

/** A job to be added. */
export interface NewJob {
  /** What is to be done. */
  readonly kind: string
  /** Jobs of the same scope, kind and key are one job while it waits; `''` by default. */
  readonly key?: string
  /** What the worker needs to know, bounded plain JSON. */
  readonly payload?: PlainJson
  /** Epoch milliseconds from which it may be claimed. */
  readonly runAt: number
}

/** What a worker asks `JobQueue.claim` for. */
export interface ClaimOptions {
  /** The worker's clock, epoch milliseconds. */
  readonly now: number
  /** How long the claim holds. */
  readonly leaseMs: number
  /** Jobs wanted at most, 1 to 100; 1 by default. */
  readonly limit?: number
  /** Only jobs of these kinds. */
  readonly kinds?: readonly string[]
  /** Only jobs of this scope. */
  readonly scope?: Scope
}

/** Proof that a worker holds a job. */
export interface JobClaim {
  readonly jobId: string
  /** Differs with every claim. */
  readonly token: string
}

/** A job that a worker holds. */
export interface ClaimedJob extends JobClaim {
  readonly scope: Scope
  readonly kind: string
  readonly key: string
  /** `null` where none was given. */
  readonly payload: PlainJson
  /** How often it has been claimed, this time included. */
  readonly attempts: number
  /** When the claim ends, epoch milliseconds. */
  readonly leaseUntil: number
}
