/** Why memory refused an input, or could not do what it was asked. */
export type MemoryErrorCode =
  /** No scope was given. A missing scope is never a wildcard (DESIGN, safe sides). */
  | 'MEMORY_SCOPE_REQUIRED'
  /** A scope has an unknown key, or a part that is empty, too long or not well-formed. `details.key`. */
  | 'MEMORY_SCOPE_INVALID'
  /** A field of an entry or a turn has the wrong type or a value that is not allowed. `details.field`. */
  | 'MEMORY_ENTRY_INVALID'
  /** A field of an entry is over its bound. `details.field`, `details.limit`. */
  | 'MEMORY_ENTRY_TOO_LARGE'
  /** Options, or a filter, limit, cursor or batch, are malformed. `details.field`. */
  | 'MEMORY_QUERY_INVALID'
  /** An option does not exist, or has a value that is not allowed. `details.option`. */
  | 'MEMORY_OPTION_INVALID'
  /** A layer that is not enabled was addressed. `details.layer`. */
  | 'MEMORY_LAYER_DISABLED'
  /** A store was asked for what it declares that it cannot do. `details.capability`. */
  | 'MEMORY_STORE_UNSUPPORTED'
  /** A store was used after `close`. */
  | 'MEMORY_STORE_CLOSED'
  /** The database refused, was not reachable or did not answer in time. `cause` holds what the driver threw. */
  | 'MEMORY_STORE_FAILED'
  /** A bounded store has no room; nothing was written, and nothing was forgotten for it. `details.limit`. */
  | 'MEMORY_STORE_FULL'
  /** The schema or the terms of a database are newer than this package, or a migration did not finish. `details.version`. */
  | 'MEMORY_MIGRATION_FAILED'
  /** A template has a placeholder that does not exist. `details.placeholders` lists them. */
  | 'MEMORY_EXTRACTION_PLACEHOLDERS'
  /** A domain value of the extraction prompt is no text. `details.key` names it. */
  | 'MEMORY_EXTRACTION_VALUE'
  /** An embedding model gave a vector of another length than before. `details.expected`, `details.got`. */
  | 'MEMORY_EMBEDDING_DIMENSIONS'
  /** A credential pattern is no regular expression, or matches every key. `details.index`. */
  | 'MEMORY_CREDENTIAL_PATTERN'

const brand = Symbol.for('symfonic.error')

/**
 * The one error of `@symfonic/memory`: malformed input, and stores that cannot answer. A recall that
 * finds nothing, a write that lost to a newer version and a job that was lost are returned instead.
 *
 * @see DESIGN decision 3
 */
export class MemoryError extends Error {
  override readonly name = 'MemoryError'
  readonly code: MemoryErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: MemoryErrorCode,
    message: string,
    about: { details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, 'cause' in about ? { cause: about.cause } : undefined)
    this.code = code
    this.details = Object.freeze({ ...about.details })
    Object.defineProperty(this, brand, { value: true })
  }
}
