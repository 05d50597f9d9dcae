import type { ModelMessage, SystemModelMessage } from 'ai'

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
  let limited: ModelMessage[] | undefined
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index]
    if (message === undefined) continue
    const count = countMarkers(message)
    if (count === 0) continue
    if (count <= left) {
      left -= count
      continue
    }
    limited ??= [...messages]
    limited[index] = keepLastMarkers(message, left)
    left = 0
  }
  return limited ?? messages
}

interface Markable {
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

function isMarked(thing: Markable): boolean {
  return thing.providerOptions?.['anthropic']?.['cacheControl'] !== undefined
}

function countMarkers(message: ModelMessage): number {
  let count = isMarked(message as Markable) ? 1 : 0
  if (typeof message.content !== 'string') {
    for (const part of message.content) if (isMarked(part as Markable)) count += 1
  }
  return count
}

function keepLastMarkers(message: ModelMessage, keep: number): ModelMessage {
  // A marker on the message stands for its last part, so it is the latest of the message.
  let left = keep
  const own = isMarked(message as Markable)
  const kept = own && left > 0
  if (kept) left -= 1
  const stripped = own && !kept ? withoutMarker(message as Markable) : message
  if (typeof message.content === 'string') return stripped as ModelMessage
  const parts = [...message.content] as Markable[]
  for (let index = parts.length - 1; index >= 0; index -= 1) {
    const part = parts[index]
    if (part === undefined || !isMarked(part)) continue
    if (left > 0) left -= 1
    else parts[index] = withoutMarker(part)
  }
  return { ...stripped, content: parts } as unknown as ModelMessage
}

function withoutMarker<Thing extends Markable>(thing: Thing): Thing {
  const { cacheControl: _, ...anthropic } = thing.providerOptions?.['anthropic'] ?? {}
  return { ...thing, providerOptions: { ...thing.providerOptions, anthropic } }
}
