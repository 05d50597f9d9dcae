import type { CacheTtl } from '../cache-ttl.ts'
import { checkOptions, type OptionKind } from '../check-options.ts'
import { type CollectOptions, collectContributions } from '../collect.ts'
import { type PluginSource, readerOf } from '../plugin-source.ts'
import { requireCacheTtl } from '../prompt-section.ts'
import { type RenderedLayer, renderLayers } from '../render.ts'
import { buildRenderState, type RenderContext } from '../render-state.ts'
import { createOnceLatch } from '../warn-once.ts'
import type { Instructions, SystemModelMessage } from './sdk.ts'

/** How plugins become instructions. Everything is optional. */
export interface BuildInstructionsOptions extends Omit<CollectOptions, 'latch'> {
  /** The app's own instructions. They stay in front, as they are. */
  readonly instructions?: Instructions | undefined
  /**
   * Lifetime of the cache marker. Default: the strongest that a contribution asks for (PLUG-41). It is
   * `5m` at most behind a marker of your own instructions that is shorter than `1h`.
   */
  readonly cacheTtl?: CacheTtl | null | undefined
  /** false leaves the cached text unmarked, where the app places its markers itself. Default true. */
  readonly cacheBreakpoint?: boolean | undefined
}

/**
 * The text of plugins as system messages for `instructions`: the cached text with a marker for
 * Anthropic's prompt cache, then the volatile text without one. A position without text has no
 * message. Without a lifetime the marker asks for none, and the provider's default holds. Behind four
 * markers in your own instructions there is none, since Anthropic takes no more. Half a surrogate pair
 * is replaced.
 *
 * Build them once a turn. Instructions carry forward from step to step by themselves.
 *
 * @param context - Whose turn it is and what was said; what the plugins' state is made of.
 * @throws PluginError `PLUGIN_NOT_A_PLUGIN`, `PLUGIN_NAME_TAKEN`, `PLUGIN_RENDER_STATE_INVALID` and
 * `PLUGIN_OPTION_INVALID` for what is malformed. A plugin that fails costs its own text only.
 */
export async function buildInstructions(
  plugins: PluginSource,
  context: RenderContext = {},
  options: BuildInstructionsOptions = {},
): Promise<SystemModelMessage[]> {
  checkOptions('buildInstructions', options, optionKinds)
  const { instructions, cacheTtl, cacheBreakpoint = true, ...collecting } = options
  const ownTtl = requireCacheTtl(cacheTtl)
  const state = buildRenderState(context)
  const { loaded } = readerOf(plugins)()
  const contributions = await collectContributions(loaded, state, { ...collecting, latch })
  const layers = renderLayers(contributions)
  const own = asMessages(instructions)
  const marker = cacheBreakpoint ? markerBehind(own, ownTtl ?? layers.cached.cacheTtl) : {}
  return [...own, ...messageOf(layers.cached, marker), ...messageOf(layers.volatile, {})]
}

const optionKinds: Readonly<Record<keyof BuildInstructionsOptions, OptionKind>> = {
  logger: 'logger',
  timeLimitMs: 'checked later',
  signal: 'signal',
  onLeftOut: 'function',
  instructions: 'instructions',
  cacheTtl: 'checked later',
  cacheBreakpoint: 'flag',
}

/** This function has no instance to keep a latch on, so reports close once per plugin. */
const latch = createOnceLatch()

function messageOf({ text }: RenderedLayer, marker: Partial<SystemModelMessage>) {
  return text === '' ? [] : [{ role: 'system' as const, content: text.toWellFormed(), ...marker }]
}

function markerBehind(
  own: readonly SystemModelMessage[],
  wished: CacheTtl | undefined,
): Partial<SystemModelMessage> {
  const markers = own.flatMap((message) => {
    const { cacheControl, cache_control } = message?.providerOptions?.['anthropic'] ?? {}
    return ((cacheControl ?? cache_control) as { readonly ttl?: unknown } | null | undefined) ?? []
  })
  if (markers.length >= mostMarkers) return {}
  // A longer lifetime behind a shorter one is refused by Anthropic, and the call with it.
  const ttl = wished === '1h' && markers.some((marker) => marker.ttl !== '1h') ? '5m' : wished
  const cacheControl = ttl === undefined ? { type: 'ephemeral' } : { type: 'ephemeral', ttl }
  return { providerOptions: { anthropic: { cacheControl } } }
}

/** Cache markers that Anthropic takes in one call. */
const mostMarkers = 4

function asMessages(instructions: Instructions | undefined): readonly SystemModelMessage[] {
  if (instructions === undefined) return []
  if (typeof instructions !== 'string') {
    return Array.isArray(instructions) ? instructions : [instructions]
  }
  return instructions === '' ? [] : [{ role: 'system', content: instructions }]
}
