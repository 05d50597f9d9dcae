/**
 * Where this package writes what a person may want to know later. Injected, and silent by default
 * (DESIGN decision 14). `details` is plain data.
 */
export interface Logger {
  debug(message: string, details?: Readonly<Record<string, unknown>>): void
  info(message: string, details?: Readonly<Record<string, unknown>>): void
  warn(message: string, details?: Readonly<Record<string, unknown>>): void
  error(message: string, details?: Readonly<Record<string, unknown>>): void
}

/** The default logger: drops everything. */
export const silentLogger: Logger = Object.freeze({
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
})

/** Runs what belongs to the host and must not change what is decided: it may throw. */
export function quietly(work: () => unknown): void {
  try {
    work()
  } catch {
    // A log or a listener that is down costs a line, never a decision.
  }
}
