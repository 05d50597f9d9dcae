import type { StepRecord, TurnResult } from '@symfonic/kernel'

/** What a turn has used: `3 steps · 4,007 tokens in (2,438 from cache), 103 out · 0.10 s`. */
export function describeTurn({ steps, usage }: Pick<TurnResult, 'steps' | 'usage'>): string {
  const { inputTokens, inputTokenDetails, outputTokens } = usage
  const cached = inputTokenDetails.cacheReadTokens
  const share = cached === undefined ? '' : ` (${count(cached)} from cache)`
  const tokens = `${count(inputTokens)} tokens in${share}, ${count(outputTokens)} out`
  const ms = steps.reduce((sum, step) => sum + step.modelMs + step.toolsMs, 0)
  return `${steps.length === 1 ? '1 step' : `${steps.length} steps`} · ${tokens} · ${seconds(ms)}`
}

/** What each step has used, in a line: `1: 1,252 in 28 out 0.08 s · 2: …`. */
export function describeSteps(steps: readonly StepRecord[]): string {
  return steps
    .map(({ step, usage, modelMs, toolsMs }) => {
      const tokens = `${count(usage.inputTokens)} in ${count(usage.outputTokens)} out`
      // An entry stays on one line.
      return `${step}: ${tokens} ${seconds(modelMs + toolsMs)}`.replaceAll(' ', '\u00a0')
    })
    .join(' · ')
}

/** With a comma for every thousand; `?` where the provider did not say. */
export function count(amount: number | undefined): string {
  return amount === undefined ? '?' : amount.toLocaleString('en')
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`
}
