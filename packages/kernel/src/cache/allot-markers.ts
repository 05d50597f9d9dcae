import type { CacheTtl, PromptLayer } from '../capability.ts'

/** A block of the system prompt that may end with a cache marker. */
export interface MarkableBlock {
  readonly layer: PromptLayer
  readonly tokens: number
  /** Lifetime its marker should have; undefined where nothing may be cached. */
  readonly ttl: CacheTtl | undefined
}

/** How the markers of a turn's requests are handed out. Index by index as the blocks. */
export interface MarkerAllotment {
  readonly tools: CacheTtl | undefined
  readonly blocks: readonly (CacheTtl | undefined)[]
  /** How many are left for messages. */
  readonly messages: number
}

/** What else asks for markers. */
export interface MarkerDemand {
  /** The tool definitions, if they can end with one: their size and the lifetime wished for. */
  readonly tools: { readonly tokens: number; readonly ttl: CacheTtl } | undefined
  /** Markers that the messages can use. */
  readonly messages: number
  readonly minimumTokens: number
}

/** Anthropic accepts this many cache markers in a request; its provider drops the later ones. */
export const markerBudget = 4

/**
 * Hands out the four markers of a request, by what each is worth: the end of the cached prefix, the
 * newest message, the end of L0, a second message, the tools, then the other ends of sections, later
 * ones first. A prefix shorter than the model caches comes after all that are long enough, since
 * its marker would do nothing. Depends on nothing that changes within a turn.
 *
 * A lifetime may not be longer than one in front of it, so those in front are lengthened: what lies
 * inside of an hour's prefix is kept for an hour anyway. A wish whose own marker is not served goes to
 * the next one behind it that is.
 *
 * @see PROMPT-12, PROMPT-29, PROMPT-30, https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export function allotMarkers(
  blocks: readonly MarkableBlock[],
  { tools, messages, minimumTokens }: MarkerDemand,
): MarkerAllotment {
  const long: Place[] = []
  const short: Place[] = []
  let prefix = tools?.tokens ?? 0
  const tooShort = new Set<Place>(prefix < minimumTokens ? ['tools'] : [])
  for (const [index, { tokens }] of blocks.entries()) {
    prefix += tokens
    if (prefix < minimumTokens) tooShort.add(index)
  }
  for (const place of ranked(blocks, tools !== undefined, Math.min(messages, 2))) {
    if (tooShort.has(place)) short.push(place)
    else long.push(place)
  }
  const served = [...long, ...short].slice(0, markerBudget)
  const chosen = new Set(served)
  const wishes = passOn(blocks, (index) => chosen.has(index))
  const ttls = lengthenEarlier([chosen.has('tools') ? tools?.ttl : undefined, ...wishes])
  const [toolsTtl, ...blockTtls] = ttls
  const system = ttls.filter((ttl) => ttl !== undefined).length
  return { tools: toolsTtl, blocks: blockTtls, messages: markerBudget - system }
}

/** A block by its index, the tools, or some message. */
type Place = number | 'tools' | 'message'

function ranked(
  blocks: readonly MarkableBlock[],
  hasTools: boolean,
  messages: number,
): readonly Place[] {
  const ends = blocks.flatMap(({ ttl }, index) => (ttl === undefined ? [] : [index]))
  const last = ends.at(-1)
  const kernelEnd = ends.findLast((index) => blocks[index]?.layer === 'L0')
  const others = ends.filter((index) => index !== last && index !== kernelEnd).reverse()
  const rank: (Place | undefined)[] = [
    last,
    messages > 0 ? 'message' : undefined,
    kernelEnd === last ? undefined : kernelEnd,
    messages > 1 ? 'message' : undefined,
    hasTools ? 'tools' : undefined,
    ...others,
  ]
  return rank.filter((place) => place !== undefined)
}

/** The lifetimes of the served blocks, each with what those in front of it wished for in vain. */
function passOn(
  blocks: readonly MarkableBlock[],
  isServed: (index: number) => boolean,
): readonly (CacheTtl | undefined)[] {
  let passed: CacheTtl | undefined
  return blocks.map(({ ttl }, index) => {
    const wish = passed === '1h' && ttl !== undefined ? passed : ttl
    passed = isServed(index) ? undefined : wish
    return isServed(index) ? wish : undefined
  })
}

/** Lifetimes in the order of the request, none longer than one in front of it. */
export function lengthenEarlier(
  ttls: readonly (CacheTtl | undefined)[],
): readonly (CacheTtl | undefined)[] {
  const lastHour = ttls.lastIndexOf('1h')
  return ttls.map((ttl, index) => (ttl !== undefined && index < lastHour ? '1h' : ttl))
}
