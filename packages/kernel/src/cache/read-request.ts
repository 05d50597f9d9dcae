import { hash } from 'node:crypto'
import type { ModelMessage } from 'ai'
import type { CacheTtl } from '../capability.ts'
import type { AssembledPrompt } from '../prompt/assemble-prompt.ts'
import { carriedText } from '../prompt/place-volatile.ts'
import type { PromptReport } from '../prompt/prompt-report.ts'
import type { PlacedMarker } from './limit-markers.ts'
import type { MessageScale, MessageWeight } from './message-scale.ts'
import type { CacheableRequest } from './provider-cache.ts'

/** A request as it is about to be sent. */
export interface SentRequest {
  readonly prompt: AssembledPrompt
  /** As the transcript has them: without volatile text. */
  readonly messages: readonly ModelMessage[]
  readonly markers: readonly PlacedMarker[]
  /** The tool the model must call. Another choice costs what is cached of the messages. */
  readonly forcedTool?: string | undefined
  /** The message that carries the volatile text, if one does. */
  readonly carrier?: Carrier | undefined
}

/** A message behind whose own text the volatile one stands. */
export interface Carrier {
  readonly index: number
  /** Does a marker stand behind the volatile text? Any other on the message stands in front of it. */
  readonly endsMarked: boolean
}

/**
 * A stretch of a request: the tools, a block of the prompt, the choice of a tool, what was said in a
 * message, or the volatile text behind that.
 */
type Stretch = MessageWeight

/** A request as the watch compares it. */
export interface ReadRequest extends CacheableRequest {
  readonly at: number
  readonly prompt: PromptReport
  /** How many stretches come before the choice of a tool, behind which are the messages. */
  readonly system: number
  /** How many stretches come before what is volatile. */
  readonly lasting: number
  /** Index of the message with volatile text; undefined for none. */
  readonly carrier: number | undefined
  readonly stretches: readonly Stretch[]
  /** Which stretches end with a marker, and for how long. */
  readonly markers: readonly StretchMarker[]
  /** The head of each prefix, as a number. */
  readonly heads: Uint32Array
}

interface StretchMarker {
  readonly stretch: number
  readonly ttl: CacheTtl
}

/**
 * What is kept of the last request of a session: four bytes for each stretch, to find the first that
 * differs, and no text but that of the prompt.
 */
export interface LastRequest
  extends Pick<ReadRequest, 'prompt' | 'system' | 'lasting' | 'carrier' | 'heads'> {
  /** Those that left something in the cache. */
  readonly markers: readonly {
    readonly stretch: number
    readonly prefix: string
    /** From the start of the request. */
    readonly tokens: number
  }[]
}

/** What the next request of the session is compared with. */
export function toLastRequest(
  request: ReadRequest,
  markers: readonly StretchMarker[],
): LastRequest {
  const { prompt, system, lasting, carrier, heads, prefixes } = request
  return {
    ...{ prompt, system, lasting, carrier, heads },
    markers: markers.map(({ stretch }) => ({
      stretch,
      prefix: prefixes[stretch] ?? '',
      tokens: tokensUpTo(request, stretch),
    })),
  }
}

/** How many stretches at the start are as they were. */
export function sharedStretches(
  { heads: last }: LastRequest,
  { heads: next }: ReadRequest,
): number {
  let index = 0
  while (index < last.length && last[index] === next[index]) index += 1
  return index
}

/** Estimated tokens up to the end of a stretch. */
export function tokensUpTo({ stretches }: ReadRequest, last: number): number {
  let tokens = 0
  for (let index = 0; index <= last; index += 1) tokens += stretches[index]?.tokens ?? 0
  return tokens
}

/**
 * Reads the requests of a kernel. What a request begins with is hashed once for as long as the host holds
 * its messages and nothing changes in front of them; the reader keeps nothing alive.
 */
export function createRequestReader(scale: MessageScale) {
  const links = new WeakMap<Stretch, Link>()
  const systems = new WeakMap<AssembledPrompt, readonly Stretch[]>()
  const tails = new WeakMap<AssembledPrompt, Stretch>()
  const choices = new Map<string, Stretch>()

  return (sent: SentRequest, at: number): ReadRequest => {
    const { prompt, messages, markers, forcedTool = '', carrier } = sent
    const { report, blocks, allotment } = prompt
    const system = remembered(systems, prompt, () => [
      { key: report.tools.hash, tokens: report.tools.tokens, blocks: 1 },
      ...blocks.map(({ hash: key, tokens }) => ({ key, tokens, blocks: 1 })),
    ])
    // Not in the row of blocks, but messages are cached for one choice only.
    const choice = remembered(choices, forcedTool, () => ({
      ...{ key: `tool ${forcedTool}`, tokens: 0, blocks: 0 },
    }))
    const stretches = [...system, choice]
    for (const message of messages) stretches.push(scale(message))
    const first = system.length + 1
    let lasting = system.length
    if (carrier !== undefined) {
      lasting = first + carrier.index + 1
      stretches.splice(
        lasting,
        0,
        remembered(tails, prompt, () => tailOf(prompt, scale)),
      )
    } else {
      const block = blocks.findIndex(({ layer }) => layer === 'L2')
      // The choice stands behind the blocks, and a block of L2 may also come or go.
      if (block >= 0) lasting = 1 + block
    }
    return {
      at,
      prompt: report,
      system: system.length,
      lasting,
      carrier: carrier?.index,
      stretches,
      ...chain(stretches, links),
      markers: [allotment.tools, ...allotment.blocks]
        .flatMap((ttl, stretch) => (ttl === undefined ? [] : [{ stretch, ttl }]))
        .concat(
          markers.map(({ message, ttl }, index) => {
            const isNewest = markers[index + 1]?.message !== message
            return { stretch: first + message + shiftOf(message, isNewest, carrier), ttl }
          }),
        ),
    }
  }
}

/** By how much a marker stands further on, since the volatile text is a stretch of its own. */
function shiftOf(message: number, isNewest: boolean, carrier: Carrier | undefined): 0 | 1 {
  if (carrier === undefined || message < carrier.index) return 0
  return message > carrier.index || (carrier.endsMarked && isNewest) ? 1 : 0
}

function tailOf(prompt: AssembledPrompt, scale: MessageScale): Stretch {
  return scale({ role: 'user', content: carriedText(prompt) })
}

/** What a stretch comes to behind what stands in front of it. */
interface Link {
  readonly after: string
  readonly prefix: string
  readonly head: number
}

function chain(stretches: readonly Stretch[], links: WeakMap<Stretch, Link>) {
  const prefixes: string[] = []
  const heads = new Uint32Array(stretches.length)
  let after = ''
  for (const [index, stretch] of stretches.entries()) {
    let link = links.get(stretch)
    if (link?.after !== after) {
      const prefix = hash('sha256', `${after} ${stretch.key}`)
      link = { after, prefix, head: Number.parseInt(prefix.slice(0, 8), 16) }
      links.set(stretch, link)
    }
    prefixes.push(link.prefix)
    heads[index] = link.head
    after = link.prefix
  }
  return { prefixes, heads }
}

interface Memory<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): unknown
}

function remembered<Key, Value>(memory: Memory<Key, Value>, key: Key, make: () => Value): Value {
  const known = memory.get(key)
  if (known !== undefined) return known
  const made = make()
  memory.set(key, made)
  return made
}
