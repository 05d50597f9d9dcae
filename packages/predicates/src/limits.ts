/**
 * How large a precondition may be. A rule is written by a person; these bounds are far above what
 * people write and low enough that a hostile one costs nothing. Passing one is a
 * `PREDICATE_TOO_LARGE` or `PREDICATE_TOO_DEEP`, never a truncation.
 *
 * @see DESIGN decision 4: depth and size of a predicate are bounded
 */
export const predicateLimits = Object.freeze({
  /** Entries in one precondition list. */
  entries: 1_000,
  /** UTF-16 units in one tool name. */
  toolNameChars: 256,
  /** UTF-16 units in one path, dots included. */
  pathChars: 1_024,
  /** Dot-separated segments in one path. */
  pathSegments: 32,
  /** Lists and records inside one another in a `value`. A scalar has depth 0, `[1]` has depth 1. */
  valueDepth: 16,
  /** Scalars, lists and records in all the values of one precondition together. */
  valueNodes: 10_000,
  /** UTF-16 units of all strings and keys in all the values of one precondition together. */
  valueChars: 100_000,
})
