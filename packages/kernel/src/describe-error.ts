/**
 * What a thrown value says, whatever it is: hosts and tools throw strings, plain objects and worse.
 * Never throws itself.
 */
export function describeError(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error)
  } catch {
    return 'something that cannot be written as text'
  }
}
