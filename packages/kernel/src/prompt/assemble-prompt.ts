import { allotMarkers, type MarkerAllotment } from '../cache/allot-markers.ts'
import type { TokenEstimator } from '../cache/estimate-tokens.ts'
import type {
  CacheTtl,
  ContextStrategy,
  PromptLayer,
  PromptSection,
  SectionPiece,
  TurnView,
} from '../capability.ts'
import { describeError } from '../describe-error.ts'
import { KernelError } from '../errors.ts'
import { withinTime } from '../time-limit.ts'
import { isFlat } from './is-flat.ts'
import type {
  LayerReport,
  PromptLayerMode,
  PromptReport,
  SectionReport,
  VolatilePosition,
} from './prompt-report.ts'
import type { TextHash } from './text-hash.ts'

/** A section with the capability it came from. */
export interface OwnedSection {
  readonly section: PromptSection
  readonly capability: string
}

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
    readonly names: readonly string[]
    readonly text: string
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
/** Between the sections of a layer (OPEN-PROMPT-5). */
const separator = '\n\n'
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
  let last: { readonly of: readonly unknown[]; readonly prompt: AssembledPrompt } | undefined

  return async (view, surroundings) => {
    const rendered = await Promise.all(
      settings.sections.map((owned) => render(owned, view, settings.timeoutMs)),
    )
    warnOnce(rendered, view, settings, warned)
    // Most turns render what the last one did. Comparing texts costs far less than all that follows.
    const of = fingerprint(rendered, surroundings)
    if (last !== undefined && isSame(last.of, of)) return last.prompt
    const prompt = build(rendered, surroundings, settings, hash)
    last = { of, prompt }
    return prompt
  }
}

interface Rendered {
  readonly owned: OwnedSection
  readonly text: string
  readonly pieces: readonly SectionPiece[]
  readonly cacheTtl: CacheTtl | undefined
  readonly reason?: string
}

async function render(owned: OwnedSection, view: TurnView, timeoutMs: number): Promise<Rendered> {
  const { section, capability } = owned
  try {
    const given = section.render(view)
    const { signal } = view
    const answer: unknown =
      typeof given === 'string' ? given : await withinTime(given, { timeoutMs, signal })
    if (typeof answer === 'string') {
      return { owned, text: answer.toWellFormed(), pieces: noPieces, cacheTtl: undefined }
    }
    return { owned, ...readPieces(answer) }
  } catch (cause) {
    // Nobody waits for the prompt of a turn that is over, and its sections have not failed.
    view.signal.throwIfAborted()
    const reason = describeError(cause)
    if (section.required) {
      throw new KernelError(
        'KERNEL_SECTION_FAILED',
        `The required prompt section "${section.name}" of "${capability}" could not be rendered: ${reason}. Mend its render function, or mark the section as not required.`,
        { details: { section: section.name, capability }, cause },
      )
    }
    view.logger.warn(`prompt section "${section.name}" of "${capability}" was left out`, { reason })
    return { owned, text: '', pieces: noPieces, cacheTtl: undefined, reason }
  }
}

const noPieces: readonly SectionPiece[] = Object.freeze([])

function readPieces(answer: unknown): Pick<Rendered, 'text' | 'pieces' | 'cacheTtl'> {
  const { pieces, cacheTtl } = (answer ?? {}) as { pieces?: unknown; cacheTtl?: unknown }
  if (!Array.isArray(pieces)) throw new TypeError(`it gave ${kindOf(answer)}, not a text`)
  if (cacheTtl !== undefined && cacheTtl !== '5m' && cacheTtl !== '1h') {
    throw new TypeError('it gave a cacheTtl that is neither 5m nor 1h')
  }
  const kept: SectionPiece[] = []
  for (const [index, piece] of (pieces as readonly unknown[]).entries()) {
    const { origin, text } = (piece ?? {}) as { origin?: unknown; text?: unknown }
    if (typeof origin !== 'string' || typeof text !== 'string') {
      const what =
        typeof piece === 'object' && piece !== null ? '' : ` (pieces[${index}] is ${kindOf(piece)})`
      throw new TypeError(`it gave a piece without origin or text${what}`)
    }
    if (text !== '') kept.push(Object.freeze({ origin, text: text.toWellFormed() }))
  }
  const text = kept.map((piece) => piece.text).join(separator)
  return { text, pieces: Object.freeze(kept), cacheTtl }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value
}

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
  const parts: unknown[] = [tools.text, tools.ttl, messageMarkers]
  for (const { text, pieces, cacheTtl, reason } of rendered) {
    parts.push(text, cacheTtl, reason, pieces.length)
    for (const { origin, text: piece } of pieces) parts.push(origin, piece.length)
  }
  return parts
}

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false
  return true
}

function build(
  rendered: readonly Rendered[],
  { tools, messageMarkers }: PromptSurroundings,
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
  const toolTokens = estimateTokens(tools.text)
  const allotment = allotMarkers(blocks, {
    tools: tools.ttl === undefined ? undefined : { tokens: toolTokens, ttl: tools.ttl },
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
      tools: Object.freeze({
        names: tools.names,
        chars: tools.text.length,
        tokens: toolTokens,
        hash: hash(tools.text).hash,
        marker: allotment.tools,
      }),
      layers: Object.freeze(reports),
      failed: Object.freeze(
        rendered.flatMap(({ owned, reason }) =>
          reason === undefined ? [] : [Object.freeze({ section: owned.section.name, reason })],
        ),
      ),
    } satisfies PromptReport),
  })
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
