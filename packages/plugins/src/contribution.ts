import { type CacheTtl, isCacheTtl } from './cache-ttl.ts'
import { PluginError, type PluginErrorCode } from './errors.ts'
import { kindOf, printable } from './printable.ts'

/**
 * Where text goes: `cached` is the prefix that keeps its bytes (L1), `volatile` the suffix of one
 * turn (L2), and `kernel` is reserved: it is accepted and collected as `cached` (PLUG-21, PLUG-22).
 */
export type ContributionPosition = 'cached' | 'volatile' | 'kernel'

/** A contribution as a plugin writes it. Only `content` is needed (PLUG-17). */
export interface ContributionSource {
  /** The text. An empty one is skipped, header and all (PLUG-20). */
  readonly content: string
  /** Default `cached`. */
  readonly position?: ContributionPosition | undefined
  /** Lower comes first within its position, whoever wrote it; may be negative. Default 100. */
  readonly order?: number | undefined
  /** `''` for no header, any other text verbatim. Default: `### <plugin>` once a group (PLUG-24). */
  readonly header?: string | null | undefined
  /** Filled in when contributions are collected; what a plugin writes here is replaced (PLUG-26). */
  readonly origin?: string | null | undefined
  /** How long the cached prefix should live. Default: no wish. */
  readonly cacheTtl?: CacheTtl | null | undefined
}

/** A piece of prompt: checked, complete and frozen. */
export interface PluginContribution {
  readonly content: string
  readonly position: ContributionPosition
  readonly order: number
  /** undefined leaves the header to the renderer. */
  readonly header: string | undefined
  /** Name of the plugin it came from; undefined until it is collected. */
  readonly origin: string | undefined
  readonly cacheTtl: CacheTtl | undefined
}

/**
 * Makes a contribution. Each value of the source is read once.
 *
 * @throws PluginError `PLUGIN_CONTRIBUTION_TYPE` for content that is no text and other wrong types,
 * `PLUGIN_CONTRIBUTION_VALUE` for an unknown key, position or lifetime and an order that cannot be sorted,
 * `PLUGIN_CONTRIBUTION_UNREADABLE` when the source throws.
 * @see PLUG-17..19, OPEN-PLUG-5, ERR-10
 */
export function defineContribution(source: ContributionSource): PluginContribution {
  return isDefined(source) ? source : remember(readContribution(source))
}

/**
 * The same contribution under another origin, as a copy; the original keeps its own (PLUG-27).
 *
 * @throws PluginError as `defineContribution`.
 */
export function withOrigin(contribution: PluginContribution, origin: string): PluginContribution {
  return remember({ ...defineContribution(contribution), origin: requireText('origin', origin) })
}

/** Whether a value was made here: frozen, checked, and never in need of being read again. */
export function isDefined(value: unknown): value is PluginContribution {
  return typeof value === 'object' && value !== null && made.has(value)
}

/** The checked values of a source, as a plain object. @throws As `defineContribution`. */
export function readContribution(source: ContributionSource): PluginContribution {
  const kind = kindOf(source)
  if (kind !== 'an object') {
    const message = `A contribution is ${kind}. Give an object with "content".`
    throw new PluginError('PLUGIN_CONTRIBUTION_TYPE', message)
  }
  const { content, position, order, header, origin, cacheTtl } = valuesOf(source)
  return {
    content: requireText('content', content),
    position: requirePosition(position ?? 'cached'),
    order: requireOrder(order ?? 100),
    header: optionalText('header', header),
    origin: optionalText('origin', origin),
    cacheTtl: optionalTtl(cacheTtl),
  }
}

const made = new WeakSet<object>()

function remember(contribution: PluginContribution): PluginContribution {
  made.add(Object.freeze(contribution))
  return contribution
}

function valuesOf(source: ContributionSource): Record<keyof ContributionSource, unknown> {
  try {
    // A misspelt position would put volatile text into the cached prefix without a word.
    for (const key of Object.keys(source)) if (!keys.includes(key)) throw unknownKey(key)
    const { content, position, order, header, origin, cacheTtl } = source
    return { content, position, order, header, origin, cacheTtl }
  } catch (cause) {
    if (cause instanceof PluginError) throw cause
    throw new PluginError(
      'PLUGIN_CONTRIBUTION_UNREADABLE',
      'A contribution threw while it was read. Give an object with plain values.',
      { cause },
    )
  }
}

const keys: readonly string[] = [
  'content',
  'position',
  'order',
  'header',
  'origin',
  'cacheTtl',
] satisfies (keyof ContributionSource)[]

function unknownKey(key: string): PluginError {
  const message = `A contribution has "${printable(key, 60)}", which is not known. Give only ${keys.join(', ')}.`
  return new PluginError('PLUGIN_CONTRIBUTION_VALUE', message, { details: { key } })
}

function requireText(key: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw fault('TYPE', key, `is ${kindOf(value)}. Give a text.`)
}

function optionalText(key: string, value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : requireText(key, value)
}

function requirePosition(value: unknown): ContributionPosition {
  if (value === 'cached' || value === 'volatile' || value === 'kernel') return value
  throw fault('VALUE', 'position', `is ${shown(value)}. Write "cached" or "volatile".`)
}

function requireOrder(value: unknown): number {
  if (typeof value !== 'number') {
    throw fault('TYPE', 'order', `is ${kindOf(value)}. Give a number; lower comes first.`)
  }
  if (Number.isFinite(value)) return value
  throw fault('VALUE', 'order', `is ${value}. Give a finite number; lower comes first.`)
}

function optionalTtl(value: unknown): CacheTtl | undefined {
  if (value === undefined || value === null) return undefined
  if (isCacheTtl(value)) return value
  const kind = typeof value === 'string' ? 'VALUE' : 'TYPE'
  throw fault(kind, 'cacheTtl', `is ${shown(value)}. Write "5m" or "1h", or leave it out.`)
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `"${printable(value, 60)}"` : kindOf(value)
}

function fault(kind: 'TYPE' | 'VALUE', key: string, what: string): PluginError {
  const code: PluginErrorCode =
    kind === 'TYPE' ? 'PLUGIN_CONTRIBUTION_TYPE' : 'PLUGIN_CONTRIBUTION_VALUE'
  return new PluginError(code, `The ${key} of a contribution ${what}`, { details: { key } })
}
