import type { Readable } from 'node:stream'

/** A terminal one can read keys from. */
export type Keyboard = Readable & { setRawMode?(on: boolean): unknown }

/** What is typed while nobody asks: it is kept for the next prompt. */
export interface TypedAhead {
  /** The next whole line, or undefined when there is none. */
  takeLine(): string | undefined
  /** The beginning of a line, and forgets it. */
  takeRest(): string
  add(keys: string): void
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: keys arrive as control characters
const keyPattern = /\u001b\[[\d;?]*[ -/]*[@-~]|\u001bO?[^[]?|[\s\S]/gu

/** Nothing typed yet. */
export function createTypedAhead(): TypedAhead {
  const lines: string[] = []
  let rest = ''
  return {
    takeLine: () => lines.shift(),
    takeRest: () => {
      const taken = rest
      rest = ''
      return taken
    },
    add: (keys) => {
      for (const [key] of keys.matchAll(keyPattern)) {
        if (key === '\r' || key === '\n') {
          lines.push(rest)
          rest = ''
        } else if (key === '\u007f' || key === '\b') rest = [...rest].slice(0, -1).join('')
        // Arrows and the like edit nothing here.
        else if (key >= ' ') rest += key
      }
    },
  }
}

/**
 * Listens to the keyboard while some work runs, in raw mode: Ctrl-C is then a key that only this
 * program gets, and not a signal that also ends whatever started it.
 *
 * @param onInterrupt - Told each Ctrl-C.
 */
export async function withKeys<Result>(
  keyboard: Keyboard,
  ahead: TypedAhead,
  onInterrupt: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  const onData = (data: Buffer | string) => {
    const [before = '', ...interrupts] = String(data).split('\u0003')
    ahead.add(before)
    for (const after of interrupts) {
      onInterrupt()
      ahead.add(after)
    }
  }
  keyboard.setRawMode?.(true)
  keyboard.on('data', onData)
  keyboard.resume()
  try {
    return await work()
  } finally {
    keyboard.off('data', onData)
    keyboard.pause()
    keyboard.setRawMode?.(false)
  }
}
