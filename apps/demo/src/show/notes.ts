import { fullNameOf, type Speaker, scopeOf, sessionOf, stateOf } from '../desk/speaker.ts'
import { commandHelp } from '../talk/commands.ts'
import type { Page } from './page.ts'
import { wrap } from './wrap.ts'

/** The first line of a run. @param model - What the model is called. */
export function headline({ paint, columns }: Page, model: string): string {
  const lines = wrap(`symfonic · a travel desk on ${model}`, columns() - 2)
  return lines.map((line) => `  ${paint.bold(line)}\n`).join('')
}

/** What a chat begins with. */
export const welcome = `\nTry, in this order:
  Cancel K4T9QX
  Cancel my trip to Oslo
  /on slack
  Remember that I like a window seat
  /as omar
  What seat do I like?
/help shows the commands, --play plays a written conversation.`

/** The commands of the chat, a line each. */
export function describeCommands(): string {
  return commandHelp.map(([command, what]) => `${command.padEnd(14)} ${what}`).join('\n')
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

/** A note for the page: indented, each of its lines wrapped. */
export function noteLines(message: string, { columns }: Page): string {
  const lines = message.split('\n').flatMap((line) => wrap(line, columns() - 2))
  return lines.map((line) => `  ${line}\n`).join('')
}
