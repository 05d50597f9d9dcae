import { ResultPolicyError } from './errors.ts'

/**
 * What holds for one tool instead of the general rule. `never`: its results are always sent whole.
 * `always`: they are offloaded on arrival from `minChars` on, whatever it costs. With
 * `offloadAboveChars`, at least `minChars`, they may be offloaded on arrival from that length on, when
 * that pays.
 */
export type ToolRule = 'never' | 'always' | { readonly offloadAboveChars: number }

/** Every knob of the policy, checked and frozen. */
export interface PolicySettings {
  /** Whether anything is replaced at all, and the recall tool offered (CONF-19). Default true. */
  readonly enabled: boolean
  /**
   * Results shorter than this are not replaced, save by a word that they repeat one above. Characters,
   * at least `stubMaxChars`. Default 1000.
   */
  readonly minChars: number
  /** Results of the current turn that stay whole beside the unread ones. Count. Default 0. */
  readonly keepRecentResults: number
  /** Model calls still to be expected: a fixed prior, never the live step (RES-21). Default 10. */
  readonly expectedConversationDepth: number
  /** Chance that a result which was read is asked for again, 0 to 1 (RES-20). Default 0.2. */
  readonly expectedRecallProbability: number
  /** The model whose prices count, as the price table names it. Default `''`: unknown. */
  readonly modelName: string
  /**
   * From this length on a result may be offloaded before it is ever sent, and an error be replaced.
   * Characters. Default 3000.
   */
  readonly largeOffloadThresholdChars: number
  /** Longest stub in characters, at least 240. Default 1000. */
  readonly stubMaxChars: number
  /** Longest answer of a recall in characters, at least 200. Default 4000. */
  readonly recallMaxChars: number
  /** How long the provider keeps a written prefix; `none` when nothing is cached. Default `5m`. */
  readonly cache: '5m' | '1h' | 'none'
  /** Rules of single tools, by name. Default none. */
  readonly tools: Readonly<Record<string, ToolRule>>
}

/** Settings as an author writes them. What is left out has its default. */
export type PolicySettingsSource = {
  readonly [Key in keyof PolicySettings]?: PolicySettings[Key] | undefined
}

/** The settings that hold when none are given. README.md has the evidence for each default. */
export const defaultSettings: PolicySettings = Object.freeze({
  enabled: true,
  minChars: 1000,
  keepRecentResults: 0,
  expectedConversationDepth: 10,
  expectedRecallProbability: 0.2,
  modelName: '',
  largeOffloadThresholdChars: 3000,
  stubMaxChars: 1000,
  recallMaxChars: 4000,
  cache: '5m',
  tools: Object.freeze({}),
})

/**
 * Settings with their defaults filled in, checked and frozen. `undefined` counts as left out.
 *
 * @throws ResultPolicyError `RESULT_SETTING_INVALID` for an unknown key, a value of the wrong type or
 * out of bounds, `minChars` below `stubMaxChars`, since a stub could then be stubbed, and a tool's
 * `offloadAboveChars` below `minChars`, where it would change nothing.
 * @see RES-20, RES-26, CONF-51
 */
export function defineSettings(source: PolicySettingsSource = {}): PolicySettings {
  if (!isRecord(source)) throw invalid('settings', source, 'Give an object, or nothing.')
  const given: Record<string, unknown> = {}
  for (const key of Object.keys(source)) {
    const value: unknown = Reflect.get(source, key)
    if (value === undefined) continue
    if (!isSettingKey(key)) {
      throw invalid(key, value, `Known settings are ${Object.keys(defaultSettings).join(', ')}.`)
    }
    given[key] = readers[key](value)
  }
  const settings = Object.freeze({ ...defaultSettings, ...given })
  if (settings.minChars < settings.stubMaxChars) {
    const wish = `Set it to at least stubMaxChars, ${settings.stubMaxChars}, so that no stub is stubbed.`
    throw invalid('minChars', settings.minChars, wish)
  }
  for (const [name, rule] of Object.entries(settings.tools)) {
    if (typeof rule !== 'object' || rule.offloadAboveChars >= settings.minChars) continue
    const wish = `Set offloadAboveChars to at least minChars, ${settings.minChars}: shorter results stay.`
    throw invalid(`tools.${name}`, rule.offloadAboveChars, wish)
  }
  return settings
}

/**
 * The settings in the `_tool_compaction` entry of a state, whose keys are written in snake_case. A
 * state that is no mapping, or has no such entry, gives the defaults (RES-03).
 *
 * @throws ResultPolicyError as `defineSettings`.
 */
export function settingsFromState(state: unknown): PolicySettings {
  const entry = isRecord(state) ? own(state, '_tool_compaction') : undefined
  if (entry === undefined || entry === null) return defineSettings()
  if (!isRecord(entry)) throw invalid('_tool_compaction', entry, 'Make it a mapping of settings.')
  const camel = Object.keys(entry).map((key) => [
    key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    own(entry, key),
  ])
  return defineSettings(Object.fromEntries(camel) as PolicySettingsSource)
}

/** The rule of a tool, when it has one. */
export function ruleOf({ tools }: PolicySettings, toolName: string): ToolRule | undefined {
  return Object.hasOwn(tools, toolName) ? tools[toolName] : undefined
}

const readers: Record<keyof PolicySettings, (value: unknown) => unknown> = {
  enabled: (value) => demand('enabled', value, typeof value === 'boolean', 'true or false'),
  minChars: (value) => number('minChars', value, { least: 1 }),
  keepRecentResults: (value) => number('keepRecentResults', value, { least: 0, whole: true }),
  expectedConversationDepth: (value) => number('expectedConversationDepth', value, { least: 1 }),
  expectedRecallProbability: (value) =>
    number('expectedRecallProbability', value, { least: 0, most: 1 }),
  modelName: (value) => demand('modelName', value, typeof value === 'string', 'a text'),
  largeOffloadThresholdChars: (value) => number('largeOffloadThresholdChars', value, { least: 1 }),
  stubMaxChars: (value) => number('stubMaxChars', value, { least: 240, whole: true }),
  recallMaxChars: (value) => number('recallMaxChars', value, { least: 200, whole: true }),
  cache: (value) => demand('cache', value, isCache(value), "'5m', '1h' or 'none'"),
  tools: readTools,
}

function readTools(value: unknown): unknown {
  if (!isRecord(value)) throw invalid('tools', value, 'Give an object of rules by tool name.')
  const rules = Object.keys(value).map((name) => [
    name,
    readRule(`tools.${name}`, own(value, name)),
  ])
  return Object.freeze(Object.fromEntries(rules))
}

function readRule(key: string, rule: unknown): unknown {
  if (rule === 'never' || rule === 'always') return rule
  const above = isRecord(rule) ? own(rule, 'offloadAboveChars') : undefined
  if (above === undefined)
    throw invalid(key, rule, "Write 'never', 'always' or { offloadAboveChars }.")
  return Object.freeze({ offloadAboveChars: number(key, above, { least: 1 }) })
}

function number(
  key: string,
  value: unknown,
  { least, most = Number.MAX_SAFE_INTEGER, whole = false }: Bounds,
): unknown {
  const fits = typeof value === 'number' && value >= least && value <= most
  const kind = whole ? 'a whole number' : 'a number'
  const range =
    most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`
  return demand(key, value, fits && (!whole || Number.isInteger(value)), `${kind} ${range}`)
}

interface Bounds {
  least: number
  most?: number
  whole?: boolean
}

function demand(key: string, value: unknown, isRight: boolean, wanted: string): unknown {
  if (!isRight) throw invalid(key, value, `Write ${wanted}.`)
  return value
}

function invalid(key: string, value: unknown, wish: string): ResultPolicyError {
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : kindOf(value)
  const message = `The setting ${JSON.stringify(key.slice(0, 80))} cannot be ${shown}. ${wish}`
  return new ResultPolicyError('RESULT_SETTING_INVALID', message, { details: { key } })
}

function kindOf(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`
}

function isSettingKey(key: string): key is keyof PolicySettings {
  return Object.hasOwn(defaultSettings, key)
}

function isCache(value: unknown): boolean {
  return value === '5m' || value === '1h' || value === 'none'
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function own(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
}
