import {
  buildRenderState,
  collectContributions,
  createGuard,
  createOnceLatch,
  createPluginPromptSection,
  describeGuardRefusal,
  type GuardContext,
  type GuardDecision,
  guardRequestFor,
  type LeftOutPlugin,
  type LivePlugins,
  PluginError,
  type PluginSource,
  type RenderedLayer,
  type RenderedLayers,
  renderLayers,
} from '@symfonic/plugins'
import type {
  AgentView,
  CacheTtl,
  Capability,
  ProposedCall,
  SectionPieces,
  TurnView,
} from './capability.ts'

/** How plugins take part in a turn. Only `plugins` is required. */
export interface PluginsOptions {
  /**
   * A list, fixed from now on; or a roster, which is read at each turn and each call and is sealed
   * when the kernel is composed (PLUG-54, PLUG-55, CONFLICT-09).
   */
  readonly plugins: PluginSource
  /**
   * Milliseconds for each hook of each plugin. A guard that takes longer denies. Default 10,000. The
   * kernel's `limits.toolTimeoutMs` holds for all plugins together, also beside `Infinity`: whoever has
   * not answered by then denies or is left out, by name, and nobody is asked after that.
   */
  readonly timeLimitMs?: number
  /** As a section's, in L1 and L2. Default 15: behind the core context, in front of memory (PLUG-30). */
  readonly priority?: number
  /** Should a cached prefix be able to end behind the plugins' text? Default true (PLUG-29). */
  readonly cacheBreakpoint?: boolean
  /** Lifetime of that marker. Default: the longest that a contribution asks for (PLUG-41, PLUG-42). */
  readonly cacheTtl?: CacheTtl
  /** Further keys of the state that plugins render from, UPPER_SNAKE (PLUG-14). */
  readonly renderState?: (view: TurnView) => Readonly<Record<string, unknown>>
  /**
   * What guards are told beside the call: a record of plain data, or undefined for the default: scope,
   * session, run and query. One that throws, or gives anything else, denies: guards cannot be asked then.
   */
  readonly guardContext?: (
    view: TurnView,
    call: ProposedCall,
  ) => GuardContext | undefined | PromiseLike<GuardContext | undefined>
  /** Told of every decision of a guard as it is made. */
  readonly onDecision?: (decision: GuardDecision) => void
}

/** What the plugins have to say in one turn, and who of them has failed to. */
interface RenderedPlugins {
  readonly layers: RenderedLayers
  readonly leftOut: readonly LeftOutPlugin[]
}

const optionNames: readonly string[] = [
  'plugins',
  'timeLimitMs',
  'priority',
  'cacheBreakpoint',
  'cacheTtl',
  'renderState',
  'guardContext',
  'onDecision',
] satisfies (keyof PluginsOptions)[]

const defaultTimeLimitMs = 10_000

/**
 * Plugins for a kernel: their cached text in L1, their volatile text in L2, and their guards asked
 * about every tool call once the gates have allowed it, whatever the route (PLUG-16, PLUG-57). The
 * outcome does not depend on their order. Without plugins nothing is rendered and everything is
 * allowed (PLUG-66). Kernels may share one; each gets its own reports.
 *
 * @throws PluginError `PLUGIN_NOT_A_PLUGIN`, `PLUGIN_NAME_TAKEN`, `PLUGIN_OPTION_INVALID`.
 */
export function withPlugins(options: PluginsOptions): Capability {
  checkOptions(options)
  const { plugins, timeLimitMs = defaultTimeLimitMs, onDecision, cacheTtl } = options
  const { priority, cacheBreakpoint } = options
  // Asked for what it says about itself: its defaults are ours, and it refuses what they may not be.
  const section = createPluginPromptSection({ priority, cacheBreakpoint, cacheTtl })
  // Refuses what is malformed now, and not at the first turn.
  createGuard(plugins, { timeLimitMs, onDecision })
  const live = asRoster(plugins)
  const kernels = new WeakMap<AgentView, ReturnType<typeof partOf>>()

  /** What remembers whom it has warned about belongs to one kernel, like the log it writes to. */
  const partOf = ({ logger }: TurnView) => ({
    guard: createGuard(live, { timeLimitMs, onDecision, logger }),
    latch: createOnceLatch(),
  })
  // Both sections of a turn are rendered with one view, and the plugins are asked once for it.
  const rendered = new WeakMap<TurnView, Promise<RenderedPlugins>>()

  const ofKernel = (view: TurnView) => {
    const known = kernels.get(view.agent)
    if (known !== undefined) return known
    const part = partOf(view)
    kernels.set(view.agent, part)
    return part
  }

  const renderOnce = (view: TurnView) => {
    const known = rendered.get(view)
    if (known !== undefined) return known
    const all = renderAll(view)
    rendered.set(view, all)
    return all
  }

  async function renderAll(view: TurnView): Promise<RenderedPlugins> {
    const state = renderStateOf(view, options.renderState?.(view))
    const { latch } = ofKernel(view)
    const { signal } = view
    const leftOut: LeftOutPlugin[] = []
    const contributions = await collectContributions([...live.loaded], state, {
      ...{ logger: view.logger, latch, timeLimitMs, signal },
      onLeftOut: (plugin) => leftOut.push(plugin),
    })
    return { layers: renderLayers(contributions), leftOut }
  }

  const judgeWith = (view: TurnView) => async (call: ProposedCall) => {
    const context = () => contextFrom(options.guardContext?.(view, call), view)
    const { guard } = ofKernel(view)
    const outcome = await guard(guardRequestFor(call, { context, signal: view.signal }))
    if (outcome.allowed) return { allowed: true as const }
    const { verdict, policies, decisions } = outcome
    return {
      allowed: false as const,
      message: describeGuardRefusal(call.toolName, outcome),
      details: { verdict, policies, decisions },
    }
  }

  const about = { name: section.name, priority: section.priority }
  return Object.freeze({
    name: 'plugins',
    sections: [
      {
        ...about,
        layer: 'L1' as const,
        cacheBreakpoint: section.cacheBreakpoint,
        render: async (view: TurnView) => {
          const { layers, leftOut } = await renderOnce(view)
          // Named once, and here: nobody knows where the missing text would have gone.
          return { ...toPieces(layers.cached, cacheTtl), leftOut }
        },
      },
      {
        ...about,
        layer: 'L2' as const,
        render: async (view: TurnView) => toPieces((await renderOnce(view)).layers.volatile),
      },
    ],
    guard: judgeWith,
    onCompose: () => {
      if (isSealable(plugins)) plugins.seal()
    },
  })
}

/** Names nobody knows, and functions that are none. The rest is refused by whoever reads it. */
function checkOptions(options: PluginsOptions): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalid('options', 'withPlugins has no options. Give at least { plugins }.')
  }
  for (const name of Object.keys(options)) {
    if (optionNames.includes(name)) continue
    const known = optionNames.join(', ')
    throw invalid(name, `withPlugins has no option "${name}". Give only ${known}.`, optionNames)
  }
  for (const name of ['renderState', 'guardContext'] as const) {
    const given: unknown = options[name]
    if (given === undefined || typeof given === 'function') continue
    throw invalid(name, `${name} is no function. Give one, or leave it out.`)
  }
}

function invalid(option: string, message: string, known?: readonly string[]): PluginError {
  const details = { option, ...(known && { known }) }
  return new PluginError('PLUGIN_OPTION_INVALID', message, { details })
}

/** A list is copied now, so that no plugin can come or go later. */
function asRoster(source: PluginSource): LivePlugins {
  if (!Array.isArray(source)) return source as LivePlugins
  return { loaded: Object.freeze([...source]), quarantined: Object.freeze([]) }
}

function renderStateOf(view: TurnView, more: Readonly<Record<string, unknown>> | undefined) {
  const { agent, hydrated, query, scope } = view
  return buildRenderState({
    tenantId: scope?.tenantId,
    namespace: scope?.namespace,
    domainName: agent.domain.name,
    query,
    extra: {
      USER_ID: scope?.userId ?? '',
      TOOL_MANIFEST: agent.toolManifest.join('\n'),
      ACTIVE_TOOLS: agent.tools,
      HYDRATED_CONTEXT: hydrated,
      MEMORY_CONTEXT: hydrated,
      DOMAIN_DESCRIPTION: agent.domain.description,
      CURRENT_TIMESTAMP: new Date().toISOString(),
      ...more,
    },
  })
}

function toPieces({ pieces, cacheTtl }: RenderedLayer, own?: CacheTtl): SectionPieces {
  return { pieces, cacheTtl: own ?? cacheTtl }
}

type FoundContext = ReturnType<NonNullable<PluginsOptions['guardContext']>>

/** The default where the host says nothing, at once or promised. At once where it can be: waiting costs a timer. */
function contextFrom(
  found: FoundContext,
  { runId, sessionId, scope, query }: TurnView,
): GuardContext | PromiseLike<GuardContext> {
  const orDefault = (context: GuardContext | undefined) =>
    context === undefined ? { runId, sessionId, scope, query } : context
  const isPromised = typeof (found as PromiseLike<unknown> | null | undefined)?.then === 'function'
  return isPromised
    ? Promise.resolve(found).then(orDefault)
    : orDefault(found as GuardContext | undefined)
}

function isSealable(source: PluginSource): source is LivePlugins & { seal(): void } {
  return 'seal' in source && typeof source.seal === 'function'
}
