import { parseArgs } from 'node:util'

/** What the command line asks for. */
export interface Flags {
  /** Path of the file to write the rows to; absent: none. */
  readonly json: string | undefined
  /** Name of the one suite to run; absent: all. */
  readonly suite: string | undefined
  /** Times that every contender gets its turn. Default 40. */
  readonly rounds: number
  /** Exit 1 when a bound is missed. Default false. */
  readonly strict: boolean
}

/** The flags, or why they cannot be understood. */
export type FlagsReading =
  | { readonly ok: true; readonly flags: Flags }
  | { readonly ok: false; readonly message: string }

const defaultRounds = 40

/**
 * Reads the command line.
 *
 * @param argv - Without the program and the script.
 * @param suiteNames - What `--suite` accepts.
 */
export function readFlags(argv: readonly string[], suiteNames: readonly string[]): FlagsReading {
  const parsed = parse(argv)
  if ('message' in parsed) return refused(parsed.message)
  const { json, suite, rounds = String(defaultRounds), strict = false } = parsed.values
  if (json === '') return refused('--json has no file.')
  if (suite !== undefined && !suiteNames.includes(suite)) {
    return refused(`There is no suite "${suite}". Choose from ${suiteNames.join(', ')}.`)
  }
  if (!/^[1-9]\d{0,3}$/.test(rounds)) {
    return refused(`--rounds is "${rounds}", not a whole number from 1 to 9999.`)
  }
  return { ok: true, flags: { json, suite, rounds: Number(rounds), strict } }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        json: { type: 'string' },
        suite: { type: 'string' },
        rounds: { type: 'string' },
        strict: { type: 'boolean' },
      },
    })
  } catch (error) {
    return { message: error instanceof Error ? error.message : String(error) }
  }
}

function refused(message: string): FlagsReading {
  const usage = 'Use [--suite NAME] [--rounds N] [--json FILE] [--strict].'
  return { ok: false, message: `${message}\n${usage}` }
}
