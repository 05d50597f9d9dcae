import { PluginError } from './errors.ts'
import { kindOf, printable } from './printable.ts'

/**
 * What a plugin reads while it renders: four keys that are always there, and whatever else the host
 * has. Plugins are shared by concurrent runs, so this is the only way per-turn input reaches them
 * (PLUG-11..15).
 */
export interface RenderState {
  /** The active tenant; `''` for none. */
  readonly TENANT_ID: string
  /** The tenant's namespace or sub-tenant; `''` for none. */
  readonly NAMESPACE: string
  /** The domain of the agent; `''` for none. */
  readonly DOMAIN_NAME: string
  /** What the user said this turn; `''` when there is nothing, never null and never missing. */
  readonly QUERY: string
  /** Further keys differ by host and strategy: read them with a default (PLUG-14). */
  readonly [key: string]: unknown
}

/** Whose turn it is and what was said. All of it may be absent. */
export interface RenderContext {
  readonly tenantId?: string | null | undefined
  readonly namespace?: string | null | undefined
  readonly domainName?: string | null | undefined
  readonly query?: string | null | undefined
  /** Further keys of the state, UPPER_SNAKE. They cannot replace the four. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined
}

/**
 * Builds the state of one turn. The state is frozen, the values in `extra` are passed on as they are.
 *
 * @throws PluginError `PLUGIN_RENDER_STATE_INVALID` for a context that is no object, cannot be read or
 * has a key that nobody knows, for one of the four that is there and no text, and for an `extra` that
 * is no object. `details.key` names it.
 */
export function buildRenderState(context: RenderContext = {}): RenderState {
  if (typeof context !== 'object' || context === null) {
    throw invalid('context', `is ${kindOf(context)}. Give an object.`)
  }
  try {
    // A misspelt tenant would be none without a word.
    for (const key of Object.keys(context)) if (!keys.includes(key)) throw unknownKey(key)
    const { extra, tenantId, namespace, domainName, query } = context
    if (extra !== undefined && kindOf(extra) !== 'an object') {
      throw invalid('extra', `is ${kindOf(extra)}. Give an object, or leave it out.`)
    }
    return Object.freeze({
      ...extra,
      TENANT_ID: textOf('tenantId', tenantId),
      NAMESPACE: textOf('namespace', namespace),
      DOMAIN_NAME: textOf('domainName', domainName),
      QUERY: textOf('query', query),
    })
  } catch (cause) {
    if (cause instanceof PluginError) throw cause
    throw invalid('context', 'threw while it was read. Give plain values.', { cause })
  }
}

const keys: readonly string[] = [
  'tenantId',
  'namespace',
  'domainName',
  'query',
  'extra',
] satisfies (keyof RenderContext)[]

function unknownKey(key: string): PluginError {
  const shown = printable(key, 60)
  return invalid(key, `is not known. Give only ${keys.join(', ')}.`, { shown })
}

function textOf(key: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  throw invalid(key, `is ${kindOf(value)}. Give a text, or leave it out.`)
}

function invalid(
  key: string,
  what: string,
  { shown = key, ...about }: { cause?: unknown; shown?: string } = {},
): PluginError {
  const message = `The ${shown} of a render state ${what}`
  return new PluginError('PLUGIN_RENDER_STATE_INVALID', message, { details: { key }, ...about })
}
