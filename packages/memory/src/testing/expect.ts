import { MemoryError, type MemoryErrorCode } from '../errors.ts'

/** Rejects a behaviour: says what was expected and what was there. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [seen, wanted] = [canonical(actual), canonical(expected)]
  if (seen !== wanted) throw new Error(`${what}: expected ${wanted}, got ${seen}`)
}

/** Rejects a behaviour whose condition does not hold. */
export function holds(condition: boolean, what: string): void {
  if (!condition) throw new Error(what)
}

/** Runs what must be refused with one code, whether it throws at once or rejects. */
export async function refuses(
  code: MemoryErrorCode,
  what: string,
  work: () => unknown,
): Promise<void> {
  try {
    await work()
  } catch (thrown) {
    if (thrown instanceof MemoryError && thrown.code === code) return
    throw new Error(`${what}: expected ${code}, got ${String(thrown)}`, { cause: thrown })
  }
  throw new Error(`${what}: expected ${code}, and it was accepted`)
}

/** One text for equal values: keys sorted, absent and `undefined` alike, typed arrays as lists. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (each instanceof Float32Array) return [...each]
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
