/** Why `@symfonic/preflight` refused something. Codes are stable; messages are for people and may change. */
export type PreflightErrorCode =
  /**
   * One or more skills are malformed. `details.faults` is the list of every fault, each with its
   * list index, label (when there is one), key path, message and code; for a file, also with line
   * and column.
   */
  | 'PREFLIGHT_SKILL_INVALID'
  /** Skills, or names of tools, were expected as a list. `details.received` names what came instead. */
  | 'PREFLIGHT_LIST_REQUIRED'
  /**
   * A skill that was made by hand, not by `defineSkill` or `parseSkills`, cannot be read as a rule.
   * `details.label` and `details.reason` say which and why.
   */
  | 'PREFLIGHT_RULE_UNREADABLE'
  /** A file was expected as text. `details.received` names what came instead. */
  | 'PREFLIGHT_TEXT_REQUIRED'
  /**
   * A file is not YAML as it is read here: a mistake in the syntax, a key twice, an unknown alias, a
   * tag, a second document. `details.faults` lists every fault with line and column, those of skills
   * too; `details.fileName` is the name that was given.
   */
  | 'PREFLIGHT_YAML_SYNTAX'
  /** A file passes one of the `yamlLimits`. `details.faults` says which and where. */
  | 'PREFLIGHT_YAML_TOO_LARGE'
  /** A skill file has no front matter, or one that is no mapping. `details.faults` says where. */
  | 'PREFLIGHT_FRONT_MATTER_REQUIRED'
  /** A turn's history is not something one can iterate. `details.received` names what came instead. */
  | 'PREFLIGHT_HISTORY_UNREADABLE'
  /**
   * A tool call was refused. Thrown only by tools that `wrapTools` of the AI SDK adapter made, since
   * an `execute` has no other way to refuse. `details` has `toolCallId`, `toolName`, `missing` and
   * `skills`; `cause` is there when the rules could not be asked.
   */
  | 'PREFLIGHT_CALL_REFUSED'
  /** A plan was asked for without the name of a tool. `details.received` names what came instead. */
  | 'PREFLIGHT_TOOL_NAME_REQUIRED'

const brand = Symbol.for('symfonic.error')

/**
 * The one error of `@symfonic/preflight`, for malformed input. What a gate decides is a returned
 * verdict; only a wrapped tool of the AI SDK throws it, for want of another way to refuse.
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
