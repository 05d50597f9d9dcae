import { parseArgs } from 'node:util'
import { type Outcome, reasonOf } from './outcome.ts'

/** What the user asked for. */
export type Request =
  | { readonly command: 'help' }
  | { readonly command: 'version' }
  | {
      readonly command: 'lint'
      readonly files: readonly string[]
      readonly tools: string | undefined
      readonly strict: boolean
      readonly json: boolean
    }
  | {
      readonly command: 'explain'
      readonly files: readonly string[]
      readonly state: string
      readonly tool: string | undefined
      readonly called: readonly string[]
      readonly json: boolean
    }
  | {
      readonly command: 'render'
      readonly files: readonly string[]
      readonly state: string
      readonly json: boolean
    }

const options = {
  tools: { type: 'string' },
  strict: { type: 'boolean' },
  state: { type: 'string' },
  tool: { type: 'string' },
  called: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

/** The options of each command, besides `--json`. */
const optionsOf: Readonly<Record<string, readonly string[]>> = {
  lint: ['tools', 'strict'],
  explain: ['state', 'tool', 'called'],
  render: ['state'],
}

/** Reads the words that follow the name of the program. */
export function readArguments(args: readonly string[]): Outcome<Request> {
  const parsed = parse(args)
  if ('problem' in parsed) return parsed
  const { values, positionals } = parsed.value
  if (values.help) return { value: { command: 'help' } }
  if (values.version) return { value: { command: 'version' } }

  const [command = '', ...files] = positionals
  const known = Object.hasOwn(optionsOf, command) ? optionsOf[command] : undefined
  if (known === undefined) {
    const names = Object.keys(optionsOf).join(', ')
    return command === ''
      ? { problem: `No command was given. Use one of ${names}.` }
      : { problem: `There is no command "${command}". Use one of ${names}.` }
  }
  for (const name of Object.keys(values)) {
    if (name === 'json' || known.includes(name)) continue
    return { problem: `"${command}" has no option --${name}. Leave it out, or see --help.` }
  }
  const twice = givenTwice(parsed.value)
  if (twice !== undefined) {
    const advice = twice === 'tools' || twice === 'called' ? ', with commas between the names' : ''
    return { problem: `--${twice} was given twice. Give it once${advice}.` }
  }
  if (files.length === 0) {
    return {
      problem: `"${command}" needs a file of skills. Name one, or - for the standard input.`,
    }
  }
  const blank = Object.entries(values).find(([, value]) => value === '')
  if (blank !== undefined) return { problem: `--${blank[0]} needs a value. Add one.` }
  return request(command, files, values)
}

const parseOrThrow = (args: readonly string[]) =>
  parseArgs({ args: [...args], options, allowPositionals: true, tokens: true })

type Words = ReturnType<typeof parseOrThrow>

function parse(args: readonly string[]): Outcome<Words> {
  try {
    return { value: parseOrThrow(args) }
  } catch (error) {
    // The first sentence says what is wrong; the rest is about names of files that look alike.
    const [sentence = ''] = reasonOf(error).split(/\. |\n/u)
    return { problem: `${sentence.replace(/\.$/u, '')}. See --help for what there is.` }
  }
}

/** An option whose second value would put the first out of force unseen. */
function givenTwice({ tokens }: Words): string | undefined {
  const seen = new Set<string>()
  for (const token of tokens) {
    if (token.kind !== 'option' || token.value === undefined) continue
    if (seen.has(token.name)) return token.name
    seen.add(token.name)
  }
  return undefined
}

function request(
  command: string,
  files: readonly string[],
  values: Words['values'],
): Outcome<Request> {
  for (const name of ['state', 'tools'] as const) {
    if (values[name] !== '-' || !files.includes('-')) continue
    const both = `The standard input cannot be both the skills and the ${name}.`
    return { problem: `${both} Name a file for one of them.` }
  }
  const json = values.json ?? false
  if (command === 'lint') {
    const { tools, strict = false } = values
    return { value: { command, files, tools, strict, json } }
  }
  const { state, tool, called = '' } = values
  if (state === undefined) {
    return { problem: `"${command}" needs --state with a JSON file of the state. Add it.` }
  }
  return command === 'explain'
    ? { value: { command, files, state, tool, called: namesIn(called), json } }
    : { value: { command: 'render', files, state, json } }
}

/** Names between commas, without the blanks around them. */
export function namesIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
