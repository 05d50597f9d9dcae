import type { Capability } from '@symfonic/kernel'
import type { Recording } from './recording.ts'
import type { CallPlace } from './replay.ts'

/** Rules to replay recordings under, with what a report has to know of them. */
export interface RuleSet {
  /** As given to `--rules`. */
  readonly name: string
  /** The rule as a sentence. */
  readonly sentence: string
  /** What an oracle calls it. */
  readonly oracleRule: string
  /** What holds a kernel to the rules; nothing for a recording they do not concern. */
  capabilities(recording: Recording): readonly Capability[]
  /** The thing a call is about, such as a reservation id; undefined for a call no rule speaks of. */
  subjectOf(recording: Recording, call: CallPlace['call']): string | undefined
  /**
   * Judges the record as it stands, with no kernel: every recorded result came true, those of calls
   * that break a rule included.
   */
  breachesOf(recording: Recording, joinBy: ResultJoin): CallPlace[]
}

/**
 * How a call finds its result: behind its own message (`position`), or by the last use of its id in
 * the whole run, which is wrong where an id is used again, and is what some checkers do.
 */
export type ResultJoin = 'position' | 'last-use-of-id'
