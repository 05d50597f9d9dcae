import type { ModelMessage, ToolResultPart } from 'ai'
import type { CacheTtl } from '../capability.ts'

/** A marker as Anthropic's provider reads it. Five minutes is its default and is not spelled out. */
export function cacheMarker(ttl: CacheTtl) {
  const cacheControl = ttl === '1h' ? { type: 'ephemeral', ttl } : { type: 'ephemeral' }
  return { anthropic: { cacheControl } }
}

/** Something that may carry a marker among the options of providers. */
interface Markable {
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Lifetime of the marker on a thing; undefined where there is none. */
export function markerOn(thing: object): CacheTtl | undefined {
  // The provider reads both spellings.
  const { cacheControl, cache_control } = anthropicOptions(thing)
  const marker: unknown = cacheControl ?? cache_control
  if (!marker) return undefined
  return (marker as { readonly ttl?: unknown }).ttl === '1h' ? '1h' : '5m'
}

/** The same thing with a marker in the place of any it had. */
export function withMarker<Thing extends object>(thing: Thing, ttl: CacheTtl): Thing {
  const { providerOptions } = thing as Markable
  const { cache_control: _, ...anthropic } = anthropicOptions(thing)
  const marked = { ...anthropic, ...cacheMarker(ttl).anthropic }
  return { ...thing, providerOptions: { ...providerOptions, anthropic: marked } }
}

/** The same thing without a marker. */
export function withoutMarker<Thing extends object>(thing: Thing): Thing {
  const { cacheControl: _, cache_control: __, ...anthropic } = anthropicOptions(thing)
  return { ...thing, providerOptions: { ...(thing as Markable).providerOptions, anthropic } }
}

/** Where a marker stands: behind a message, or behind something in it. */
export interface PlacedMarker {
  /** Index of the message. */
  readonly message: number
  readonly ttl: CacheTtl
}

/**
 * Keeps the markers on messages within what is left for them. The newest are kept, since the provider
 * would drop exactly those. None is longer than one in front of it, which the provider would refuse:
 * a longer one is shortened. One on a thought is taken off. What need not change is passed on as it is.
 *
 * @param left - Markers that messages may have.
 * @param longest - Lifetime of the marker in front of the messages; undefined for none.
 * @returns The messages to send, and the markers on them, oldest first; the given ones are not changed.
 */
export function limitMarkers(
  messages: readonly ModelMessage[],
  left: number,
  longest?: CacheTtl,
): { readonly messages: readonly ModelMessage[]; readonly markers: readonly PlacedMarker[] } {
  let open = left
  const rationed = eachMarked(messages, 'newest-first', (thing) => {
    if (open <= 0 || endsInThought(thing)) return withoutMarker(thing)
    open -= 1
    return thing
  })
  let limit = longest
  const markers: PlacedMarker[] = []
  const shortened = eachMarked(rationed, 'oldest-first', (thing, message) => {
    const ttl = markerOn(thing) ?? '5m'
    const allowed = limit === '5m' ? '5m' : ttl
    limit = allowed
    markers.push({ message, ttl: allowed })
    return allowed === ttl ? thing : withMarker(thing, allowed)
  })
  return { messages: shortened, markers }
}

type Part = Exclude<ModelMessage['content'], string>[number]
type Order = 'newest-first' | 'oldest-first'

/** Shows every marked thing of the messages to `change`, in order; unmarked ones are not touched. */
function eachMarked(
  messages: readonly ModelMessage[],
  order: Order,
  change: <Thing extends object>(thing: Thing, message: number) => Thing,
): readonly ModelMessage[] {
  return mapInOrder(messages, order, (given, index) => {
    // Nearly all of them, and all are looked at again at every step.
    if (isBare(given)) return given
    const visit = <Thing extends object>(thing: Thing): Thing =>
      markerOn(thing) === undefined ? thing : change(thing, index)
    // A marker on the whole stands for its last part, so it is the newest of its kind.
    const around = <Thing extends object>(thing: Thing, within: (thing: Thing) => Thing): Thing =>
      order === 'newest-first' ? within(visit(thing)) : visit(within(thing))

    const insideOutput = (output: ToolResultPart['output']): ToolResultPart['output'] => {
      if (output.type !== 'content') return output
      const value = mapInOrder(output.value, order, visit)
      return value === output.value ? output : { ...output, value: [...value] }
    }
    const insidePart = (part: Part): Part => {
      if (part.type !== 'tool-result') return part
      const output = around(part.output, insideOutput)
      return output === part.output ? part : { ...part, output }
    }
    return around(given, (message) => {
      if (typeof message.content === 'string') return message
      const content = mapInOrder<Part>(message.content, order, (part) => around(part, insidePart))
      return content === message.content ? message : ({ ...message, content } as ModelMessage)
    })
  })
}

/** Thoughts take no marker: the provider would count it, drop it and warn. Nor does it send empty texts. */
function endsInThought(thing: object): boolean {
  const { content = [thing] } = thing as { readonly content?: string | readonly object[] }
  if (typeof content === 'string') return false
  const sent = content as readonly { readonly type?: unknown; readonly text?: unknown }[]
  return sent.findLast(({ type, text }) => type !== 'text' || text !== '')?.type === 'reasoning'
}

/** Says quickly that a message has nowhere a marker could be. */
function isBare(message: ModelMessage): boolean {
  if (hasOptions(message)) return false
  if (typeof message.content === 'string') return true
  for (const part of message.content) {
    if (hasOptions(part)) return false
    if (part.type === 'tool-result' && (part.output.type === 'content' || hasOptions(part.output)))
      return false
  }
  return true
}

function hasOptions(thing: object): boolean {
  return (thing as Markable).providerOptions !== undefined
}

function anthropicOptions(thing: Markable): Readonly<Record<string, unknown>> {
  return thing.providerOptions?.['anthropic'] ?? {}
}

/** The same list comes back when nothing changes. */
function mapInOrder<Item>(
  items: readonly Item[],
  order: Order,
  change: (item: Item, index: number) => Item,
): readonly Item[] {
  let changed: Item[] | undefined
  for (let step = 0; step < items.length; step += 1) {
    const index = order === 'newest-first' ? items.length - 1 - step : step
    const item = items[index] as Item
    const next = change(item, index)
    if (next === item) continue
    changed ??= [...items]
    changed[index] = next
  }
  return changed ?? items
}
