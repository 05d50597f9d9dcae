import type { SystemModelMessage } from 'ai'
import type { PromptLayer, PromptSection, TurnView } from './capability.ts'
import { describeError } from './describe-error.ts'
import { KernelError } from './errors.ts'

/** Says what each layer of the prompt holds and weighs. Sizes are in characters. */
export interface PromptReport {
  readonly layers: readonly LayerReport[]
  /** Sections that failed to render and were left out, with the reason. */
  readonly failed: readonly { readonly section: string; readonly reason: string }[]
}

/** One layer as it was sent. */
export interface LayerReport {
  readonly layer: PromptLayer
  readonly sections: readonly { readonly name: string; readonly chars: number }[]
  /** Length of the layer's text, separators included. */
  readonly chars: number
  /** Does a cache marker end it? */
  readonly cached: boolean
}

/** A prompt ready to send: one system message a layer, in layer order, empty layers left out. */
export interface AssembledPrompt {
  readonly messages: readonly SystemModelMessage[]
  readonly report: PromptReport
}

/** A section with the capability it came from. */
export interface OwnedSection {
  readonly section: PromptSection
  readonly capability: string
}

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
 * Renders the sections into at most three system messages (PROMPT-01, OPEN-PROMPT-6). L0 and L1 end
 * with a cache marker, L2 changes every turn and has none.
 *
 * A section that throws or gives no string is left out and reported; if it is required, the turn
 * ends with `KERNEL_SECTION_FAILED`.
 *
 * @param ordered - As `orderSections` left them.
 * @param cacheTtl - Lifetime of the cached layers; `false` sends no markers.
 */
export async function assemblePrompt(
  ordered: readonly OwnedSection[],
  view: TurnView,
  cacheTtl: '5m' | '1h' | false,
): Promise<AssembledPrompt> {
  const rendered = await Promise.all(ordered.map((owned) => render(owned, view)))
  const failed = rendered.flatMap((one) => (one.reason === undefined ? [] : [one]))

  const messages: SystemModelMessage[] = []
  const reports: LayerReport[] = []
  for (const layer of layers) {
    const parts = rendered.filter((one) => one.layer === layer && one.text !== '')
    if (parts.length === 0) continue
    const content = parts.map((part) => part.text).join(separator)
    const cached = layer !== 'L2' && cacheTtl !== false
    messages.push({
      role: 'system',
      content,
      ...(cached && { providerOptions: { anthropic: { cacheControl: marker(cacheTtl) } } }),
    })
    reports.push({
      layer,
      sections: parts.map((part) => ({ name: part.section, chars: part.text.length })),
      chars: content.length,
      cached,
    })
  }
  return {
    messages,
    report: {
      layers: reports,
      failed: failed.map(({ section, reason }) => ({ section, reason: reason ?? '' })),
    },
  }
}

interface Rendered {
  readonly section: string
  readonly layer: PromptLayer
  readonly text: string
  readonly reason?: string
}

async function render({ section, capability }: OwnedSection, view: TurnView): Promise<Rendered> {
  const about = { section: section.name, layer: section.layer }
  try {
    const text: unknown = await section.render(view)
    if (typeof text !== 'string') throw new TypeError(`it gave ${typeof text}, not a string`)
    return { ...about, text }
  } catch (cause) {
    const reason = describeError(cause)
    if (section.required) {
      throw new KernelError(
        'KERNEL_SECTION_FAILED',
        `The required prompt section "${section.name}" of "${capability}" could not be rendered: ${reason}. Mend its render function, or mark the section as not required.`,
        { details: { section: section.name, capability }, cause },
      )
    }
    view.logger.warn(`prompt section "${section.name}" of "${capability}" was left out`, { reason })
    return { ...about, text: '', reason }
  }
}

function marker(ttl: '5m' | '1h') {
  // Five minutes is the provider's default and is not spelled out on the wire.
  return ttl === '1h' ? { type: 'ephemeral', ttl } : { type: 'ephemeral' }
}
