/**
 * Closes once for each plugin and cause: true the first time a pair is seen, false ever after. Plugins
 * are told apart by identity, and are not kept alive by it.
 *
 * @see PLUG-38, PLUG-39, CONFLICT-16
 */
export type OnceLatch = (plugin: object, cause: string) => boolean

/** A latch of its own, with nothing seen yet. */
export function createOnceLatch(): OnceLatch {
  const seen = new WeakMap<object, Set<string>>()
  return (plugin, cause) => {
    const causes = seen.get(plugin)
    if (causes === undefined) seen.set(plugin, new Set([cause]))
    else if (causes.has(cause)) return false
    else causes.add(cause)
    return true
  }
}
