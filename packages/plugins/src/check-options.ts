import { PluginError } from './errors.ts'
import { kindOf, printable } from './printable.ts'
import { isPlainRecord } from './request-copy.ts'

/** What an option may be. */
export type OptionKind = keyof typeof kinds

/**
 * Refuses options that nobody knows or can use: a limit or a listener that is misspelt would otherwise
 * be missing without a word. Only undefined is absent.
 *
 * @param who - The function that was given the options, for the message.
 * @throws PluginError `PLUGIN_OPTION_INVALID`; `details.option` names it, and `details.known` the ones
 * there are when it is none of them.
 */
export function checkOptions(
  who: string,
  options: unknown,
  known: Readonly<Record<string, OptionKind>>,
): void {
  const kind = kindOf(options)
  if (kind !== 'an object') {
    throw invalid(
      'options',
      `The options of ${who} are ${kind}. Give an object, or leave them out.`,
    )
  }
  for (const [option, value] of Object.entries(options as object)) {
    const expected = Object.hasOwn(known, option) ? known[option] : undefined
    if (expected === undefined) {
      const names = Object.keys(known)
      const message = `${who} has no option "${printable(option, 60)}". Give only ${names.join(', ')}.`
      throw invalid(option, message, { known: names })
    }
    const [what, fits] = kinds[expected]
    if (value === undefined || fits(value)) continue
    throw invalid(option, `${option} is ${kindOf(value)}. Give ${what}, or leave it out.`)
  }
}

const kinds = {
  text: ['a text', (value: unknown) => typeof value === 'string'],
  number: ['a finite number', (value: unknown) => Number.isFinite(value)],
  flag: ['true or false', (value: unknown) => typeof value === 'boolean'],
  function: ['a function', isFunction],
  context: [
    'a plain object, or a function',
    (value: unknown) => isFunction(value) || isPlainRecord(value),
  ],
  instructions: [
    'a text, a message or a list of messages',
    (value: unknown) => typeof value === 'string' || isObject(value),
  ],
  logger: ['an object with debug, info, warn and error', has('debug', 'info', 'warn', 'error')],
  section: ['an object with addPlugin', has('addPlugin')],
  signal: ['an AbortSignal', has('addEventListener', 'removeEventListener')],
  /** By whoever reads it, who says more than its type. */
  'checked later': ['anything', () => true],
} as const satisfies Record<string, readonly [string, (value: unknown) => boolean]>

function has(...methods: readonly string[]) {
  return (value: unknown) =>
    isObject(value) && methods.every((method) => isFunction(Reflect.get(value, method)))
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function invalid(option: string, message: string, more: object = {}): PluginError {
  return new PluginError('PLUGIN_OPTION_INVALID', message, { details: { option, ...more } })
}
