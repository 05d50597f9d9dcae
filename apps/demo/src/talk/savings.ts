import type { HistoryRewrittenEvent } from '@symfonic/kernel'
import type { SavingsReport } from '@symfonic/result-policy'

/** What stubs saved in some model calls, with what it is reckoned in. */
export interface Savings {
  /**
   * Characters of history, had every result gone out whole. Not of the calls that follow a recall:
   * without stubs there would be none.
   */
  readonly plainChars: number
  /** Characters that went out, in all calls. */
  readonly sentChars: number
  readonly unit: SavingsReport['unit']
  /** Input cost without stubs, and so without recalls; in `unit`. */
  readonly plainCost: number
  /** Input cost, recalls included; in `unit`. */
  readonly cost: number
}

/** A model call with what the policy has to say of it. */
export interface ReportedCall {
  readonly report: SavingsReport
  /** Has the model done nothing but to read behind stubs right before? */
  readonly isAfterRecall: boolean
}

/** The report in an event of the result policy; undefined in one of any other capability. */
export function reportIn({
  capability,
  details,
}: HistoryRewrittenEvent): SavingsReport | undefined {
  const report: unknown = details
  return capability === 'result-policy' ? (report as SavingsReport) : undefined
}

/**
 * What some calls of a conversation came to. A report holds the characters of one call and the costs
 * of all until then.
 *
 * @param calls - These calls, in order.
 * @param before - The last report before them.
 */
export function savingsOf(
  calls: readonly ReportedCall[],
  before: SavingsReport | undefined,
): Savings | undefined {
  const last = calls.at(-1)?.report
  if (last === undefined) return undefined
  return {
    plainChars: sum(
      calls.map(({ report, isAfterRecall }) => (isAfterRecall ? 0 : report.plainChars)),
    ),
    sentChars: sum(calls.map(({ report }) => report.sentChars)),
    unit: last.unit,
    plainCost: last.plainCost - (before?.plainCost ?? 0),
    cost: last.cost - (before?.cost ?? 0),
  }
}

/** What several turns came to together; undefined when there is nothing to tell of any. */
export function sumSavings(turns: readonly (Savings | undefined)[]): Savings | undefined {
  const known = turns.filter((each) => each !== undefined)
  const [first] = known
  if (first === undefined) return undefined
  return {
    plainChars: sum(known.map(({ plainChars }) => plainChars)),
    sentChars: sum(known.map(({ sentChars }) => sentChars)),
    unit: first.unit,
    plainCost: sum(known.map(({ plainCost }) => plainCost)),
    cost: sum(known.map(({ cost }) => cost)),
  }
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0)
}
