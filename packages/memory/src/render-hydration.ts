import type { StoredEntry } from './entry.ts'
import type { Hydration } from './hydrate.ts'
import { type RenderRecalledOptions, renderRecalled } from './render-recalled.ts'

/** How a hydration is rendered, beside the bounds of `renderRecalled`. */
export interface RenderHydrationOptions extends RenderRecalledOptions {
  /**
   * Whether the tail of the conversation is rendered, too. Default false: a host that sends the
   * conversation itself would say it twice.
   */
  readonly showWorking?: boolean
}

/**
 * What memory has for a turn as one block of data for the volatile part of the prompt (L2): intentions
 * that have come due, then what was recalled, each entry once, within the bounds of `renderRecalled`.
 *
 * @returns `''` where there is nothing.
 */
export function renderHydration(
  { items, due, working }: Hydration,
  { showWorking = false, ...options }: RenderHydrationOptions = {},
): string {
  const shown = new Map<string, StoredEntry>()
  for (const entry of [...due, ...items, ...(showWorking ? working : [])]) {
    // An id alone would not do: what was inherited comes from another partition.
    const key = JSON.stringify([entry.id, entry.content])
    if (!shown.has(key)) shown.set(key, entry)
  }
  return renderRecalled([...shown.values()], options).text
}
