/**
 * Resolves in another round of the event loop, after timers and arrivals had their turn; in Node without the
 * millisecond of a timer.
 */
export function nextRound(): Promise<void> {
  return new Promise(later)
}

const later: (callback: () => void) => void =
  globalThis.setImmediate ?? ((callback) => setTimeout(callback, 0))
