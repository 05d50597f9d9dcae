import { printableLine } from './show/printable.ts'

/** What the demo was asked to do. */
export type Command =
  | { readonly kind: 'run'; readonly json: boolean; readonly play: boolean }
  | { readonly kind: 'help' }
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
  return { kind: 'run', json: args.includes('--json'), play: args.includes('--play') }
}

const known = new Set(['--play', '--json', '--help', '-h'])

/** What `--help` prints. */
export const helpText = `The assistant of a small travel desk, on the symfonic kernel.

  npm run demo                        chat at a terminal; elsewhere a written conversation
  npm run demo -- --play              the written conversation at a terminal, too
  npm run demo -- --json              one JSON line for each event
  echo "Cancel K4T9QX" | npm run demo answers each line

The model:
  SYMFONIC_MODEL       none: a small local model, without a key
                       creator/model: that model, through the AI SDK's gateway
                       https://…: an OpenAI-compatible server, its base URL
  SYMFONIC_MODEL_NAME  which model of that server
  SYMFONIC_API_KEY     the key for either

NO_COLOR switches colours off.
`
