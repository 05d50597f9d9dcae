/** What one token costs, all in the same unit. */
export interface Rates {
  /** `usd`, or `input-tokens`: multiples of an input token, where the model's prices are not known. */
  readonly unit: 'usd' | 'input-tokens'
  /** One token of the prefix that the provider has cached. */
  readonly read: number
  /** One token sent for the first time, put into the cache. */
  readonly write: number
  /** One token the model writes. */
  readonly output: number
}

/** What the arithmetic is done with. Tokens may be fractions. */
export interface NetSavingInputs {
  /** Tokens of the result less tokens of its stub. */
  readonly freedTokens: number
  /** Model calls still expected, this one included; at least 1. */
  readonly remainingCalls: number
  /** Whether the result has been sent before, so that it would only be read from the cache. */
  readonly isCached: boolean
  /** Cached tokens that would have to be written anew: the stub, and all that stands behind it. */
  readonly rewrittenTokens: number
  /** How often the result is expected to be asked for again; 1 or more where that is certain. */
  readonly expectedRecalls: number
  /** Tokens that one recall adds to the conversation. */
  readonly recallTokens: number
  /** Tokens of the prompt that the extra call of a recall reads again. */
  readonly promptTokens: number
  readonly rates: Rates
}

/** The arithmetic, shown. */
export interface NetSaving {
  readonly inputs: NetSavingInputs
  /** The terms, in the unit of the rates. All but `saving` are costs, and positive. */
  readonly terms: {
    readonly saving: number
    readonly rewrite: number
    /** All expected recalls. */
    readonly recall: number
    /** One recall, however likely it is. */
    readonly oneRecall: number
  }
  /** saving − rewrite − recall. */
  readonly net: number
}

/** Tokens a model writes to ask for a recall: the name, an id and one argument. */
export const recallCallTokens = 40

/**
 * What replacing one result by a stub saves, less what it costs.
 *
 * - saving: the freed tokens in every call to come, at the price they would have had: read from the
 *   cache, or written once and read afterwards when the result is new.
 * - rewrite: what stands behind the first changed byte is written instead of read.
 * - recall: for each expected recall one more call, which reads the prompt and writes the question,
 *   and the recalled part for the rest of the conversation.
 *
 * @see RES-20, OPEN-RES-2, DESIGN.md "Net saving"
 */
export function netSaving(inputs: NetSavingInputs): NetSaving {
  const { freedTokens, remainingCalls, isCached, rewrittenTokens, rates } = inputs
  const { expectedRecalls, recallTokens, promptTokens } = inputs
  const { read, write, output } = rates
  const kept = write + read * (remainingCalls - 1)
  const saving = freedTokens * (isCached ? read * remainingCalls : kept)
  const rewrite = rewrittenTokens * (write - read)
  const oneRecall = promptTokens * read + recallCallTokens * output + recallTokens * kept
  const recall = expectedRecalls * oneRecall
  const terms = Object.freeze({ saving, rewrite, recall, oneRecall })
  return Object.freeze({ inputs, terms, net: saving - rewrite - recall })
}
