import { printableLine } from './show/printable.ts'

/** What the demo was asked to do. */
export type Command =
  | {
      readonly kind: 'run'
      readonly json: boolean
      readonly play: boolean
      /** Put the time into the cached prefix, to see the cache break. */
      readonly clockInPrefix: boolean
      /** The file to remember in, as it was named. */
      readonly memory: string | undefined
    }
  | { readonly kind: 'help' }
  /** Check the desk's skill file. */
  | { readonly kind: 'lint'; readonly json: boolean }
  /** Cannot be done; `message` says why and what can. */
  | { readonly kind: 'misuse'; readonly message: string }

/** Reads the arguments behind the program's name. */
export function parseCommandLine(given: readonly string[]): Command {
  const at = given.indexOf('--memory')
  const memory = at < 0 ? undefined : given[at + 1]
  if (at >= 0 && (memory === undefined || memory === '' || memory.startsWith('--'))) {
    return { kind: 'misuse', message: 'Name a file to remember in: --memory <file>.' }
  }
  const args = at < 0 ? given : given.toSpliced(at, 2)
  const unknown = args.find((arg) => !known.has(arg))
  if (unknown !== undefined) {
    const arg = printableLine(unknown).slice(0, 100)
    const message = `There is no option "${arg}". Options: ${[...known].join(', ')}, --memory <file>.`
    return { kind: 'misuse', message }
  }
  if (args.includes('--help') || args.includes('-h')) return { kind: 'help' }
  if (args.includes('lint')) return lint(given)
  return {
    kind: 'run',
    json: args.includes('--json'),
    play: args.includes('--play'),
    clockInPrefix: args.includes('--clock-in-prefix'),
    memory,
  }
}

function lint(args: readonly string[]): Command {
  const other = args.find((arg) => playing.has(arg))
  if (other === undefined) return { kind: 'lint', json: args.includes('--json') }
  return {
    kind: 'misuse',
    message: `lint checks the skill file and plays nothing. Leave ${other} out.`,
  }
}

const playing = new Set(['--play', '--clock-in-prefix', '--memory'])

const known = new Set(['--play', '--json', '--clock-in-prefix', '--help', '-h', 'lint'])

/** What `--help` prints. */
export const helpText = `The assistant of a small travel desk, on the symfonic kernel.

  npm run demo                        chat at a terminal; elsewhere a written conversation
  npm run demo -- --play              the written conversation at a terminal, too
  npm run demo -- --json              one JSON line for each event
  npm run demo -- --clock-in-prefix   with a plugin that breaks the prompt cache in every turn
  npm run demo -- --memory <file>     remembers there, from run to run; also SYMFONIC_MEMORY
  npm run demo -- lint                checks the skill file of the desk
  echo "Cancel K4T9QX" | npm run demo answers each line

The model:
  SYMFONIC_MODEL       none: a small local model, without a key
                       creator/model: that model, through the AI SDK's gateway
                       https://…: an OpenAI-compatible server, its base URL
  SYMFONIC_MODEL_NAME  which model of that server
  SYMFONIC_API_KEY     the key for either

What the desk remembers is kept in a file: of a chat in apps/demo/.memory/desk.db, of anything else in a
temporary file that is gone with the run, unless a file is named.

NO_COLOR switches colours off.
`
