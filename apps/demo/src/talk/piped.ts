import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Speaker } from '../desk/speaker.ts'
import { type Describe, readTyped, type Told } from './commands.ts'
import { runTurn, type Watch } from './run-turn.ts'
import type { Session } from './session.ts'

/** What came of piped input. */
export interface Answered {
  /** Lines that were not empty, commands included. */
  readonly lines: number
  /** Turns that failed, and lines that were refused. */
  readonly failures: number
}

/**
 * Answers each line of a stream in turn, as it comes; commands work as in the chat.
 *
 * @param tell - Told what a command has to say.
 */
export async function answerLines(
  input: Readable,
  about: {
    readonly session: Session
    readonly speaker: Speaker
    readonly watch: Watch
    readonly tell: (told: Told) => void
    readonly describe: Describe
  },
): Promise<Answered> {
  const { session, watch, tell, describe } = about
  let { speaker } = about
  let lines = 0
  let failures = 0
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    const typed = readTyped(line, speaker)
    if (typed.kind === 'nothing') continue
    lines += 1
    if (typed.kind === 'quit') break
    if (typed.kind === 'become') speaker = typed.speaker
    else if (typed.kind === 'say') {
      const { finished } = await runTurn(session, speaker, typed.text, watch)
      if (!finished) failures += 1
    } else if (typed.kind === 'refused') {
      failures += 1
      tell(typed.message)
    } else tell(await describe(typed, speaker))
  }
  return { lines, failures }
}
