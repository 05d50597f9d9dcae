import type { Capability } from '@symfonic/kernel'
import type { Recording } from './recording.ts'
import type { CallPlace } from './replay.ts'
import type { InexpressibleRule, PolicyRule } from './rules/policy-rule.ts'

/** Rules to replay recordings under, with what a report has to know of them. */
export interface RuleSet {
  /** As given to `--rules`. */
  readonly name: string
  /** The rule as a sentence. */
  readonly sentence: string
  /** What an oracle calls the rule, where it is one. */
  readonly oracleRule?: string
  /** The rules, where they are many and an oracle speaks of each. */
  readonly policies?: PolicyRules
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

/** Rules that an oracle knows one by one. */
export interface PolicyRules {
  /** Those authored as skills. Skills of several rules may refuse one call. */
  readonly rules: readonly PolicyRule[]
  /** Those that no skill can say. */
  readonly inexpressible: readonly InexpressibleRule[]
  /** The authored rules that concern a recording. */
  rulesFor(recording: Recording): readonly PolicyRule[]
}

/**
 * How a call finds its result: behind its own message (`position`), or by the last use of its id in
 * the whole run, which is wrong where an id is used again, and is what some checkers do.
 */
export type ResultJoin = 'position' | 'last-use-of-id'
