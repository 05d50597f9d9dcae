/** Where lines go; silent by default. Any logger with these four methods fits (DESIGN decision 14). */
export interface Logger {
  debug(message: string, details?: Readonly<Record<string, unknown>>): void
  info(message: string, details?: Readonly<Record<string, unknown>>): void
  warn(message: string, details?: Readonly<Record<string, unknown>>): void
  error(message: string, details?: Readonly<Record<string, unknown>>): void
}

const silent = () => {}

/** The logger that says nothing. */
export const silentLogger: Logger = Object.freeze({
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
})

/** A logger that loses a line when the one behind it throws: a log that is down costs no memory. */
export function quietLogger(logger: Logger): Logger {
  const quiet =
    (level: keyof Logger): Logger['warn'] =>
    (message, details) => {
      try {
        logger[level](message, details)
      } catch {
        // Nobody is left to tell.
      }
    }
  return Object.freeze({
    debug: quiet('debug'),
    info: quiet('info'),
    warn: quiet('warn'),
    error: quiet('error'),
  })
}
