import { PredicateError, type PredicateErrorCode } from './errors.ts'

/** Where in a source something stands, for the error that points at it. */
export interface Place {
  /** Position of the entry in the precondition list; absent for a bare string. */
  readonly index?: number
  /** Keys from the entry to the value, outermost first. */
  readonly keyPath: readonly (string | number)[]
}

/** The place one key further in. */
export function inside(place: Place, key: string | number): Place {
  return { ...place, keyPath: [...place.keyPath, key] }
}

/** An error that carries its place. @see OPEN-PRED-11 */
export function refusal(
  place: Place,
  code: PredicateErrorCode,
  message: string,
  details: Record<string, unknown> = {},
): PredicateError {
  return new PredicateError(code, message, { details: detailsAt(place, details) })
}

/**
 * Runs a read of foreign data. What a getter or a proxy trap throws becomes a
 * `PREDICATE_UNREADABLE` that carries it as `cause`.
 */
export function reading<Result>(place: Place, read: () => Result): Result {
  try {
    return read()
  } catch (cause) {
    throw new PredicateError(
      'PREDICATE_UNREADABLE',
      'The precondition threw while it was being read. Pass plain data, without getters or proxies.',
      { details: detailsAt(place, {}), cause },
    )
  }
}

function detailsAt(place: Place, details: Record<string, unknown>): Record<string, unknown> {
  const at = { keyPath: Object.freeze([...place.keyPath]) }
  return place.index === undefined
    ? { ...at, ...details }
    : { index: place.index, ...at, ...details }
}
