import type { LanguageModel } from 'ai'
import { type AfterTurn, createAfterTurn } from './after-turn.ts'
import { type CacheSettings, resolveCache } from './cache/cache-settings.ts'
import { markerOn } from './cache/limit-markers.ts'
import type { AgentView, Capability } from './capability.ts'
import { checkOptions } from './check-options.ts'
import { KernelError } from './errors.ts'
import {
  defaultLimits,
  type KernelOptions,
  type Limits,
  type ModelCallers,
  type PromptOptions,
} from './kernel-options.ts'
import { type Logger, silentLogger } from './logger.ts'
import type { ModelSettings } from './model-caller.ts'
import {
  createPromptAssembler,
  orderSections,
  type PromptAssembler,
} from './prompt/assemble-prompt.ts'
import {
  createHydrateTool,
  hydrateToolName,
  resolveContextStrategy,
} from './prompt/context-strategy.ts'
import { domainSection } from './prompt/domain-section.ts'
import { isFlat } from './prompt/is-flat.ts'
import { createBlockInjector } from './prompt/prompt-blocks.ts'
import type { OwnedSection } from './prompt/render-sections.ts'
import { createTextHash } from './prompt/text-hash.ts'
import { resolveToolManifest, toolManifestSection } from './prompt/tool-manifest.ts'
import { type OwnedStage, type ResponseRenderer, responseStages } from './response-pipeline.ts'
import { generateCaller, streamCaller } from './sdk-model-caller.ts'
import type { OwnedTransform } from './shown-text.ts'
import { createToolRegistry, type ToolRegistry } from './tools.ts'
import type { PatchListener } from './turn-state.ts'

/** Capabilities and options, resolved once into what a turn reads. Frozen. */
export interface Plan {
  readonly id: string | undefined
  readonly model: LanguageModel
  readonly agent: AgentView
  readonly tools: ToolRegistry
  readonly assemblePrompt: PromptAssembler
  /** Those that can look something up; asked live. */
  readonly hydrators: readonly Capability[]
  readonly cache: CacheSettings
  readonly gates: readonly Trait<'gate'>[]
  readonly guards: readonly Trait<'guard'>[]
  readonly rewriters: readonly Trait<'rewriteHistory'>[]
  readonly forcers: readonly Trait<'forcedTool'>[]
  readonly transforms: readonly OwnedTransform[]
  readonly stages: readonly OwnedStage[]
  readonly renderers: readonly ResponseRenderer[]
  readonly limits: Limits
  readonly settings: ModelSettings
  readonly callers: ModelCallers
  readonly logger: Logger
  readonly onStatePatch: PatchListener | undefined
  readonly afterTurn: AfterTurn
}

type TraitName = 'gate' | 'guard' | 'rewriteHistory' | 'forcedTool' | 'transformText'

type Trait<Name extends TraitName> = { readonly capability: string } & Required<
  Pick<Capability, Name>
>

/** One trait of all who declare it, in the order given. */
function traitsOf<Name extends TraitName>(
  capabilities: readonly Capability[],
  name: Name,
): readonly Trait<Name>[] {
  const declaring = capabilities.filter((capability) => capability[name] !== undefined)
  return Object.freeze(
    declaring.map((one) => ({ capability: one.name, [name]: one[name] }) as Trait<Name>),
  )
}

/**
 * Composes a plan.
 *
 * Frozen one level deep and no further: models, tools and capabilities are the host's own objects.
 *
 * @throws KernelError `KERNEL_CONFIGURATION_INVALID`, `KERNEL_TOOL_NAME_TAKEN`.
 */
export function composePlan(options: KernelOptions): Plan {
  checkOptions(options)
  const { capabilities = [], prompt = {}, logger = silentLogger } = options
  const contextStrategy = resolveContextStrategy(prompt)
  const tools = createToolRegistry(options.tools ?? {}, [
    ...capabilities,
    // Registered before the names are taken down, so that the manifest lists it, too (LO-10).
    ...(contextStrategy === 'jit'
      ? [{ name: 'kernel', tools: { [hydrateToolName]: createHydrateTool(capabilities, logger) } }]
      : []),
  ])
  const declared = Array.isArray(prompt.toolManifest) ? prompt.toolManifest : undefined
  const agent: AgentView = Object.freeze({
    domain: Object.freeze({ name: '', description: '', ...withoutUndefined(prompt.domain) }),
    tools: tools.names,
    toolManifest: resolveToolManifest(declared, tools.names),
    contextStrategy,
  })
  const cache = resolveCache(options.cache ?? {}, { model: options.model, logger })
  refuseFifthMarker(options, cache)
  const limits: Limits = Object.freeze({ ...defaultLimits, ...withoutUndefined(options.limits) })
  const plan: Plan = Object.freeze({
    id: options.id,
    model: options.model,
    agent,
    tools,
    assemblePrompt: createPromptAssembler(
      {
        sections: Object.freeze(orderSections(sectionsOf(options, agent))),
        contextStrategy,
        layerMode: prompt.layerMode ?? 'stratigraphic',
        volatilePosition: prompt.volatilePosition ?? 'system',
        kernelVersion: prompt.version,
        cacheTtl: cache.ttl,
        minimumTokens: cache.minimumTokens,
        estimateTokens: cache.estimateTokens,
        timeoutMs: limits.toolTimeoutMs,
      },
      createTextHash(),
    ),
    hydrators: Object.freeze(capabilities.filter((one) => one.hydrate !== undefined)),
    cache,
    gates: traitsOf(capabilities, 'gate'),
    guards: traitsOf(capabilities, 'guard'),
    rewriters: traitsOf(capabilities, 'rewriteHistory'),
    forcers: traitsOf(capabilities, 'forcedTool'),
    transforms: traitsOf(capabilities, 'transformText'),
    stages: Object.freeze(stagesOf(capabilities)),
    renderers: Object.freeze([...(options.onResponseRender ?? [])]),
    limits,
    settings: Object.freeze({ ...options.settings }),
    callers: Object.freeze({
      generate: generateCaller,
      stream: streamCaller,
      ...options.callers,
    }),
    logger,
    onStatePatch: options.onStatePatch,
    afterTurn: createAfterTurn(capabilities, logger),
  })
  warnOfManifest(options, plan)
  for (const capability of capabilities) tellComposed(capability, plan)
  return plan
}

/** One for the whole request is not counted by the provider's package; its service refuses a fifth. */
function refuseFifthMarker({ settings = {} }: KernelOptions, { ttl }: CacheSettings) {
  if (ttl === false || markerOn(settings) === undefined) return
  throw new KernelError(
    'KERNEL_CONFIGURATION_INVALID',
    'settings.providerOptions.anthropic.cacheControl marks whole requests, beside the four markers that the kernel places. Leave it out (cache.messages "rolling" reaches as far), or set cache.ttl to false.',
    { details: { option: 'settings' } },
  )
}

/** What the manifest does not do, said once where the kernel is composed. */
function warnOfManifest({ prompt = {} }: KernelOptions, { agent, logger }: Plan) {
  if (!prompt.toolManifest) return
  const unknown = agent.toolManifest.filter((name) => !agent.tools.includes(name))
  if (unknown.length > 0) {
    logger.warn(
      `the tool manifest lists ${unknown.join(', ')}, which no tool is called: the model would call in vain; leave them out, or add the tools`,
    )
  }
  const missing = agent.tools.filter((name) => !agent.toolManifest.includes(name))
  if (missing.length > 0) {
    logger.warn(
      `the tool manifest does not list ${missing.join(', ')}: the prompt declines tools it offers; list them, or leave the manifest to the kernel`,
    )
  }
  if (prompt.manifestCachePosition === 'volatile' && hasFlatPrompt(prompt, agent)) {
    const why =
      agent.contextStrategy === 'jit' ? 'under the strategy jit' : 'in the layer mode legacy'
    logger.warn(`manifestCachePosition "volatile" does nothing ${why}, where the prompt is flat`)
  }
}

function hasFlatPrompt({ layerMode }: PromptOptions, { contextStrategy }: AgentView): boolean {
  return isFlat({ contextStrategy, layerMode })
}

function tellComposed({ name, onCompose }: Capability, { agent, model, settings, logger }: Plan) {
  try {
    onCompose?.({ agent, model, settings, logger })
  } catch (error) {
    logger.error(`the start-up check of "${name}" failed`, { error })
  }
}

function sectionsOf(
  { instructions = '', capabilities = [], prompt = {} }: KernelOptions,
  agent: AgentView,
): OwnedSection[] {
  const position = hasFlatPrompt(prompt, agent)
    ? 'cached'
    : (prompt.manifestCachePosition ?? 'cached')
  const own: OwnedSection['section'][] = [
    // First in its layer whatever priorities others take.
    {
      name: 'instructions',
      layer: 'L0',
      priority: Number.NEGATIVE_INFINITY,
      render: () => instructions,
    },
    domainSection(agent.domain),
    ...(prompt.toolManifest ? [toolManifestSection(agent.toolManifest, position)] : []),
    { name: 'hydrated-context', layer: 'L2', priority: 40, render: ({ hydrated }) => hydrated },
  ]
  const blocks = createBlockInjector(prompt.blocks ?? [], capabilities)
  const others = capabilities.flatMap(({ name, sections = [] }) =>
    sections.map((section) => ({ section, capability: name })),
  )
  return [
    ...own.map((section) => ({ section, capability: 'kernel' })),
    ...others,
    ...(blocks?.sections ?? []),
  ]
}

function stagesOf(capabilities: readonly Capability[]): OwnedStage[] {
  return responseStages.flatMap((name) =>
    capabilities.flatMap(({ name: capability, stages }) => {
      const stage = stages?.[name]
      return stage ? [{ capability, stage }] : []
    }),
  )
}

function withoutUndefined<Given extends object>(given: Given = {} as Given): Given {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as Given
}
