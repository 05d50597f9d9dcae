import type { RecallRequest } from '@symfonic/result-policy'
import { isUserName, type Platform, platforms, type Speaker } from '../desk/speaker.ts'
import { printableLine } from '../show/printable.ts'
import type { DeskEvent } from './session.ts'

/** Something to be told. */
export type Asked =
  | { readonly kind: Exclude<PlainCommand, 'quit'> }
  /** What a result says that is sent as a stub. */
  | { readonly kind: 'recall'; readonly request: RecallRequest }
  /** Puts right what is remembered. */
  | { readonly kind: 'correct'; readonly id: string; readonly content: string }
  /** Has something forgotten: the entry whose id begins like this, or `everything`. */
  | { readonly kind: 'forget'; readonly what: string }

/** An answer to a command: a text, or what has happened. */
export type Told = string | DeskEvent

/** Does what a command asks for. @param speaker - Who speaks now. */
export type Describe = (asked: Asked, speaker: Speaker) => Told | Promise<Told>

/** What a typed line is. */
export type Typed =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'become'; readonly speaker: Speaker }
  | Asked
  | { readonly kind: 'quit' }
  | { readonly kind: 'nothing' }
  /** Cannot be done; `message` says why and what can. */
  | { readonly kind: 'refused'; readonly message: string }

/** What has no argument. */
type PlainCommand = 'state' | 'prompt' | 'results' | 'memory' | 'why' | 'help' | 'quit'

/** Longer lines are not sent, in characters. */
const lineLimit = 4_000

/** The commands of the chat, with what they do. */
export const commandHelp: readonly (readonly [command: string, what: string])[] = [
  ['/as <user>', 'speak as somebody else: mia, omar, wei, or anybody'],
  ['/on slack|web', 'speak in the Slack channel or on the web'],
  ['/state', 'show who speaks, and what rules and tools see of it'],
  ['/prompt', 'show what the last prompt was made of, and what changed in it'],
  ['/results', 'show which results are sent as stubs, and what that saves'],
  ['/recall <id> [text|/pointer]', 'read what stands behind a stub'],
  ['/memory', 'show what is remembered of you, here'],
  ['/why', 'show what was recalled in your last turn, and by what'],
  ['/correct <id> <text>', 'put right what is remembered'],
  ['/forget <id>|everything', 'have it forgotten for good'],
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
  const [command = '', argument = '', ...rest] = text.split(/\s+/)
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
    case '/prompt':
    case '/results':
    case '/memory':
    case '/why':
    case '/help':
    case '/quit':
      return { kind: command.slice(1) as PlainCommand }
    case '/recall': {
      if (argument === '') return refuse('Say which result: /recall <id>. /results shows the ids.')
      const wanted = rest.join(' ')
      const how =
        wanted === '' ? {} : wanted.startsWith('/') ? { pointer: wanted } : { search: wanted }
      return { kind: 'recall', request: { id: argument, ...how } }
    }
    case '/correct': {
      const content = rest.join(' ')
      if (content !== '') return { kind: 'correct', id: argument, content }
      return refuse('Say what, and how it is: /correct <id> <text>. /memory shows the ids.')
    }
    case '/forget':
      if (argument !== '') return { kind: 'forget', what: argument }
      return refuse('Say what: /forget <id> or /forget everything. /memory shows the ids.')
    default:
      return refuse(
        `There is no command ${printableLine(command).slice(0, 40)}. Type /help for those there are.`,
      )
  }
}

function refuse(message: string): Typed {
  return { kind: 'refused', message }
}
