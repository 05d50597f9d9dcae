import { allotMarkers, type MarkerAllotment } from '../cache/allot-markers.ts'
import type { TokenEstimator } from '../cache/estimate-tokens.ts'
import type { CacheTtl, ContextStrategy, PromptLayer, TurnView } from '../capability.ts'
import { joinDefinitions, type ToolDefinition } from '../tool-definitions.ts'
import { isFlat } from './is-flat.ts'
import type {
  LayerReport,
  PromptLayerMode,
  PromptReport,
  RenderFailure,
  SectionReport,
  ToolsReport,
  VolatilePosition,
} from './prompt-report.ts'
import { type OwnedSection, type Rendered, renderSections } from './render-sections.ts'
import { separator } from './separator.ts'
import type { TextHash } from './text-hash.ts'

/** A prompt ready to send. Frozen; the same value comes back as long as nothing has changed. */
export interface AssembledPrompt {
  /** One system message each, in the order of the layers; empty ones are left out. */
  readonly blocks: readonly PromptBlockText[]
  /** Volatile text that is no block, since it goes behind what the user said; `''` for none. */
  readonly tail: string
  readonly allotment: MarkerAllotment
  readonly report: PromptReport
}

/** A stretch of the system prompt that ends where a cached prefix may end. */
export interface PromptBlockText {
  readonly layer: PromptLayer
  readonly text: string
  /** Made of the hashes of its sections. */
  readonly hash: string
  readonly tokens: number
}

/** How the prompts of a kernel are made. */
export interface PromptSettings {
  /** As `orderSections` left them. */
  readonly sections: readonly OwnedSection[]
  readonly contextStrategy: ContextStrategy
  readonly layerMode: PromptLayerMode
  readonly volatilePosition: VolatilePosition
  /** Version of L0. Default: made of its hash. */
  readonly kernelVersion: string | undefined
  /** Lifetime of the cached layers; false for no markers. */
  readonly cacheTtl: CacheTtl | false
  /** Shortest prefix the model caches, in tokens. */
  readonly minimumTokens: number
  readonly estimateTokens: TokenEstimator
  /** Milliseconds a section may take to render. */
  readonly timeoutMs: number
}

/** What a prompt is made of besides its sections. */
export interface PromptSurroundings {
  readonly tools: {
    readonly definitions: readonly ToolDefinition[]
    /** Lifetime that a marker behind them should have; undefined for no marker. */
    readonly ttl: CacheTtl | undefined
  }
  /** Markers that the messages can use. */
  readonly messageMarkers: number
}

/** Assembles the prompts of one kernel. */
export type PromptAssembler = (
  view: TurnView,
  surroundings: PromptSurroundings,
) => Promise<AssembledPrompt>

const layers: readonly PromptLayer[] = ['L0', 'L1', 'L2']
const defaultPriority = 50

/** Sections in the order they are rendered: layer, then priority, then declaration (LO-31, LO-32). */
export function orderSections(sections: readonly OwnedSection[]): readonly OwnedSection[] {
  return [...sections].sort(
    (a, b) =>
      layers.indexOf(a.section.layer) - layers.indexOf(b.section.layer) ||
      (a.section.priority ?? defaultPriority) - (b.section.priority ?? defaultPriority),
  )
}

/**
 * The prompt builder of a kernel: sections into system messages, one a layer, split behind sections
 * that ask for a breakpoint (PROMPT-01, PROMPT-12, OPEN-PROMPT-6). A flat prompt is one message, and
 * is cached only while nothing in it is volatile.
 *
 * A section that throws, takes too long, or gives neither text nor pieces, is left out and reported; if
 * it is required, the turn ends with `KERNEL_SECTION_FAILED`. Warnings about what is in the prompt are
 * logged once for each kernel.
 */
export function createPromptAssembler(settings: PromptSettings, hash: TextHash): PromptAssembler {
  const warned = new Set<string>()
  let known: readonly KnownPrompt[] = []
  const weighed = new WeakMap<readonly ToolDefinition[], WeighedTools>()
  const weigh = (definitions: readonly ToolDefinition[]) => {
    const tools = weighed.get(definitions) ?? weighTools(definitions, settings, hash)
    weighed.set(definitions, tools)
    return tools
  }

  return async (view, surroundings) => {
    const rendered = await renderSections(settings.sections, view, settings.timeoutMs)
    warnOnce(rendered, view, settings, warned)
    // Most turns render what an earlier one did. Comparing texts costs far less than all that follows.
    const of = fingerprint(rendered, surroundings)
    const found = known.find((one) => isSame(one.of, of))
    if (found !== undefined && found === known[0]) return found.prompt
    const next = found ?? { of, prompt: build(rendered, surroundings, weigh, settings, hash) }
    known = [next, ...known.filter((one) => one !== found)].slice(0, mostKnown)
    return next.prompt
  }
}

interface KnownPrompt {
  readonly of: readonly unknown[]
  readonly prompt: AssembledPrompt
}

/** Prompts to recognise: of a few tenants in turn, each has its own. */
const mostKnown = 8

function warnOnce(
  rendered: readonly Rendered[],
  view: TurnView,
  { contextStrategy, estimateTokens }: PromptSettings,
  warned: Set<string>,
): void {
  const warn = (key: string, message: string) => {
    if (warned.has(key)) return
    warned.add(key)
    view.logger.warn(message)
  }
  for (const { owned, text } of rendered) {
    if (text === '') continue
    const { name, layer, budgetTokens } = owned.section
    const who = `prompt section "${name}" of "${owned.capability}"`
    if (budgetTokens !== undefined && estimateTokens(text) > budgetTokens) {
      warn(
        `budget ${owned.capability} ${name}`,
        `${who} has about ${estimateTokens(text)} tokens and a budget of ${budgetTokens}; shorten it, or raise the budget`,
      )
    }
    if (layer === 'L2' && contextStrategy === 'jit') {
      warn(
        'volatile in a flat prompt',
        `${who} is volatile and the prompt is flat under the strategy jit: none of it is cached; use the strategy stratified, or drop the text`,
      )
    }
  }
}

/** Everything a prompt depends on, in a list that can be compared item by item. */
function fingerprint(
  rendered: readonly Rendered[],
  { tools, messageMarkers }: PromptSurroundings,
): readonly unknown[] {
  const parts: unknown[] = [tools.definitions, tools.ttl, messageMarkers]
  for (const { text, pieces, cacheTtl, reason, leftOut } of rendered) {
    parts.push(text, cacheTtl, reason, pieces.length)
    for (const { origin, text: piece } of pieces) parts.push(origin, piece.length)
    for (const missing of leftOut) parts.push(missing.origin, missing.reason)
  }
  return parts
}

/** From the end, where what changes from turn to turn stands. */
function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  for (let index = a.length - 1; index >= 0; index -= 1) if (a[index] !== b[index]) return false
  return true
}

function build(
  rendered: readonly Rendered[],
  { tools, messageMarkers }: PromptSurroundings,
  weigh: (definitions: readonly ToolDefinition[]) => WeighedTools,
  settings: PromptSettings,
  hash: TextHash,
): AssembledPrompt {
  const { contextStrategy, cacheTtl, estimateTokens, minimumTokens } = settings
  const hasRegions = !isFlat(settings)
  const present = rendered.filter(({ text }) => text !== '')
  const isApart = hasRegions && settings.volatilePosition === 'user'
  const [apart, inBlocks] = isApart ? splitVolatile(present) : [[], present]
  const stretches = hasRegions ? stratified(inBlocks) : flat(inBlocks)
  const blocks = stretches.map(
    (parts): PromptBlockText & { readonly ttl: CacheTtl | undefined } => {
      const text = parts.map((part) => part.text).join(separator)
      return Object.freeze({
        layer: layerOf(parts),
        text,
        hash: hashTogether(parts, hash),
        tokens: estimateTokens(text),
        ttl: cacheTtl === false ? undefined : ttlOf(parts, cacheTtl),
      })
    },
  )
  const weighed = weigh(tools.definitions)
  const allotment = allotMarkers(blocks, {
    tools: tools.ttl === undefined ? undefined : { tokens: weighed.tokens, ttl: tools.ttl },
    messages: messageMarkers,
    minimumTokens,
  })
  const marks = new Map(
    stretches.map((parts, index) => [parts.at(-1)?.owned, allotment.blocks[index]]),
  )
  const reports = layers.flatMap((layer) => {
    const parts = present.filter(({ owned }) => owned.section.layer === layer)
    return parts.length === 0 ? [] : [reportLayer(layer, parts, marks, estimateTokens, hash)]
  })
  const hashOf = (layer: PromptLayer) => reports.find((one) => one.layer === layer)?.hash
  const kernelHash = hashOf('L0')
  return Object.freeze({
    blocks: Object.freeze(blocks),
    tail: apart.map(({ text }) => text).join(separator),
    allotment,
    report: Object.freeze({
      contextStrategy,
      layerMode: hasRegions ? 'stratigraphic' : 'legacy',
      kernelVersion: hasRegions
        ? (settings.kernelVersion ?? (kernelHash && `sha256-${kernelHash.slice(0, 12)}`))
        : undefined,
      prefixHash: hasRegions ? hashOf('L1') : undefined,
      tools: Object.freeze({ ...weighed, marker: allotment.tools }),
      layers: Object.freeze(reports),
      failed: Object.freeze(rendered.flatMap(failuresOf)),
    } satisfies PromptReport),
  })
}

/** The tools of a report, but for their marker. */
type WeighedTools = Omit<ToolsReport, 'marker'>

function weighTools(
  definitions: readonly ToolDefinition[],
  { estimateTokens }: PromptSettings,
  hash: TextHash,
): WeighedTools {
  const text = joinDefinitions(definitions)
  const reports = definitions.map((one) => Object.freeze({ ...one, hash: hash(one.text).hash }))
  return {
    names: Object.freeze(definitions.map(({ name }) => name)),
    chars: text.length,
    tokens: estimateTokens(text),
    hash: hash(text).hash,
    definitions: Object.freeze(reports),
  }
}

function failuresOf({ owned, reason, leftOut }: Rendered): readonly RenderFailure[] {
  const { name: section, layer } = owned.section
  const { capability } = owned
  const whole = reason === undefined ? [] : [{ origin: undefined, reason }]
  return [...whole, ...leftOut].map(({ origin, reason }) =>
    Object.freeze({ layer, section, capability, origin, reason }),
  )
}

/** What is volatile, and the rest. */
function splitVolatile(present: readonly Rendered[]): [Rendered[], Rendered[]] {
  const isVolatile = ({ owned }: Rendered) => owned.section.layer === 'L2'
  return [present.filter(isVolatile), present.filter((part) => !isVolatile(part))]
}

/** One stretch a layer, and one more for each section within L0 and L1 that ends with a breakpoint. */
function stratified(present: readonly Rendered[]): readonly (readonly Rendered[])[] {
  const stretches: Rendered[][] = []
  let layer: PromptLayer | undefined
  let isClosed = true
  for (const part of present) {
    const { section } = part.owned
    if (isClosed || section.layer !== layer) stretches.push([])
    stretches.at(-1)?.push(part)
    layer = section.layer
    isClosed = section.cacheBreakpoint === true && section.layer !== 'L2'
  }
  return stretches
}

function flat(present: readonly Rendered[]): readonly (readonly Rendered[])[] {
  return present.length === 0 ? [] : [present]
}

/** The most volatile layer a stretch holds: what decides whether it can be cached. */
function layerOf(parts: readonly Rendered[]): PromptLayer {
  return parts.at(-1)?.owned.section.layer ?? 'L2'
}

/**
 * A section with a breakpoint of its own decides its lifetime (PLUG-41); else the longest wish in the
 * stretch counts, and never less than the kernel's.
 */
function ttlOf(parts: readonly Rendered[], cacheTtl: CacheTtl): CacheTtl | undefined {
  if (layerOf(parts) === 'L2') return undefined
  const end = parts.at(-1)
  if (end?.owned.section.cacheBreakpoint && end.cacheTtl !== undefined) return end.cacheTtl
  return parts.some((part) => part.cacheTtl === '1h') ? '1h' : cacheTtl
}

function reportLayer(
  layer: PromptLayer,
  parts: readonly Rendered[],
  marks: ReadonlyMap<OwnedSection | undefined, CacheTtl | undefined>,
  estimateTokens: TokenEstimator,
  hash: TextHash,
): LayerReport {
  const sections = parts.map(
    ({ owned, text, pieces }): SectionReport =>
      Object.freeze({
        name: owned.section.name,
        capability: owned.capability,
        ...hash(text),
        chars: text.length,
        pieces,
        marker: marks.get(owned),
      }),
  )
  const chars =
    sections.reduce((sum, section) => sum + section.chars, 0) +
    separator.length * (sections.length - 1)
  return Object.freeze({
    layer,
    sections: Object.freeze(sections),
    chars,
    tokens: sections.reduce((sum, { text }) => sum + estimateTokens(text), 0),
    hash: hashTogether(parts, hash),
    cached: sections.at(-1)?.marker !== undefined,
  })
}

/** Of hashes, so that only what has changed is hashed again. */
function hashTogether(parts: readonly Rendered[], hash: TextHash): string {
  return hash(parts.map(({ text }) => hash(text).hash).join('')).hash
}
