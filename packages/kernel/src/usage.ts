import type { LanguageModelUsage } from 'ai'

/** Nothing used and nothing known. */
export const noUsage: LanguageModelUsage = Object.freeze({
  inputTokens: undefined,
  inputTokenDetails: Object.freeze({
    noCacheTokens: undefined,
    cacheReadTokens: undefined,
    cacheWriteTokens: undefined,
  }),
  outputTokens: undefined,
  outputTokenDetails: Object.freeze({ textTokens: undefined, reasoningTokens: undefined }),
  totalTokens: undefined,
})

/**
 * Adds two usages, in tokens. Unknown plus known is the known one. The provider's raw figures are
 * dropped: they cannot be added, so price every model call from its own usage.
 */
export function addUsage(a: LanguageModelUsage, b: LanguageModelUsage): LanguageModelUsage {
  return {
    inputTokens: add(a.inputTokens, b.inputTokens),
    inputTokenDetails: {
      noCacheTokens: add(a.inputTokenDetails.noCacheTokens, b.inputTokenDetails.noCacheTokens),
      cacheReadTokens: add(
        a.inputTokenDetails.cacheReadTokens,
        b.inputTokenDetails.cacheReadTokens,
      ),
      cacheWriteTokens: add(
        a.inputTokenDetails.cacheWriteTokens,
        b.inputTokenDetails.cacheWriteTokens,
      ),
    },
    outputTokens: add(a.outputTokens, b.outputTokens),
    outputTokenDetails: {
      textTokens: add(a.outputTokenDetails.textTokens, b.outputTokenDetails.textTokens),
      reasoningTokens: add(
        a.outputTokenDetails.reasoningTokens,
        b.outputTokenDetails.reasoningTokens,
      ),
    },
    totalTokens: add(a.totalTokens, b.totalTokens),
  }
}

function add(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : a + b
}
