/** A queue with one reader: several producers put, the reader takes what is there or waits. */
export interface Inbox<Item> {
  put(item: Item): void
  /** Everything that has arrived since the last time, oldest first. */
  take(): Item[]
  /** Resolves when there is something to take. */
  arrival(): Promise<void>
}

/** An empty inbox. */
export function createInbox<Item>(): Inbox<Item> {
  let items: Item[] = []
  let wake: (() => void) | undefined
  return {
    put: (item) => {
      items.push(item)
      wake?.()
      wake = undefined
    },
    take: () => {
      const taken = items
      items = []
      return taken
    },
    arrival: () =>
      items.length > 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            wake = resolve
          }),
  }
}
