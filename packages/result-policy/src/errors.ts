/** Why settings, prices or an option were refused. */
export type ResultPolicyErrorCode =
  /** A setting is unknown, has the wrong type or is out of bounds. `details.key` names it. */
  | 'RESULT_SETTING_INVALID'
  /** A price is no number of at least 0. `details.rate` names it, `details.modelName` its model where it is known. */
  | 'RESULT_PRICE_INVALID'
  /** A scope key or a thread is no text, or is empty. `details.option` names it. */
  | 'RESULT_PLACE_INVALID'
  /** Something given as an option cannot do its work, such as a ledger without `fetch`. `details.option`. */
  | 'RESULT_OPTION_INVALID'

const brand = Symbol.for('symfonic.error')

/**
 * The one error of `@symfonic/result-policy`, for malformed input. What the policy decides, and what
 * a recall finds, is returned.
 *
 * @see DESIGN decision 3
 */
export class ResultPolicyError extends Error {
  override readonly name = 'ResultPolicyError'
  readonly code: ResultPolicyErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: ResultPolicyErrorCode,
    message: string,
    about: { details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, 'cause' in about ? { cause: about.cause } : undefined)
    this.code = code
    this.details = Object.freeze({ ...about.details })
    Object.defineProperty(this, brand, { value: true })
  }
}
