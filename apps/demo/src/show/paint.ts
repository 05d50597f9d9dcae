import picocolors from 'picocolors'

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The colours of one stream; without colours each function gives back its text. */
export type Paint = ReturnType<typeof picocolors.createColors>

/**
 * Colours for a stream: on a terminal, unless `NO_COLOR` is set or the terminal is dumb;
 * `FORCE_COLOR` wants them anywhere. The library's own guess also paints in a CI log, where nobody
 * has a terminal.
 *
 * @see https://no-color.org
 */
export function createPaint(stream: { readonly isTTY?: boolean }, env: Environment): Paint {
  return picocolors.createColors(wantsColour(stream, env))
}

function wantsColour({ isTTY }: { readonly isTTY?: boolean }, env: Environment): boolean {
  if (env['NO_COLOR']) return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTTY === true && env['TERM'] !== 'dumb'
}
