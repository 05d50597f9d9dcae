/** Every code a `KernelError` can carry. */
export type KernelErrorCode =
  /** `createKernel` was given something it cannot compose. `details.option` names it. */
  | 'KERNEL_CONFIGURATION_INVALID'
  /** Two capabilities, or a capability and the tools option, claim one tool name. `details.toolName`. */
  | 'KERNEL_TOOL_NAME_TAKEN'
  /** A turn was given input it cannot use. `details.field` names it. */
  | 'KERNEL_INPUT_INVALID'
  /** A section marked as required could not be rendered. `details.section`, `details.capability`. */
  | 'KERNEL_SECTION_FAILED'
  /** The model call failed after its retries. `cause` is the provider's error; `details.messages` the transcript so far. */
  | 'KERNEL_MODEL_FAILED'
  /** The model sent nothing for longer than `limits.modelTimeoutMs`. `details.messages` is the transcript so far. */
  | 'KERNEL_MODEL_TIMED_OUT'
  /** The turn was aborted through its signal. `cause` is the signal's reason; `details.messages` the transcript so far. */
  | 'KERNEL_TURN_ABORTED'
  /** The turn took longer than `limits.turnTimeoutMs`. `details.messages` is the transcript so far. */
  | 'KERNEL_TURN_TIMED_OUT'
  /**
   * `expectStablePrefix` found a prompt whose cached prefix differs (`details.changes`) or lacks what
   * failed to render (`details.failed`). `details.input` is its index.
   */
  | 'KERNEL_PREFIX_UNSTABLE'
  /** A scripted model was called more often than its script allows. `details.call` is the number of the call. */
  | 'KERNEL_SCRIPT_EXHAUSTED'
  /** A test ended and steps of a scripted model were never asked for. `details.unused` counts them. */
  | 'KERNEL_SCRIPT_UNUSED'
  /** `onStatePatch` threw, or something in the kernel itself failed. `cause` is the error; `details.messages` the transcript so far. */
  | 'KERNEL_TURN_FAILED'

const brand = Symbol.for('symfonic.error')

/**
 * Anything the kernel throws. Expected outcomes (a refused call, a tool that failed, a step limit)
 * are events and results instead.
 *
 * `details.messages`, where a turn had begun, is a transcript that can be stored and continued:
 * every tool call in it has its result.
 */
export class KernelError extends Error {
  override readonly name = 'KernelError'
  readonly code: KernelErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: KernelErrorCode,
    message: string,
    about: { details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, { cause: about.cause })
    this.code = code
    this.details = Object.freeze({ ...about.details })
    Object.defineProperty(this, brand, { value: true })
  }
}
