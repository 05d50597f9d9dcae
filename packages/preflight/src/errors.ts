/** Why `@symfonic/preflight` refused something. Codes are stable; messages are for people and may change. */
export type PreflightErrorCode =
  /**
   * One or more skills are malformed. `details.faults` is the list of every fault, each with its
   * list index, label (when there is one), key path, message and code.
   */
  | 'PREFLIGHT_SKILL_INVALID'
  /** Skills were expected as a list. `details.received` names what came instead. */
  | 'PREFLIGHT_LIST_REQUIRED'
  /**
   * A skill that was made by hand, not by `defineSkill` or `parseSkills`, cannot be read as a rule.
   * `details.label` and `details.reason` say which and why.
   */
  | 'PREFLIGHT_RULE_UNREADABLE'
  /** A turn's history is not something one can iterate. `details.received` names what came instead. */
  | 'PREFLIGHT_HISTORY_UNREADABLE'

const brand = Symbol.for('symfonic.error')

/**
 * The one error of `@symfonic/preflight`, for malformed input. What a gate decides is never thrown:
 * it is a returned verdict.
 *
 * @see DESIGN decision 3
 */
export class PreflightError extends Error {
  override readonly name = 'PreflightError'
  readonly code: PreflightErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: PreflightErrorCode,
    message: string,
    about: { details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause })
    this.code = code
    this.details = Object.freeze({ ...about.details })
    Object.defineProperty(this, brand, { value: true })
  }
}
