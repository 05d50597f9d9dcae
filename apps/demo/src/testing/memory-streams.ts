import { clearLine, cursorTo, moveCursor } from 'node:readline'
import { PassThrough, Writable } from 'node:stream'

/** A stream that keeps what was written to it. */
export interface Sink extends Writable {
  readonly isTTY?: boolean
  readonly columns?: number
  text(): string
}

/** @param terminal - Its width, if it is to pass for a terminal. */
export function createSink(terminal?: { readonly columns: number }): Sink {
  let text = ''
  const sink = new Writable({
    write: (chunk, _, done) => {
      text += String(chunk)
      done()
    },
  })
  return Object.assign(sink, {
    ...(terminal && {
      isTTY: true,
      columns: terminal.columns,
      cursorTo: (x: number) => cursorTo(sink, x),
      moveCursor: (x: number, y: number) => moveCursor(sink, x, y),
      clearLine: (direction: -1 | 0 | 1) => clearLine(sink, direction),
    }),
    text: () => text,
  })
}

/** Input that is all there, as from a pipe. */
export function pipedInput(text: string): PassThrough {
  const input = new PassThrough()
  input.end(text)
  return input
}

/** A keyboard somebody can type at. */
export function createKeyboard() {
  const modes: boolean[] = []
  const keyboard = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => modes.push(on),
  })
  return {
    keyboard,
    /** Every switch to and from raw mode. */
    modes,
    type: (keys: string) => keyboard.write(keys),
  }
}
