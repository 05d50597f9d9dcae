/** Why a plugin, a contribution or an option was refused, or why a guarded tool did not run. */
export type PluginErrorCode =
  /** A contribution is no object, or one of its values has the wrong type. `details.key` names it. */
  | 'PLUGIN_CONTRIBUTION_TYPE'
  /** A contribution has an unknown key, or a value that is not allowed. `details.key` names it. */
  | 'PLUGIN_CONTRIBUTION_VALUE'
  /** A contribution threw while it was being read. `cause` holds what it threw. */
  | 'PLUGIN_CONTRIBUTION_UNREADABLE'
  /**
   * Something given as a plugin has no usable name, a hook that is no function, or a misspelt one;
   * or what should be a list or a roster is neither. `details.faults` says all that is wrong,
   * `details.index` where in a list it stands.
   */
  | 'PLUGIN_NOT_A_PLUGIN'
  /** Two plugins of a list have one name. `details.name`, and both places in `details.positions`. */
  | 'PLUGIN_NAME_TAKEN'
  /**
   * An option is unknown or has a value that is not allowed, or a tool is none. `details.option`
   * names it; `details.known` lists the ones there are when it is none of them.
   */
  | 'PLUGIN_OPTION_INVALID'
  /** A render state was asked for with an unknown key or an unusable value. `details.key` names it. */
  | 'PLUGIN_RENDER_STATE_INVALID'
  /**
   * A guarded AI SDK tool was not run. `details` holds `toolName`, `toolCallId` and the `decisions`
   * of the guards that were asked.
   */
  | 'PLUGIN_CALL_REFUSED'

const brand = Symbol.for('symfonic.error')

/**
 * The one error of `@symfonic/plugins`, for malformed input. What an admission or a guard decides is
 * returned; only a guarded tool of the AI SDK throws it, for want of another way to refuse.
 *
 * @see DESIGN decision 3
 */
export class PluginError extends Error {
  override readonly name = 'PluginError'
  readonly code: PluginErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: PluginErrorCode,
    message: string,
    about: { details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, 'cause' in about ? { cause: about.cause } : undefined)
    this.code = code
    this.details = Object.freeze({ ...about.details })
    Object.defineProperty(this, brand, { value: true })
  }
}
