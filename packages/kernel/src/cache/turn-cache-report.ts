import type { CacheBreak, CacheReport } from './prefix-watch.ts'

/** What the prompt cache was to give a turn, and what it gave. Tokens, over all steps. */
export interface TurnCacheReport {
  readonly expectedTokens: number
  readonly predictedTokens: number
  /** undefined when the provider counted at no step. */
  readonly readTokens: number | undefined
  readonly writtenTokens: number | undefined
  /** The first step at which less was read than expected; undefined when none is. */
  readonly parted:
    | {
        readonly step: number
        readonly verdict: CacheReport['verdict']
        /** Tokens that were expected of this step and not read; undefined where nobody counts. */
        readonly missedTokens: number | undefined
        /** The culprit; undefined when the prefix was as it had been. */
        readonly change: CacheBreak | undefined
      }
    | undefined
}

/** Sums up the steps of a turn. */
export function sumCacheReports(
  steps: readonly { readonly step: number; readonly cache: CacheReport | undefined }[],
): TurnCacheReport | undefined {
  const reports = steps.flatMap(({ cache }) => (cache === undefined ? [] : [cache]))
  if (reports.length === 0) return undefined
  const parted = steps.find(({ cache }) => cache?.verdict === 'broken' || cache?.verdict === 'lost')
  return {
    expectedTokens: sum(reports.map((report) => report.expectedTokens)) ?? 0,
    predictedTokens: sum(reports.map((report) => report.predictedTokens)) ?? 0,
    readTokens: sum(reports.map((report) => report.readTokens)),
    writtenTokens: sum(reports.map((report) => report.writtenTokens)),
    parted: parted?.cache && {
      step: parted.step,
      verdict: parted.cache.verdict,
      missedTokens: missedTokens(parted.cache),
      change: parted.cache.change,
    },
  }
}

function missedTokens({ expectedTokens, readTokens }: CacheReport): number | undefined {
  return readTokens === undefined ? undefined : Math.max(0, expectedTokens - readTokens)
}

function sum(counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined)
  return known.length === 0 ? undefined : known.reduce((total, count) => total + count, 0)
}
