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
  if (![undefined, '5m', '1h', false].includes(options.cacheTtl)) {
    throw invalid('cacheTtl', `cacheTtl is ${String(options.cacheTtl)}. Give '5m', '1h' or false.`)
  }
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
  'cacheTtl',
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
    throw invalid('limits', `limits.${name} is ${value}. Give a number from 1 to ${highest}.`)
  }
}

const traitNames = ['name', 'sections', 'tools', 'gate', 'forcedTool', 'onCompose', 'stages']
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
    for (const trait of ['gate', 'forcedTool', 'onCompose'] as const) {
      checkType('capabilities', capability[trait], 'function', `${trait} of "${name}"`)
    }
    checkRecord('capabilities', capability.tools, `tools of "${name}"`)
    checkFunctions('capabilities', capability.stages, responseStages)
    for (const section of listOf('capabilities', capability.sections, `sections of "${name}"`)) {
      if (layerNames.has(section?.layer) && typeof section.render === 'function') continue
      throw invalid(
        'capabilities',
        `A section of "${name}" lacks a layer (L0, L1 or L2) or a render function. Give it both.`,
      )
    }
  }
}

function checkFunctions(option: string, given: unknown, names: readonly string[], all = false) {
  checkRecord(option, given)
  if (!isObject(given)) return
  // A logger may be any object with methods, so its other keys are its own business.
  if (!all) checkKeys(option, given, names)
  for (const name of names) {
    if (all || name in given) {
      checkType(option, given[name] ?? null, 'function', `${name} of ${option}`)
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
  if (given === undefined || typeof given === type) return
  throw invalid(option, `${who} is ${kindOf(given)}. Give a ${type}.`)
}

function checkRecord(option: string, given: unknown, who = option) {
  if (given === undefined || (isObject(given) && !Array.isArray(given))) return
  throw invalid(option, `${who} is ${kindOf(given)}. Give an object.`)
}

function listOf<Item>(option: string, given: readonly Item[] | undefined, who = option) {
  if (given === undefined) return []
  if (!Array.isArray(given)) throw invalid(option, `${who} is not a list. Give an array.`)
  return given as readonly Item[]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`
}

function invalid(option: string, message: string) {
  return new KernelError('KERNEL_CONFIGURATION_INVALID', message, { details: { option } })
}
