import { pathKeys } from '@symfonic/predicates'

/** How one segment of a path is looked up in a state, for comparing segments. */
export interface PathPart {
  /**
   * The same for all segments that look for the same UPPER_SNAKE and snake_case keys. Holds exactly
   * one dot.
   */
  readonly family: string
  /** The snake_case key, which decides when the UPPER_SNAKE one is absent. */
  readonly snake: string
  /**
   * The key that is tried last, when it is neither of the two. A segment without one can only be
   * found where every other segment of its family is found, too, and at the same value.
   */
  readonly written: string | undefined
}

/** Splits a path and says for each segment how it is looked up. */
export type PathKeys = (path: string) => readonly PathPart[]

/** A reader of paths that remembers what it has read. @see PRED-18, DESIGN decision 4 */
export function createPathKeys(): PathKeys {
  const known = new Map<string, readonly PathPart[]>()
  return (path) => {
    let parts = known.get(path)
    if (parts === undefined) {
      parts = pathKeys(path).map(({ upper, snake, written }) => ({
        family: `${upper}.${snake}`,
        snake,
        written,
      }))
      known.set(path, parts)
    }
    return parts
  }
}
