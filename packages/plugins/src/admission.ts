import { checkOptions, type OptionKind } from './check-options.ts'
import { readHook } from './hook.ts'
import { type Logger, quietly, silentLogger } from './logger.ts'
import { type DomainPlugin, faultsOf, nameOf, unnamed } from './plugin.ts'
import type { LivePlugins } from './plugin-source.ts'
import { describeThrown, kindOf } from './printable.ts'
import { answerWithin, isThenable, requireTimeLimit } from './time-limit.ts'

/** What an agent's plugins are, and the one door through which they come in. */
export interface PluginRoster extends LivePlugins {
  /** Whether the door is closed. */
  readonly isSealed: boolean
  /**
   * Takes a plugin whole or not at all, once its tools are known to be none (PLUG-45). A plugin whose
   * `getDomainTools` is absent or answers at once is taken before this returns; await one before you
   * offer the next where it is not, so that their order is yours. One that does not answer in time is
   * refused.
   *
   * Never rejects: a refusal is a result.
   */
  admit(plugin: DomainPlugin): Promise<Admission>
  /** The same at once. A `getDomainTools` that answers with a promise is a reason to refuse. */
  admitNow(plugin: DomainPlugin): Admission
  /**
   * Lets a refused plugin go for good, its veto with it. Quarantine has no other end, so that no veto
   * is lost by itself: a host that goes on offering plugins ends it for those it has given up.
   *
   * @returns Whether it was in quarantine. A loaded plugin stays loaded.
   */
  release(plugin: DomainPlugin): boolean
  /**
   * Closes the door for good: the plan is compiled (PLUG-54, CONFLICT-09). What is loaded by then
   * stays, and stays live.
   */
  seal(): void
}

/** What came of offering a plugin. */
export type Admission = PluginAdmitted | PluginRefused

/** The plugin is loaded: its text, its guard and its name count from now on. */
export interface PluginAdmitted {
  readonly admitted: true
  readonly name: string
}

/**
 * The plugin is not loaded and is in quarantine: no text, no name, no place in any count, but its
 * guard is asked and may refuse (PLUG-50, PLUG-51).
 */
export interface PluginRefused {
  readonly admitted: false
  /** The plugin's name, or `unknown`. */
  readonly name: string
  /** Everything that stood against it, at least one. */
  readonly reasons: readonly RefusalReason[]
  /** All of it in words, each with what to do. */
  readonly message: string
  /** What was thrown, if something was; else undefined (ERR-09). */
  readonly cause: unknown
}

/** One reason why a plugin was refused. */
export interface RefusalReason {
  readonly code: RefusalReasonCode
  /** What happened and what to do. */
  readonly message: string
}

/** Why a plugin was refused (PLUG-47, PLUG-48, OPEN-PLUG-8). */
export type RefusalReasonCode =
  /** It brings tools, or does not say whether it does. */
  | 'brings-tools'
  /** It arrived after the roster was sealed. */
  | 'too-late'
  /** It has no usable name, a hook that is no function, or a misspelt one. */
  | 'no-plugin'
  /** A loaded plugin has its name. */
  | 'name-taken'
  /** The prompt section would not take it. */
  | 'section-failed'

/** What a roster works with. */
export interface PluginRosterOptions {
  /**
   * Where a loaded plugin's text is rendered: the second of the two writes of an admission. It adds at
   * once, and when it throws it has added nothing: no roster can take out of it again.
   */
  readonly section?: { addPlugin(plugin: DomainPlugin): void } | undefined
  /** Gets one info line per loaded plugin (PLUG-52), one warning per refused or released one. */
  readonly logger?: Logger | undefined
  /**
   * Milliseconds that `admit` waits for what `getDomainTools` promised. Default 30,000; `Infinity`
   * waits for ever.
   */
  readonly timeLimitMs?: number | undefined
}

/**
 * A roster without plugins, open.
 *
 * An admission looks for every reason to refuse before anything is written. Then the roster is
 * written, then the section; a section that throws has the first write undone (PLUG-46, LO-13).
 *
 * @throws PluginError `PLUGIN_OPTION_INVALID` for options that are unknown or of the wrong type.
 */
export function createPluginRoster(options: PluginRosterOptions = {}): PluginRoster {
  checkOptions('createPluginRoster', options, optionKinds)
  const { section, logger = silentLogger } = options
  const timeLimitMs = requireTimeLimit(options.timeLimitMs)
  // A plugin may change its name later; what it was admitted under stays claimed.
  const claims = new Map<DomainPlugin, string>()
  let loaded: readonly DomainPlugin[] = Object.freeze([])
  let quarantined: readonly DomainPlugin[] = Object.freeze([])
  let isSealed = false

  return Object.freeze({
    get loaded() {
      return loaded
    },
    get quarantined() {
      return quarantined
    },
    get isSealed() {
      return isSealed
    },
    admit: async (plugin: DomainPlugin) => {
      let tools = askForTools(plugin)
      if (tools.kind === 'promised') tools = await settled(tools.promise, timeLimitMs)
      return decide(plugin, tools)
    },
    admitNow: (plugin: DomainPlugin) => decide(plugin, askForTools(plugin)),
    release: (plugin: DomainPlugin) => {
      if (!quarantined.includes(plugin)) return false
      quarantined = Object.freeze(quarantined.filter((other) => other !== plugin))
      const name = nameOf(plugin) ?? unnamed
      const line = `Plugin '${name}' was released from quarantine; its guard is asked no more.`
      quietly(() => logger.warn(line, { plugin: name }))
      return true
    },
    seal: () => {
      isSealed = true
    },
  })

  /** From the first reason to the last write nothing waits, so nobody can come in between. */
  function decide(plugin: DomainPlugin, tools: ToolsAnswer): Admission {
    const faults = faultsOf(plugin)
    const ownName = nameOf(plugin)
    const name = ownName ?? unnamed
    const isTaken = ownName !== undefined && [...claims.values()].includes(ownName)
    const reasons = [
      ...faults.map((fault) => reasonFor('no-plugin', name, fault)),
      ...(faults.length === 0 ? toolReasons(name, tools) : []),
      ...(isSealed ? [reasonFor('too-late', name, tooLate)] : []),
      ...(isTaken ? [reasonFor('name-taken', name, taken)] : []),
    ]
    if (reasons.length > 0) return refuse(plugin, name, reasons, thrownBy(tools))

    claims.set(plugin, name)
    loaded = Object.freeze([...claims.keys()])
    let isAdded = false
    try {
      const added: unknown = section?.addPlugin(plugin)
      if (isThenable(added)) {
        isAdded = true
        // Whatever comes of it comes too late to be undone.
        Promise.resolve(added).catch(() => {})
        throw new TypeError('its addPlugin answers with a promise; it has to add at once')
      }
    } catch (cause) {
      claims.delete(plugin)
      loaded = Object.freeze([...claims.keys()])
      const thrown = describeThrown(cause, 2_000)
      const left = isAdded
        ? 'The section may hold its text all the same'
        : 'Nothing was left loaded'
      const message = `Plugin '${name}' could not be registered with the prompt section (${thrown}). ${left}.`
      return refuse(plugin, name, [{ code: 'section-failed', message }], cause)
    }
    // One that was refused before is asked as a loaded plugin from now on, and once.
    quarantined = Object.freeze(quarantined.filter((other) => other !== plugin))
    quietly(() => logger.info(`Plugin '${name}' loaded (no tools)`, { plugin: name }))
    return Object.freeze({ admitted: true, name })
  }

  function refuse(
    plugin: DomainPlugin,
    name: string,
    reasons: readonly RefusalReason[],
    cause: unknown,
  ): PluginRefused {
    // A loaded plugin offered again has its veto already; what is no object has none to keep.
    if (isObject(plugin) && !loaded.includes(plugin) && !quarantined.includes(plugin)) {
      quarantined = Object.freeze([...quarantined, plugin])
    }
    const message = reasons.map((reason) => reason.message).join(' ')
    const codes = reasons.map(({ code }) => code)
    quietly(() => logger.warn(message, { plugin: name, reasons: codes }))
    return Object.freeze({
      admitted: false,
      name,
      reasons: Object.freeze(reasons.map((reason) => Object.freeze({ ...reason }))),
      message,
      cause,
    })
  }
}

const optionKinds: Readonly<Record<keyof PluginRosterOptions, OptionKind>> = {
  section: 'section',
  logger: 'logger',
  timeLimitMs: 'checked later',
}

type ToolsAnswer =
  | { readonly kind: 'listed'; readonly tools: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'promised'; readonly promise: PromiseLike<unknown> }
  | { readonly kind: 'late' }

function askForTools(plugin: DomainPlugin): ToolsAnswer {
  if (!isObject(plugin)) return noTools
  const found = readHook(plugin, 'getDomainTools')
  // What is wrong with the hook itself is told among the plugin's faults.
  if ('error' in found || typeof found.hook !== 'function') return noTools
  try {
    const tools: unknown = Reflect.apply(found.hook, plugin, [])
    return isThenable(tools) ? { kind: 'promised', promise: tools } : { kind: 'listed', tools }
  } catch (error) {
    return { kind: 'threw', error }
  }
}

async function settled(
  promise: PromiseLike<unknown>,
  timeLimitMs: number | undefined,
): Promise<ToolsAnswer> {
  const answer = await answerWithin(() => promise, { timeLimitMs, signal: undefined })
  if (answer.kind === 'value') return { kind: 'listed', tools: answer.value }
  return answer.kind === 'threw' ? answer : { kind: 'late' }
}

function toolReasons(name: string, answer: ToolsAnswer): readonly RefusalReason[] {
  const fault = toolFault(answer)
  return fault === undefined ? [] : [reasonFor('brings-tools', name, fault)]
}

function toolFault(answer: ToolsAnswer): string | undefined {
  if (answer.kind === 'promised') {
    return 'Its getDomainTools answers with a promise. Offer it with admit, or answer at once.'
  }
  if (answer.kind === 'late') {
    return 'It does not say in time whether it brings tools. Let getDomainTools answer with an empty list.'
  }
  if (answer.kind === 'threw') {
    return `Its getDomainTools threw (${describeThrown(answer.error)}). Answer with an empty list.`
  }
  const count = lengthOf(answer.tools)
  if (count === 0) return undefined
  if (count === undefined) {
    return `Its getDomainTools answers with ${kindOf(answer.tools)}. Answer with an empty list.`
  }
  return `It brings tools (${count}). Give them to the agent when it is composed, and answer with an empty list.`
}

/** The length of a list, undefined for anything else. Never throws. */
function lengthOf(value: unknown): number | undefined {
  try {
    return Array.isArray(value) ? Number(value.length) : undefined
  } catch {
    return undefined
  }
}

function thrownBy(answer: ToolsAnswer): unknown {
  return answer.kind === 'threw' ? answer.error : undefined
}

function reasonFor(code: RefusalReasonCode, name: string, what: string): RefusalReason {
  return { code, message: `Plugin '${name}' was refused. ${what}` }
}

const noTools: ToolsAnswer = Object.freeze({ kind: 'listed', tools: Object.freeze([]) })
const tooLate = 'It arrived after the agent was compiled. Load it before the first turn.'
const taken = 'A loaded plugin has the same name. Give it another.'

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
