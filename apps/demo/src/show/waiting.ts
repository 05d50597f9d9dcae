import type { Writable } from 'node:stream'
import yoctoSpinner from 'yocto-spinner'
import type { DeskEvent } from '../talk/session.ts'
import type { Environment } from './paint.ts'

/** Shows that something is being waited for. */
export interface Waiting {
  /** Told every event before it is printed. */
  note(event: DeskEvent): void
  stop(): void
}

/**
 * A spinner from the moment a model is asked until it says something, on a terminal; nothing
 * elsewhere.
 */
export function createWaiting(
  stream: Writable & { readonly isTTY?: boolean },
  env: Environment,
): Waiting {
  if (!stream.isTTY || env['TERM'] === 'dumb' || env['CI']) {
    return { note: () => {}, stop: () => {} }
  }
  // The chat decides itself what Ctrl-C means.
  const spinner = yoctoSpinner({ stream, handleSignals: false })
  return {
    note: ({ type }) => {
      if (type === 'step-start') spinner.start('thinking')
      else spinner.stop()
    },
    stop: () => {
      spinner.stop()
    },
  }
}
