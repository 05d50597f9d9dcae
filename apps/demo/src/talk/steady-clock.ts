/**
 * A clock that goes on by a millisecond whenever it is read. What is remembered is ranked by its age
 * as well, so that with the real one no run would be like another.
 */
export function createSteadyClock(start: Date): () => Date {
  let at = start.getTime()
  return () => {
    at += 1
    return new Date(at)
  }
}
