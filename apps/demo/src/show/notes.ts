import { fullNameOf, type Speaker, scopeOf, sessionOf, stateOf } from '../desk/speaker.ts'
import { commandHelp } from '../talk/commands.ts'
import type { Page } from './page.ts'
import { printableLine } from './printable.ts'
import { wrap } from './wrap.ts'

/** The first line of a run. @param model - What the model is called. */
export function headline({ paint, columns }: Page, model: string): string {
  const lines = wrap(`symfonic · a travel desk on ${model}`, columns() - 2)
  return lines.map((line) => `  ${paint.bold(line)}\n`).join('')
}

/** Where what is said to the desk is remembered. */
export function memoryLine({ paint, columns }: Page, about: string): string {
  const lines = wrap(printableLine(about), columns() - 2)
  return lines.map((line) => `  ${paint.dim(line)}\n`).join('')
}

/** What a chat begins with. */
export const welcome = `\nTry, in this order:
  Cancel K4T9QX
  Cancel my trip to Oslo
  Cancel W5D9KU
  What does NH216 from Paris to Tokyo cost?
  /results
  /prompt
  /on slack
  Remember that I like a window seat
  /as omar
  What seat do I like?
  I prefer an aisle seat
  /memory
  /why
/help shows the commands, --play plays a written conversation.`

/** The commands of the chat, a line each. */
export function describeCommands(): string {
  return commandHelp.map(([command, what]) => `${command.padEnd(30)} ${what}`).join('\n')
}

/** Who speaks, and what rules and tools see of it. @param messages - Of the conversation so far. */
export function describeState(speaker: Speaker, messages: number): string {
  return [
    `${fullNameOf(speaker.user)} on ${speaker.platform}`,
    `state    ${JSON.stringify(stateOf(speaker))}`,
    `scope    ${JSON.stringify(scopeOf(speaker))}`,
    `session  ${sessionOf(speaker)}, ${messages} messages`,
  ].join('\n')
}

/** Text behind a label or an id, in a column of its own. */
const labelled = /^(?:m_\w{6} | {9}|[a-z]{1,7} {2,8})(?<=^.{9})\S/

/** A note for the page: indented, each of its lines wrapped. */
export function noteLines(message: string, { columns }: Page): string {
  const lines = message.split('\n').flatMap((line) => {
    const hang = labelled.test(line) ? 9 : 0
    const [first = '', ...others] = wrap(line, columns() - 2 - hang)
    return [first, ...others.map((other) => ' '.repeat(hang) + other)]
  })
  return lines.map((line) => `  ${line}\n`).join('')
}
