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
 * @throws PluginError `PLUGIN_NOT_A_PLUGIN` for a source of neither kind, as a lone plugin is, and for a list with
 * something in it that is no plugin; `PLUGIN_NAME_TAKEN` for a list with one name twice.
 */
export function readerOf(source: PluginSource): () => LivePlugins {
  if (Array.isArray(source)) {
    const loaded = Object.freeze(Array.from(source, requirePlugin))
    refuseSameNames(loaded)
    const plugins = Object.freeze({ loaded, quarantined: Object.freeze([]) })
    return () => plugins
  }
  if (isRoster(source)) {
    const roster = source
    return () => ({ loaded: [...roster.loaded], quarantined: [...roster.quarantined] })
  }
  const message = `The plugins are ${kindOf(source)}. Give a list of plugins, or a roster with "loaded" and "quarantined".`
  throw new PluginError('PLUGIN_NOT_A_PLUGIN', message, { details: { faults: [message] } })
}

/** Told by what it has, not by what that is: it may not be readable now. A lone plugin has neither. */
function isRoster(source: unknown): source is LivePlugins {
  if (typeof source !== 'object' || source === null) return false
  return 'loaded' in source && 'quarantined' in source
}

/** Neither a decision nor a heading could tell two plugins of one name apart. */
function refuseSameNames(plugins: readonly DomainPlugin[]): void {
  const places = new Map<string, number>()
  for (const [place, { name }] of plugins.entries()) {
    const earlier = places.get(name)
    if (earlier !== undefined) {
      const message = `plugins[${earlier}] and plugins[${place}] are both called "${name}". Give one of them another name.`
      const details = { name, positions: Object.freeze([earlier, place]) }
      throw new PluginError('PLUGIN_NAME_TAKEN', message, { details })
    }
    places.set(name, place)
  }
}
