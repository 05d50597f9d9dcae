/** Lets what writes to a scope wait for what takes something out of it, and the other way round. */
export interface ScopeOrder {
  /**
   * Takes a place beside others that write to the scope, at once.
   *
   * @returns what does the work when it is its turn: after every `alone` that was there before.
   */
  beside(key: string): <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Does work on a scope when all that took a place before is over, while what comes later waits. */
  alone<Result>(key: string, work: () => Promise<Result>): Promise<Result>
}

interface Places {
  readonly taken: Set<Promise<void>>
  /** Resolves when the latest `alone` is over. */
  alone: Promise<void>
}

/** Creates an order of the scopes of one memory, by partition key. It holds nothing of a scope where nothing waits. */
export function createScopeOrder(): ScopeOrder {
  const scopes = new Map<string, Places>()

  /** Takes a place; answers what gives it back. */
  const take = (key: string): { places: Places; over: Promise<void>; leave: () => void } => {
    const places = scopes.get(key) ?? { taken: new Set(), alone: Promise.resolve() }
    scopes.set(key, places)
    const { promise: over, resolve } = Promise.withResolvers<void>()
    places.taken.add(over)
    const leave = () => {
      places.taken.delete(over)
      if (places.taken.size === 0) scopes.delete(key)
      resolve()
    }
    return { places, over, leave }
  }

  return {
    beside(key) {
      const { places, leave } = take(key)
      const before = places.alone
      return async (work) => {
        try {
          await before
          return await work()
        } finally {
          leave()
        }
      }
    },
    async alone(key, work) {
      const before = [...(scopes.get(key)?.taken ?? [])]
      const { places, over, leave } = take(key)
      places.alone = over
      try {
        await Promise.all(before)
        return await work()
      } finally {
        leave()
      }
    },
  }
}
