/**
 * Where the kernel and its capabilities write what a person may want to know later. Injected, and
 * silent by default (DESIGN decision 14). `details` is plain data.
 */
export interface Logger {
  debug(message: string, details?: Readonly<Record<string, unknown>>): void
  info(message: string, details?: Readonly<Record<string, unknown>>): void
  warn(message: string, details?: Readonly<Record<string, unknown>>): void
  error(message: string, details?: Readonly<Record<string, unknown>>): void
  /**
   * A logger for one mechanism, so that it can be switched on alone. Asked for
   * `preflight.precondition_gate` (PRE-06). Absent: everything goes to this one.
   */
  child?(name: string): Logger
}

/** The default logger: drops everything. */
export const silentLogger: Logger = Object.freeze({
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
})
