import type { ContributionSource } from './contribution.ts'
import { PluginError } from './errors.ts'
import { hookNames, isPresent, readHook } from './hook.ts'
import { misspeltHooks } from './misspelt-hooks.ts'
import { describeThrown, kindOf, printable } from './printable.ts'
import type { RenderState } from './render-state.ts'

/**
 * Domain behaviour added from outside: text for the prompt and a say in what may happen. Only the
 * name is required; each hook is looked for when it would be called (PLUG-01, PLUG-08, CONFLICT-10).
 * Other members are the plugin's own business, but a function with almost a hook's name is a fault.
 *
 * One instance serves concurrent runs: what belongs to a turn arrives as an argument (PLUG-15).
 */
export interface DomainPlugin {
  /**
   * Unique among the plugins of an agent, compared letter by letter. One line of at most 200
   * characters without white space at its edges or invisible ones; it becomes a heading of the prompt.
   */
  readonly name: string
  /** Text for one or several positions. Where it exists `injectSystemPrompt` is not called (PLUG-07). */
  injectContributions?(
    state: RenderState,
  ): readonly ContributionSource[] | PromiseLike<readonly ContributionSource[]>
  /** Text for the cached prefix; `''` for none. Supported for good (PLUG-09, PLUG-10). */
  injectSystemPrompt?(state: RenderState): string | PromiseLike<string>
  /**
   * May this happen? Asked before a tool runs or state changes (PLUG-16). Only `true` allows. `false`
   * or a `GuardRefusal` denies. Anything else, a throw, and an answer after the time limit abstain,
   * and an abstention denies (PLUG-60).
   *
   * @param action - The tool's name, or what else is about to happen.
   * @param context - What is known about it, as a copy of the plugin's own: writing to it changes
   * nothing for anybody (PLUG-62).
   */
  validateStateTransition?(
    action: string,
    context: Record<string, unknown>,
    call: GuardCall,
  ): GuardAnswer | PromiseLike<GuardAnswer>
  /**
   * Kept for old plugins (PLUG-05). Anything but an empty list makes admission refuse the plugin,
   * since tools are given where the agent is composed (PLUG-03, PLUG-04).
   */
  getDomainTools?(): readonly unknown[] | PromiseLike<readonly unknown[]>
}

/** What a guard may answer. */
export type GuardAnswer = boolean | GuardRefusal

/** A denial with a reason, for people and for the model. There is no such way to allow. */
export interface GuardRefusal {
  readonly allow: false
  /** One sentence: what stands against it and what to do instead. */
  readonly reason: string
}

/** What a guard is told about being asked. */
export interface GuardCall {
  /** Fires when nobody waits for the answer any more: the run was stopped, or time is up. */
  readonly signal: AbortSignal
}

/** What is wrong with something offered as a plugin; empty when nothing is. Never throws. */
export function faultsOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) {
    return [`It is ${kindOf(value)}. Give an object with a name.`]
  }
  const faults: string[] = []
  if (nameOf(value) === undefined) {
    faults.push(
      'It has no usable name. Give it one line of text, without blanks at its edges or invisible characters.',
    )
  }
  for (const hook of hookNames) {
    const found = readHook(value, hook)
    if ('error' in found) {
      faults.push(`Its ${hook} cannot be read (${describeThrown(found.error)}). Make it a method.`)
    } else if (isPresent(found.hook) && typeof found.hook !== 'function') {
      faults.push(`Its ${hook} is ${kindOf(found.hook)}. Make it a function or leave it out.`)
    }
  }
  return [...faults, ...misspellingsOf(value)]
}

function misspellingsOf(value: object): readonly string[] {
  try {
    return misspeltHooks(value).map(
      ({ member, hook }) =>
        `Its ${printable(member)} is no hook and would never be called. Call it ${hook}, or something else altogether.`,
    )
  } catch (error) {
    return [`Its members cannot be read (${describeThrown(error)}). Give an object with methods.`]
  }
}

/**
 * @param index - Where it stands in a list, for the message. Default: it stands alone.
 * @throws PluginError `PLUGIN_NOT_A_PLUGIN` unless the value is a plugin.
 */
export function requirePlugin(value: unknown, index?: number): DomainPlugin {
  const faults = faultsOf(value)
  if (faults.length === 0) return value as DomainPlugin
  const name = nameOf(value) ?? unnamed
  const who = index === undefined ? `"${name}"` : `plugins[${index}], "${name}",`
  throw new PluginError('PLUGIN_NOT_A_PLUGIN', `${who} is no plugin. ${faults.join(' ')}`, {
    details: { name, faults, ...(index !== undefined && { index }) },
  })
}

/** What stands in for the name of a plugin without a usable one (PLUG-52). */
export const unnamed = 'unknown'

/** The plugin's name if it is usable, else undefined. Never throws. */
export function nameOf(plugin: unknown): string | undefined {
  try {
    const { name } = plugin as { readonly name?: unknown }
    return typeof name === 'string' && isUsable(name) ? name : undefined
  } catch {
    return undefined
  }
}

function isUsable(name: string): boolean {
  return name !== '' && name.length <= 200 && name === name.trim() && !unwritable.test(name)
}

// What breaks a line, and what cannot be seen: two names that look alike must be alike.
const unwritable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u
