import type { EventEmitter } from 'node:events'

/**
 * Keeps one warning from being printed: that SQLite is experimental, as some versions of Node say when
 * they load it. Others are printed as before.
 *
 * @param from - The process, before anything loads SQLite.
 */
export function quietSqlite(from: EventEmitter): void {
  const printers = from.listeners('warning') as ((warning: Error) => void)[]
  from.removeAllListeners('warning')
  from.on('warning', (warning: Error) => {
    if (warning.name === 'ExperimentalWarning' && /\bSQLite\b/.test(warning.message)) return
    for (const print of printers) print.call(from, warning)
  })
}
