import { PluginError } from './errors.ts'
import { type DomainPlugin, requirePlugin } from './plugin.ts'
import { kindOf } from './printable.ts'

/** The plugins as they are now. A roster from `createPluginRoster` is one. */
export interface LivePlugins {
  /** Admitted plugins, in the order of their registration. */
  readonly loaded: readonly DomainPlugin[]
  /** Refused plugins, which keep their veto and nothing else. */
  readonly quarantined: readonly DomainPlugin[]
}

/** A fixed list of plugins, or a roster, which is read anew each time (PLUG-55). */
export type PluginSource = readonly DomainPlugin[] | LivePlugins

/**
 * How to read a source. A list is checked and copied now, so that nothing done to it later can take a
 * guard away; a roster is read each time.
 *
 * @throws PluginError `PLUGIN_NOT_A_PLUGIN` for a source of neither kind, and for a list with
 * something in it that is no plugin.
 */
export function readerOf(source: PluginSource): () => LivePlugins {
  if (Array.isArray(source)) {
    const loaded = Object.freeze(source.map(requirePlugin))
    const plugins = Object.freeze({ loaded, quarantined: Object.freeze([]) })
    return () => plugins
  }
  if (typeof source === 'object' && source !== null) {
    const roster = source as LivePlugins
    return () => ({ loaded: [...roster.loaded], quarantined: [...roster.quarantined] })
  }
  const message = `The plugins are ${kindOf(source)}. Give a list of plugins or a roster.`
  throw new PluginError('PLUGIN_NOT_A_PLUGIN', message, { details: { faults: [message] } })
}
