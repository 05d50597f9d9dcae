import { messagesCachePolicies } from './cache/messages-cache.ts'
import { longestTimerMs } from './cancellation.ts'
import type { Capability } from './capability.ts'
import { KernelError } from './errors.ts'
import type { KernelOptions } from './kernel-options.ts'
import { responseStages } from './response-pipeline.ts'

/**
 * Refuses options that cannot work, among them names nobody knows: a trait or a limit that is
 * misspelt would otherwise be missing without a word, and a missing gate is not the safe side.
 *
 * @throws KernelError `KERNEL_CONFIGURATION_INVALID`; `details.option` says which.
 */
export function checkOptions(options: KernelOptions): void {
  if (!isObject(options)) throw invalid('options', 'There are no options. Give at least { model }.')
  checkKeys('options', options, optionNames)
  checkModel(options.model)
  checkType('instructions', options.instructions, 'string')
  checkType('id', options.id, 'string')
  checkType('onStatePatch', options.onStatePatch, 'function')
  checkRecord('tools', options.tools)
  checkRecord('settings', options.settings)
  checkPrompt(options.prompt)
  checkCache(options.cache)
  for (const renderer of listOf('onResponseRender', options.onResponseRender)) {
    checkType('onResponseRender', renderer, 'function', 'An entry of onResponseRender')
  }
  checkFunctions('callers', options.callers, ['generate', 'stream'])
  checkFunctions('logger', options.logger, ['debug', 'info', 'warn', 'error'], true)
  checkLimits(options.limits)
  checkCapabilities(listOf('capabilities', options.capabilities))
}

const optionNames = [
  'model',
  'tools',
  'instructions',
  'capabilities',
  'onResponseRender',
  'limits',
  'settings',
  'prompt',
  'cache',
  'id',
  'logger',
  'onStatePatch',
  'callers',
]

function checkModel(model: unknown) {
  const isModel = isObject(model) && typeof model['doGenerate'] === 'function'
  if (isModel || (typeof model === 'string' && model !== '')) return
  throw invalid('model', 'There is no model. Give one of the AI SDK, or an id of its gateway.')
}

const promptNames = [
  'version',
  'layerMode',
  'volatilePosition',
  'contextStrategy',
  'jitContext',
  'domain',
  'toolManifest',
  'manifestCachePosition',
  'blocks',
]
const blockNames = ['name', 'position', 'priority', 'text', 'source', 'options']

function checkPrompt(prompt: unknown) {
  checkRecord('prompt', prompt)
  if (!isObject(prompt)) return
  checkKeys('prompt', prompt, promptNames)
  checkType('prompt', prompt['version'], 'string', 'prompt.version')
  checkOneOf('prompt', prompt, 'layerMode', ['stratigraphic', 'legacy'])
  checkOneOf('prompt', prompt, 'volatilePosition', ['system', 'user'])
  checkOneOf('prompt', prompt, 'contextStrategy', ['stratified', 'jit'])
  checkOneOf('prompt', prompt, 'jitContext', [true, false])
  checkOneOf('prompt', prompt, 'manifestCachePosition', ['cached', 'volatile'])
  const { domain, toolManifest } = prompt
  checkRecord('prompt', domain, 'prompt.domain')
  if (isObject(domain)) {
    checkKeys('prompt', domain, ['name', 'description'], 'prompt.domain')
    checkType('prompt', domain['name'], 'string', 'prompt.domain.name')
    checkType('prompt', domain['description'], 'string', 'prompt.domain.description')
  }
  if (typeof toolManifest !== 'boolean') {
    const names = listOf('prompt', toolManifest as unknown[] | undefined, 'prompt.toolManifest')
    for (const name of names) checkType('prompt', name, 'string', 'A name of prompt.toolManifest')
  }
  const blocks = listOf('prompt', prompt['blocks'] as unknown[] | undefined, 'prompt.blocks')
  for (const [index, block] of blocks.entries()) {
    const who = `prompt.blocks[${index}]`
    if (!isObject(block)) throw invalid('prompt', `${who} is ${shown(block)}. Give an object.`)
    checkKeys('prompt', block, blockNames, who)
    checkRequired('prompt', block['name'], 'string', `The name of ${who}`)
    checkOneOf('prompt', block, 'position', ['cached', 'volatile'], who)
    checkNumber('prompt', block['priority'], `The priority of ${who}`)
  }
}

const cacheNames = ['ttl', 'messages', 'dialect', 'minimumTokens', 'estimateTokens']

function checkCache(cache: unknown) {
  checkRecord('cache', cache)
  if (!isObject(cache)) return
  checkKeys('cache', cache, cacheNames)
  checkOneOf('cache', cache, 'ttl', ['5m', '1h', false])
  checkOneOf('cache', cache, 'dialect', ['anthropic', 'none'])
  checkNumber('cache', cache['minimumTokens'], 'cache.minimumTokens', 0)
  checkType('cache', cache['estimateTokens'], 'function', 'cache.estimateTokens')
  const { messages } = cache
  if (!isObject(messages)) return checkOneOf('cache', cache, 'messages', messagesCachePolicies)
  checkRequired('cache', messages['name'], 'string', 'The name of cache.messages')
  checkRequired('cache', messages['boundaries'], 'function', 'boundaries of cache.messages')
  checkRequired('cache', messages['slots'], 'number', 'slots of cache.messages')
  checkNumber('cache', messages['slots'], 'slots of cache.messages')
}

function checkOneOf(
  option: string,
  given: Readonly<Record<string, unknown>>,
  name: string,
  allowed: readonly unknown[],
  who = option,
) {
  const value = given[name]
  if (value === undefined || allowed.includes(value)) return
  throw invalid(
    option,
    `${who}.${name} is ${shown(value)}. Give ${allowed.map(String).join(', ')}.`,
  )
}

function checkNumber(
  option: string,
  given: unknown,
  who: string,
  lowest = Number.NEGATIVE_INFINITY,
) {
  if (given === undefined) return
  if (typeof given === 'number' && Number.isFinite(given) && given >= lowest) return
  const atLeast = lowest === Number.NEGATIVE_INFINITY ? '' : `, at least ${lowest}`
  throw invalid(option, `${who} is ${shown(given)}. Give a finite number${atLeast}.`)
}

const limitNames = ['steps', 'modelTimeoutMs', 'toolTimeoutMs', 'turnTimeoutMs']

function checkLimits(limits: unknown) {
  checkRecord('limits', limits)
  if (!isObject(limits)) return
  checkKeys('limits', limits, limitNames)
  for (const [name, value] of Object.entries(limits)) {
    if (value === undefined) continue
    const highest = name === 'steps' ? Number.MAX_SAFE_INTEGER : longestTimerMs
    const isWhole = name !== 'steps' || Number.isInteger(value)
    if (typeof value === 'number' && value >= 1 && value <= highest && isWhole) continue
    const number = name === 'steps' ? 'whole number' : 'number'
    throw invalid(
      'limits',
      `limits.${name} is ${shown(value)}. Give a ${number} from 1 to ${highest}.`,
    )
  }
}

const traitFunctions = [
  'hydrate',
  'gate',
  'guard',
  'rewriteHistory',
  'forcedTool',
  'onCompose',
  'transformText',
  'onTurnEnd',
] as const
const traitNames = ['name', 'sections', 'blockSources', 'tools', 'stages', ...traitFunctions]
const layerNames = new Set<unknown>(['L0', 'L1', 'L2'])

function checkCapabilities(capabilities: readonly Capability[]) {
  const names = new Set<string>()
  for (const [index, capability] of capabilities.entries()) {
    const name: unknown = capability?.name
    if (typeof name !== 'string' || name === '') {
      throw invalid('capabilities', `capabilities[${index}] has no name. Give it one.`)
    }
    if (names.has(name)) {
      throw invalid('capabilities', `Two capabilities are called "${name}". Rename one of them.`)
    }
    names.add(name)
    checkKeys('capabilities', capability, traitNames, `The capability "${name}"`)
    for (const trait of traitFunctions) {
      checkType('capabilities', capability[trait], 'function', `${trait} of "${name}"`)
    }
    checkRecord('capabilities', capability.tools, `tools of "${name}"`)
    checkRecord('capabilities', capability.blockSources, `blockSources of "${name}"`)
    for (const [source, given] of Object.entries(capability.blockSources ?? {})) {
      const who = `The block source "${source}" of "${name}"`
      if (!isObject(given)) {
        throw invalid('capabilities', `${who} is ${shown(given)}. Give { render }.`)
      }
      checkKeys('capabilities', given, ['needsScope', 'render'], who)
      checkOneOf('capabilities', given, 'needsScope', [true, false], who)
      checkRequired(
        'capabilities',
        given['render'],
        'function',
        `render of "${source}" of "${name}"`,
      )
    }
    checkFunctions('capabilities', capability.stages, responseStages, false, `stages of "${name}"`)
    for (const section of listOf('capabilities', capability.sections, `sections of "${name}"`)) {
      checkSection(name, section)
    }
  }
}

const sectionNames = [
  'name',
  'layer',
  'priority',
  'required',
  'cacheBreakpoint',
  'budgetTokens',
  'render',
]

function checkSection(owner: string, section: unknown) {
  const given = isObject(section) ? section : {}
  if (!layerNames.has(given['layer']) || typeof given['render'] !== 'function') {
    throw invalid(
      'capabilities',
      `A section of "${owner}" lacks a layer (L0, L1 or L2) or a render function. Give it both.`,
    )
  }
  const { name, priority, budgetTokens } = given
  checkRequired('capabilities', name, 'string', `The name of a section of "${owner}"`)
  const who = `The section "${name}" of "${owner}"`
  checkKeys('capabilities', given, sectionNames, who)
  checkOneOf('capabilities', given, 'required', [true, false], who)
  checkOneOf('capabilities', given, 'cacheBreakpoint', [true, false], who)
  checkNumber('capabilities', priority, `The priority of "${name}" of "${owner}"`)
  checkNumber('capabilities', budgetTokens, `budgetTokens of "${name}" of "${owner}"`)
}

function checkFunctions(
  option: string,
  given: unknown,
  names: readonly string[],
  all = false,
  who = option,
) {
  checkRecord(option, given, who)
  if (!isObject(given)) return
  // A logger may be any object with methods, so its other keys are its own business.
  if (!all) checkKeys(option, given, names, who)
  for (const name of names) {
    if (all || name in given) {
      checkRequired(option, given[name], 'function', `${name} of ${who}`)
    }
  }
}

function checkKeys(option: string, given: object, known: readonly string[], who = option) {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    throw invalid(
      option,
      `${who} has "${name}", which is not known. Give only ${known.join(', ')}.`,
    )
  }
}

function checkType(option: string, given: unknown, type: 'string' | 'function', who = option) {
  if (given !== undefined) checkRequired(option, given, type, who)
}

function checkRequired(
  option: string,
  given: unknown,
  type: 'string' | 'function' | 'number',
  who: string,
) {
  if (typeof given === type) return
  throw invalid(option, `${who} is ${shown(given)}. Give a ${type}.`)
}

function checkRecord(option: string, given: unknown, who = option) {
  if (given === undefined || (isObject(given) && !Array.isArray(given))) return
  throw invalid(option, `${who} is ${shown(given)}. Give an object.`)
}

function listOf<Item>(option: string, given: readonly Item[] | undefined, who = option) {
  if (given === undefined) return []
  if (!Array.isArray(given)) throw invalid(option, `${who} is not a list. Give an array.`)
  return given as readonly Item[]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** A value in words, for whoever has to find it in the options. */
function shown(value: unknown): string {
  if (typeof value === 'string') return `the text "${value.slice(0, 60)}"`
  if (typeof value === 'number') return String(value)
  if (value === undefined) return 'missing'
  if (value === null || typeof value === 'boolean') return String(value)
  return Array.isArray(value)
    ? 'a list'
    : typeof value === 'object'
      ? 'an object'
      : `a ${typeof value}`
}

function invalid(option: string, message: string) {
  return new KernelError('KERNEL_CONFIGURATION_INVALID', message, { details: { option } })
}
