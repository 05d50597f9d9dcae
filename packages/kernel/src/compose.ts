import type { LanguageModel } from 'ai'
import type { Capability } from './capability.ts'
import { checkOptions } from './check-options.ts'
import {
  defaultLimits,
  type KernelOptions,
  type Limits,
  type ModelCallers,
} from './kernel-options.ts'
import { type Logger, silentLogger } from './logger.ts'
import type { ModelSettings } from './model-caller.ts'
import { type OwnedSection, orderSections } from './prompt-layers.ts'
import { type OwnedStage, type ResponseRenderer, responseStages } from './response-pipeline.ts'
import { generateCaller, streamCaller } from './sdk-model-caller.ts'
import { createToolRegistry, type ToolRegistry } from './tools.ts'
import type { PatchListener } from './turn-state.ts'

/** Capabilities and options, resolved once into what a turn reads. Frozen. */
export interface Plan {
  readonly id: string | undefined
  readonly model: LanguageModel
  readonly tools: ToolRegistry
  readonly sections: readonly OwnedSection[]
  readonly gates: readonly Trait<'gate'>[]
  readonly forcers: readonly Trait<'forcedTool'>[]
  readonly stages: readonly OwnedStage[]
  readonly renderers: readonly ResponseRenderer[]
  readonly limits: Limits
  readonly settings: ModelSettings
  readonly cacheTtl: '5m' | '1h' | false
  readonly callers: ModelCallers
  readonly logger: Logger
  readonly onStatePatch: PatchListener | undefined
}

type Trait<Name extends 'gate' | 'forcedTool'> = { readonly capability: string } & Required<
  Pick<Capability, Name>
>

/**
 * Composes a plan.
 *
 * Frozen one level deep and no further: models, tools and capabilities are the host's own objects.
 *
 * @throws KernelError `KERNEL_CONFIGURATION_INVALID`, `KERNEL_TOOL_NAME_TAKEN`.
 */
export function composePlan(options: KernelOptions): Plan {
  checkOptions(options)
  const { capabilities = [] } = options
  const plan: Plan = Object.freeze({
    id: options.id,
    model: options.model,
    tools: createToolRegistry(options.tools ?? {}, capabilities),
    sections: Object.freeze(orderSections(sectionsOf(options))),
    gates: Object.freeze(
      capabilities.flatMap(({ name: capability, gate }) => (gate ? [{ capability, gate }] : [])),
    ),
    forcers: Object.freeze(
      capabilities.flatMap(({ name: capability, forcedTool }) =>
        forcedTool ? [{ capability, forcedTool }] : [],
      ),
    ),
    stages: Object.freeze(stagesOf(capabilities)),
    renderers: Object.freeze([...(options.onResponseRender ?? [])]),
    limits: Object.freeze({ ...defaultLimits, ...withoutUndefined(options.limits) }),
    settings: Object.freeze({ ...options.settings }),
    cacheTtl: options.cacheTtl ?? '5m',
    callers: Object.freeze({
      generate: generateCaller,
      stream: streamCaller,
      ...options.callers,
    }),
    logger: options.logger ?? silentLogger,
    onStatePatch: options.onStatePatch,
  })
  for (const capability of capabilities) tellComposed(capability, plan)
  return plan
}

function tellComposed({ name, onCompose }: Capability, { model, settings, logger }: Plan) {
  try {
    onCompose?.({ model, settings, logger })
  } catch (error) {
    logger.error(`the start-up check of "${name}" failed`, { error })
  }
}

function sectionsOf({ instructions = '', capabilities = [] }: KernelOptions): OwnedSection[] {
  const kernelText: OwnedSection = {
    capability: 'kernel',
    // First in its layer whatever priorities others take.
    section: {
      name: 'instructions',
      layer: 'L0',
      priority: Number.NEGATIVE_INFINITY,
      render: () => instructions,
    },
  }
  const others = capabilities.flatMap(({ name, sections = [] }) =>
    sections.map((section) => ({ section, capability: name })),
  )
  return [kernelText, ...others]
}

function stagesOf(capabilities: readonly Capability[]): OwnedStage[] {
  return responseStages.flatMap((name) =>
    capabilities.flatMap(({ name: capability, stages }) => {
      const stage = stages?.[name]
      return stage ? [{ capability, stage }] : []
    }),
  )
}

function withoutUndefined(limits: Partial<Limits> = {}): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
}
