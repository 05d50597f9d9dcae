/** How many tokens a text is. It may be a guess; it must be at least 0 and the same each time. */
export type TokenEstimator = (text: string) => number

/** Characters that make one token when no tokenizer is given (OPEN-RES-1). */
export const charsPerToken = 4

/** The default estimate: characters / 4, not rounded. */
export const estimateTokens: TokenEstimator = (text) => text.length / charsPerToken
