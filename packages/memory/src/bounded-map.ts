/** A map that forgets its oldest key when it is full. Setting a key again makes it the newest. */
export interface BoundedMap<Value> {
  get(key: string): Value | undefined
  has(key: string): boolean
  set(key: string, value: Value): void
  delete(key: string): void
  readonly size: number
}

/** Creates a map of at most `limit` keys. */
export function createBoundedMap<Value>(limit: number): BoundedMap<Value> {
  const kept = new Map<string, Value>()
  return {
    get: (key) => kept.get(key),
    has: (key) => kept.has(key),
    set(key, value) {
      kept.delete(key)
      kept.set(key, value)
      for (const oldest of kept.keys()) {
        if (kept.size <= limit) break
        kept.delete(oldest)
      }
    },
    delete(key) {
      kept.delete(key)
    },
    get size() {
      return kept.size
    },
  }
}
