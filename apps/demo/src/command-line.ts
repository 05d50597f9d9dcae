import { printableLine } from './show/printable.ts'

/** What the demo was asked to do. */
export type Command =
  | { readonly kind: 'run'; readonly json: boolean; readonly play: boolean }
  | { readonly kind: 'help' }
  /** Check the desk's skill file. */
  | { readonly kind: 'lint'; readonly json: boolean }
  /** Cannot be done; `message` says why and what can. */
  | { readonly kind: 'misuse'; readonly message: string }

/** Reads the arguments behind the program's name. */
export function parseCommandLine(args: readonly string[]): Command {
  const unknown = args.find((arg) => !known.has(arg))
  if (unknown !== undefined) {
    const arg = printableLine(unknown).slice(0, 100)
    const message = `There is no option "${arg}". Options: ${[...known].join(', ')}.`
    return { kind: 'misuse', message }
  }
  if (args.includes('--help') || args.includes('-h')) return { kind: 'help' }
  if (args.includes('lint')) return lint(args)
  return { kind: 'run', json: args.includes('--json'), play: args.includes('--play') }
}

function lint(args: readonly string[]): Command {
  if (!args.includes('--play')) return { kind: 'lint', json: args.includes('--json') }
  return {
    kind: 'misuse',
    message: 'lint checks the skill file and plays nothing. Leave --play out.',
  }
}

const known = new Set(['--play', '--json', '--help', '-h', 'lint'])

/** What `--help` prints. */
export const helpText = `The assistant of a small travel desk, on the symfonic kernel.

  npm run demo                        chat at a terminal; elsewhere a written conversation
  npm run demo -- --play              the written conversation at a terminal, too
  npm run demo -- --json              one JSON line for each event
  npm run demo -- lint                checks the skill file of the desk
  echo "Cancel K4T9QX" | npm run demo answers each line

The model:
  SYMFONIC_MODEL       none: a small local model, without a key
                       creator/model: that model, through the AI SDK's gateway
                       https://…: an OpenAI-compatible server, its base URL
  SYMFONIC_MODEL_NAME  which model of that server
  SYMFONIC_API_KEY     the key for either

NO_COLOR switches colours off.
`
