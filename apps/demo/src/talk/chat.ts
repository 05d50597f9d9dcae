import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import type { Writable } from 'node:stream'
import { fullNameOf, type Speaker } from '../desk/speaker.ts'
import { printable } from '../show/printable.ts'
import { type Describe, readTyped, type Told } from './commands.ts'
import { createTypedAhead, type Keyboard, withKeys } from './keys.ts'
import { runTurn, type Watch } from './run-turn.ts'
import type { Session } from './session.ts'

/** What a chat needs. */
export interface ChatOptions {
  readonly input: Keyboard
  /** Where the prompt is written. */
  readonly screen: Writable
  readonly session: Session
  readonly speaker: Speaker
  readonly watch: Watch
  /** Told what a command has to say. */
  readonly tell: (told: Told) => void
  readonly describe: Describe
}

/**
 * Chats at a terminal until somebody leaves. Lines typed while an answer runs wait for their turn.
 * Ctrl-C stops the running answer; a second one, or one at the prompt, leaves.
 *
 * @returns The exit code: 0, or 130 when a second Ctrl-C cut an answer off.
 */
export async function chat(options: ChatOptions): Promise<number> {
  const { input, screen, session, watch, tell, describe } = options
  const ahead = createTypedAhead()
  const prompt = createPrompt(input, screen)
  let { speaker } = options

  for (;;) {
    screen.write('\n')
    const question = `${fullNameOf(speaker.user)} on ${speaker.platform} › `
    const waiting = ahead.takeLine()
    if (waiting !== undefined) screen.write(`${question}${printable(waiting)}\n`)
    const line = waiting ?? (await prompt(question, ahead.takeRest()))
    if (line === undefined) return 0

    const typed = readTyped(line, speaker)
    if (typed.kind === 'quit') return 0
    if (typed.kind === 'become') speaker = typed.speaker
    else if (typed.kind === 'refused') tell(typed.message)
    else if (typed.kind === 'say') {
      const stop = new AbortController()
      const leave = Promise.withResolvers<'left'>()
      const onInterrupt = () => {
        if (stop.signal.aborted) leave.resolve('left')
        else stop.abort(new Error('stopped with Ctrl-C'))
      }
      const how = await withKeys(input, ahead, onInterrupt, () =>
        Promise.race([runTurn(session, speaker, typed.text, watch, stop.signal), leave.promise]),
      )
      if (how === 'left') return 130
    } else if (typed.kind !== 'nothing') tell(await describe(typed, speaker))
  }
}

/** Asks for one line, editable, with what was asked for before in reach of the arrow keys. */
function createPrompt(input: Keyboard, output: Writable) {
  let history: string[] = []
  return async (question: string, begun: string): Promise<string | undefined> => {
    const lines = createInterface({ input, output, terminal: true, history })
    lines.on('history', (changed) => {
      history = changed
    })
    try {
      const answer = lines.question(question)
      if (begun !== '') lines.write(begun)
      // Ctrl-C and Ctrl-D close the line editor and leave its question open.
      const closed = once(lines, 'close').then(() => undefined)
      const line = await Promise.race([answer.catch(() => undefined), closed])
      if (line === undefined) output.write('\n')
      return line
    } finally {
      lines.close()
    }
  }
}
