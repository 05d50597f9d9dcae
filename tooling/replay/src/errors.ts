/** Every code a `ReplayError` can carry. */
export type ReplayErrorCode =
  /** A line is no JSON. `details.file` and `details.line` (from 1) say where. */
  | 'REPLAY_JSON_INVALID'
  /** A line is no run, verdict or task. `details.file`, `details.line`, `details.path` within it. */
  | 'REPLAY_RECORD_INVALID'
  /**
   * The kernel asked for a step or made a call that the record does not have. `details.steps` is how
   * many steps there are, `details.toolCallId` names the call.
   */
  | 'REPLAY_STEP_MISSING'
  /** A turn ended and the record goes on. `details.unplayed` counts the steps nobody asked for. */
  | 'REPLAY_STEP_UNPLAYED'
  /** A turn could not be replayed. `cause` says why; `details.run`, and `details.turn` from 1. */
  | 'REPLAY_TURN_FAILED'
  /** A gate answered later, where only an answer at once will do. `details.capability`. */
  | 'REPLAY_GATE_ASYNC'
  /** The command was called in a way it does not know. `details.usage` shows how to call it. */
  | 'REPLAY_USAGE'

const brand = Symbol.for('symfonic.error')

/** Anything the replay throws. A refused call and a transcript that differs are results instead. */
export class ReplayError extends Error {
  override readonly name = 'ReplayError'
  readonly code: ReplayErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: ReplayErrorCode,
    message: string,
    about: { details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, 'cause' in about ? { cause: about.cause } : undefined)
    this.code = code
    this.details = Object.freeze({ ...about.details })
    Object.defineProperty(this, brand, { value: true })
  }
}
