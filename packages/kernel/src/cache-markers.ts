import type { ModelMessage, SystemModelMessage, ToolResultPart } from 'ai'

/** Anthropic accepts this many cache markers in a request; its provider drops the later ones. */
const budget = 4

/**
 * Keeps a request within the marker budget. The system layers are served first; what is left goes
 * to the newest markers the caller put on its own messages, since the provider would drop exactly
 * those. Messages without a surplus marker are passed on as they are.
 *
 * @returns The messages to send; the given ones are not changed.
 */
export function limitCacheMarkers(
  system: readonly SystemModelMessage[],
  messages: readonly ModelMessage[],
): readonly ModelMessage[] {
  let left = budget - system.filter(isMarked).length

  const ration = <Thing extends object>(thing: Thing): Thing => {
    if (!isMarked(thing)) return thing
    if (left <= 0) return withoutMarker(thing)
    left -= 1
    return thing
  }
  // A marker on the whole stands for its last part, so it is the newest of its kind: it goes first.
  const rationOutput = (given: ToolResultPart['output']): ToolResultPart['output'] => {
    const output = ration(given)
    if (output.type !== 'content') return output
    const value = mapNewestFirst(output.value, ration)
    return value === output.value ? output : { ...output, value: [...value] }
  }
  const rationPart = (given: Part): Part => {
    const part = ration(given)
    if (part.type !== 'tool-result') return part
    const output = rationOutput(part.output)
    return output === part.output ? part : { ...part, output }
  }
  return mapNewestFirst(messages, (given) => {
    const message = ration(given)
    if (typeof message.content === 'string') return message
    const content = mapNewestFirst<Part>(message.content, rationPart)
    return content === message.content ? message : ({ ...message, content } as ModelMessage)
  })
}

type Part = Exclude<ModelMessage['content'], string>[number]

interface Markable {
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** The provider reads both spellings. */
function isMarked(thing: object): boolean {
  const { cacheControl, cache_control } = anthropicOptions(thing)
  return Boolean(cacheControl ?? cache_control)
}

function withoutMarker<Thing extends object>(thing: Thing): Thing {
  const { cacheControl: _, cache_control: __, ...anthropic } = anthropicOptions(thing)
  return { ...thing, providerOptions: { ...(thing as Markable).providerOptions, anthropic } }
}

function anthropicOptions(thing: Markable): Readonly<Record<string, unknown>> {
  return thing.providerOptions?.['anthropic'] ?? {}
}

/** The last item is asked first. The same list comes back when nothing changes. */
function mapNewestFirst<Item>(
  items: readonly Item[],
  change: (item: Item) => Item,
): readonly Item[] {
  let changed: Item[] | undefined
  for (const [index, item] of [...items.entries()].reverse()) {
    const next = change(item)
    if (next === item) continue
    changed ??= [...items]
    changed[index] = next
  }
  return changed ?? items
}
