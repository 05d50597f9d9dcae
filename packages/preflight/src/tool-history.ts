import { PreflightError } from './errors.ts'
import { kindOf } from './kind-of.ts'

/** What of a conversation matters here, oldest first: who spoke, and how each tool call ended. */
export type HistoryEntry =
  /** The user said something: a new turn begins. */
  | { readonly type: 'user' }
  /** A tool call came back. `failed` is true for an error, a refusal or a denial. */
  | { readonly type: 'tool-result'; readonly toolName: string; readonly failed: boolean }

/**
 * The tools that have been called this turn: since the last user entry, and successfully.
 *
 * An entry that cannot be read counts as nothing, so that it cannot satisfy a rule: a result
 * counts only when `failed` is exactly `false`.
 *
 * @returns A new set; the caller may add to it as calls succeed.
 * @throws PreflightError `PREFLIGHT_HISTORY_UNREADABLE` when `history` cannot be iterated.
 * @see DESIGN decision 6
 */
export function toolsCalledThisTurn(history: Iterable<HistoryEntry>): Set<string> {
  if (typeof history?.[Symbol.iterator] !== 'function') {
    throw new PreflightError(
      'PREFLIGHT_HISTORY_UNREADABLE',
      `A turn's history must be iterable, got ${kindOf(history)}. Pass a list of entries, oldest ` +
        'first; [] when nothing has happened yet.',
      { details: { received: kindOf(history) } },
    )
  }
  const called = new Set<string>()
  for (const entry of history) {
    if (entry?.type === 'user') called.clear()
    else if (entry?.type === 'tool-result' && entry.failed === false && isName(entry.toolName)) {
      called.add(entry.toolName)
    }
  }
  return called
}

/**
 * Whether the record says, beyond doubt, that this tool has been called.
 *
 * @returns false for a record that is missing, malformed or throws: doubt never satisfies a rule.
 */
export function wasCalled(called: ReadonlySet<string>, toolName: string): boolean {
  try {
    return called.has(toolName) === true
  } catch {
    return false
  }
}

/** Whether a value can be the name of a tool. */
export function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
