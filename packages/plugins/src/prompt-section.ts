import { type CacheTtl, isCacheTtl, strongestCacheTtl } from './cache-ttl.ts'
import { checkOptions, type OptionKind } from './check-options.ts'
import { type CollectOptions, collectContributions, type PlacedContribution } from './collect.ts'
import { PluginError } from './errors.ts'
import { type DomainPlugin, requirePlugin } from './plugin.ts'
import { joinLayers, renderLayers } from './render.ts'
import type { RenderState } from './render-state.ts'
import { requireTimeLimit } from './time-limit.ts'
import { createOnceLatch } from './warn-once.ts'

/** The text of all plugins as one section of a prompt builder (PLUG-29..43). */
export interface PluginPromptSection {
  readonly name: string
  /** false: its failure is never fatal. */
  readonly required: boolean
  /** Lower renders earlier. 15 is after the core context and before memory (PLUG-30). */
  readonly priority: number
  /** Whether a cache breakpoint stands behind it: domain rules are stable within a session. */
  readonly cacheBreakpoint: boolean
  /** The lifetime given to the section itself; see `resolveCacheTtl`. */
  readonly cacheTtl: CacheTtl | undefined
  /** What the last render collected, whoever asked for it; empty before the first (PLUG-40). */
  readonly lastContributions: readonly PlacedContribution[]
  /**
   * Adds a plugin behind those that are there (PLUG-32).
   *
   * @throws PluginError `PLUGIN_NOT_A_PLUGIN`; nothing is added then.
   */
  addPlugin(plugin: DomainPlugin): void
  /** All contributions in one ordered list: what a prompt with layers is built from. Never rejects. */
  renderContributions(
    state: RenderState,
    options?: Pick<CollectOptions, 'signal'>,
  ): Promise<readonly PlacedContribution[]>
  /** The same as one text, volatile text last; `''` when nothing was produced. Never rejects. */
  render(state: RenderState, options?: Pick<CollectOptions, 'signal'>): Promise<string>
  /**
   * The lifetime of the section's breakpoint, asked after a render: the section's own, or else the
   * strongest that a contribution asks for (PLUG-41..43, LO-16).
   *
   * @param contributions - Default `lastContributions`. Pass those of your own render where several
   * turns share the section.
   */
  resolveCacheTtl(contributions?: readonly PlacedContribution[]): CacheTtl | undefined
}

/** How a section differs from the default. */
export interface PluginPromptSectionOptions extends Pick<CollectOptions, 'logger' | 'timeLimitMs'> {
  /** Default `Domain Plugin`. */
  readonly name?: string | undefined
  /** Default 15. */
  readonly priority?: number | undefined
  /** Default true. */
  readonly cacheBreakpoint?: boolean | undefined
  /** Default: none, so that the contributions decide. */
  readonly cacheTtl?: CacheTtl | null | undefined
}

/**
 * A section without plugins. Its once-only reports close per plugin and section (PLUG-38).
 *
 * @throws PluginError `PLUGIN_OPTION_INVALID` for options that are unknown or of the wrong type.
 */
export function createPluginPromptSection(
  options: PluginPromptSectionOptions = {},
): PluginPromptSection {
  checkOptions('createPluginPromptSection', options, optionKinds)
  const { name = 'Domain Plugin', priority = 15, cacheBreakpoint = true, logger } = options
  const cacheTtl = requireCacheTtl(options.cacheTtl)
  const { timeLimitMs } = options
  requireTimeLimit(timeLimitMs)
  const latch = createOnceLatch()
  let plugins: readonly DomainPlugin[] = []
  let last: readonly PlacedContribution[] = Object.freeze([])

  return Object.freeze({
    name,
    required: false,
    priority,
    cacheBreakpoint,
    cacheTtl,
    get lastContributions() {
      return last
    },
    addPlugin: (plugin: DomainPlugin) => {
      plugins = [...plugins, requirePlugin(plugin)]
    },
    renderContributions,
    render: async (state: RenderState, about?: Pick<CollectOptions, 'signal'>) =>
      joinLayers(renderLayers(await renderContributions(state, about))),
    resolveCacheTtl: (contributions = last) => cacheTtl ?? strongestCacheTtl(contributions),
  })

  async function renderContributions(
    state: RenderState,
    { signal }: Pick<CollectOptions, 'signal'> = {},
  ): Promise<readonly PlacedContribution[]> {
    last = await collectContributions(plugins, state, { logger, latch, timeLimitMs, signal })
    return last
  }
}

const optionKinds: Readonly<Record<keyof PluginPromptSectionOptions, OptionKind>> = {
  logger: 'logger',
  timeLimitMs: 'checked later',
  name: 'text',
  priority: 'number',
  cacheBreakpoint: 'flag',
  cacheTtl: 'checked later',
}

/**
 * A lifetime given as an option; null and undefined are none.
 *
 * @throws PluginError `PLUGIN_OPTION_INVALID` for anything else.
 */
export function requireCacheTtl(value: unknown): CacheTtl | undefined {
  if (value === undefined || value === null) return undefined
  if (isCacheTtl(value)) return value
  throw new PluginError(
    'PLUGIN_OPTION_INVALID',
    'cacheTtl is no known lifetime. Write "5m" or "1h", or leave it out.',
    { details: { option: 'cacheTtl' } },
  )
}
