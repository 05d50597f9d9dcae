import { isUserName, type Platform, platforms, type Speaker } from '../desk/speaker.ts'
import { printableLine } from '../show/printable.ts'

/** What a typed line is. */
export type Typed =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'become'; readonly speaker: Speaker }
  | { readonly kind: 'state' | 'help' | 'quit' | 'nothing' }
  /** Cannot be done; `message` says why and what can. */
  | { readonly kind: 'refused'; readonly message: string }

/** Longer lines are not sent, in characters. */
const lineLimit = 4_000

/** The commands of the chat, with what they do. */
export const commandHelp: readonly (readonly [command: string, what: string])[] = [
  ['/as <user>', 'speak as somebody else: mia, omar, wei, or anybody'],
  ['/on slack|web', 'speak in the Slack channel or on the web'],
  ['/state', 'show who speaks, and what rules and tools see of it'],
  ['/help', 'show this'],
  ['/quit', 'leave (so does Ctrl-C; while an answer runs, it stops the answer)'],
]

/** Reads a typed line. @param speaker - Who speaks now. */
export function readTyped(line: string, speaker: Speaker): Typed {
  const text = line.trim()
  if (text === '') return { kind: 'nothing' }
  if (text.length > lineLimit) {
    const message = `That line has ${text.length} characters; at most ${lineLimit} are sent. Say it shorter.`
    return { kind: 'refused', message }
  }
  if (!text.startsWith('/')) return { kind: 'say', text }
  const [command = '', argument = ''] = text.split(/\s+/)
  switch (command) {
    case '/as': {
      const user = argument.toLowerCase().replace(/^@/, '')
      return isUserName(user)
        ? { kind: 'become', speaker: { ...speaker, user } }
        : refuse('Say whose name to use: /as omar. Letters, digits, dots and dashes.')
    }
    case '/on': {
      const platform = platforms.find((each): each is Platform => each === argument.toLowerCase())
      return platform
        ? { kind: 'become', speaker: { ...speaker, platform } }
        : refuse(`Say where to speak: ${platforms.map((each) => `/on ${each}`).join(' or ')}.`)
    }
    case '/state':
    case '/help':
    case '/quit':
      return { kind: command.slice(1) as 'state' | 'help' | 'quit' }
    default:
      return refuse(
        `There is no command ${printableLine(command).slice(0, 40)}. Type /help for those there are.`,
      )
  }
}

function refuse(message: string): Typed {
  return { kind: 'refused', message }
}
