import { type CacheTtl, strongestCacheTtl } from './cache-ttl.ts'
import type { PlacedContribution } from './collect.ts'

/** One position of the prompt as text, and what it is made of. */
export interface RenderedLayer {
  readonly position: 'cached' | 'volatile'
  /** The whole text, without a line break at either end of ours; `''` when there is nothing. */
  readonly text: string
  /** The longest lifetime that its contributions ask for; a volatile layer has none. */
  readonly cacheTtl: CacheTtl | undefined
  /** The contributions as they stand in the text: joined by a blank line they are the text. */
  readonly pieces: readonly RenderedPiece[]
}

/** One contribution as text. */
export interface RenderedPiece {
  /** Name of the plugin it came from. */
  readonly origin: string
  /** Header and content. */
  readonly text: string
}

/** Both positions as text. */
export interface RenderedLayers {
  /** The prefix that keeps its bytes (L1). */
  readonly cached: RenderedLayer
  /** The suffix of one turn (L2). */
  readonly volatile: RenderedLayer
}

/**
 * Renders collected contributions, in the order given. The same contributions give the same bytes.
 *
 * A contribution without a header of its own gets `### <origin>` if it is the first such of its
 * plugin in its position. Header and content are joined by a line break, contributions by a blank
 * line.
 *
 * @see PLUG-20, PLUG-24, PLUG-25, OPEN-PLUG-2, OPEN-PLUG-3
 */
export function renderLayers(contributions: readonly PlacedContribution[]): RenderedLayers {
  return Object.freeze({
    cached: renderLayer(contributions, 'cached'),
    volatile: renderLayer(contributions, 'volatile'),
  })
}

/** Cached text and volatile text as one, for hosts with a flat prompt (PLUG-34). */
export function joinLayers({ cached, volatile }: RenderedLayers): string {
  return [cached.text, volatile.text].filter((text) => text !== '').join(separator)
}

const separator = '\n\n'

function renderLayer(
  contributions: readonly PlacedContribution[],
  position: 'cached' | 'volatile',
): RenderedLayer {
  const own = contributions.filter((one) => one.position === position && one.content !== '')
  const titled = new Set<string>()
  const pieces = own.map(({ content, header, origin }): RenderedPiece => {
    const title = header ?? (titled.has(origin) ? '' : `### ${origin}`)
    if (header === undefined) titled.add(origin)
    return Object.freeze({ origin, text: title === '' ? content : `${title}\n${content}` })
  })
  return Object.freeze({
    position,
    text: pieces.map(({ text }) => text).join(separator),
    cacheTtl: position === 'cached' ? strongestCacheTtl(own) : undefined,
    pieces: Object.freeze(pieces),
  })
}
