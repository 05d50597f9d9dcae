/**
 * How a policy reads and rewrites one kind of message. It never names a message type: the host
 * supplies this, and nothing else of itself (RES-01).
 *
 * Every method is pure, and gives the same answer for the same message: answers are kept.
 */
export interface Transcript<Message> {
  /** Who speaks. `system` messages are no part of the history and are left alone. */
  roleOf(message: Message): 'system' | 'user' | 'assistant' | 'tool'
  /**
   * What a model reads of the message, tool calls and their arguments included and tool results left
   * out. Only its length is used.
   */
  textOf(message: Message): string
  /** The tool results the message holds, in order; none for most messages. */
  resultsOf(message: Message): readonly ToolResultView[]
  /** The tool calls the message makes, in order. Needed to see what was recalled. */
  callsOf(message: Message): readonly ToolCallView[]
  /**
   * The same message with the text of some results replaced, by their position in `resultsOf`. Ids,
   * names, error-ness, provider options and every other part are those of the original (RES-12).
   */
  withTexts(message: Message, texts: ReadonlyMap<number, string>): Message
}

/** One tool result, as a policy sees it. */
export interface ToolResultView {
  /** The call it answers. Copied verbatim, never interpreted; providers reuse them. */
  readonly toolCallId: string
  /** The tool's name, `''` where it is not known. */
  readonly toolName: string
  /**
   * The text a model reads; its length in characters is what limits compare (RES-07). undefined when
   * there is none, as for a value that holds itself: such a result is kept.
   */
  readonly text: string | undefined
  /** A model looks at a part of it rather than reading it: never replaced (RES-11). */
  readonly isViewable: boolean
  /** The tool failed or was refused. */
  readonly isError: boolean
}

/** One tool call, as a policy sees it. */
export interface ToolCallView {
  readonly toolCallId: string
  readonly toolName: string
  /** The arguments as the model gave them. Only those of recalls are looked at. */
  readonly input: unknown
}

/** A tool result in neutral words: what the behaviour catalogue speaks of. */
export interface NeutralResult {
  readonly toolCallId: string
  readonly toolName?: string | undefined
  readonly content?: unknown
  readonly additional?: Readonly<Record<string, unknown>> | undefined
  readonly status?: string | undefined
}

/**
 * The text of some content, as a model reads it (RES-04..06). A text is itself; a list is its parts
 * without a separator, a part being its `text` when that is one, else its string form; nothing is
 * `''`; anything else is its string form, as JSON where it has one (OPEN-RES-5).
 */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  if (content === undefined || content === null) return ''
  if (!Array.isArray(content)) return stringForm(content)
  return content.map((block) => textOfBlock(block) ?? stringForm(block)).join('')
}

/**
 * Whether a model looks at some content rather than reads it: a list with a part whose `type` is
 * there and is not `text`. A kind nobody has heard of counts (RES-08..10).
 */
export function isViewable(content: unknown): boolean {
  if (!Array.isArray(content)) return false
  return content.some((block) => {
    if (typeof block !== 'object' || block === null) return false
    const type: unknown = Object.hasOwn(block, 'type') ? Reflect.get(block, 'type') : undefined
    return type !== undefined && type !== null && type !== 'text'
  })
}

/**
 * The result with other content: the call id verbatim, a copy of what else is attached, and the
 * status, where there is one (RES-12, RES-13). An empty name becomes none (RES-14).
 */
export function restub(
  message: NeutralResult,
  { content, toolName }: { content: string; toolName?: string | undefined },
): NeutralResult {
  const { toolCallId, additional, status } = message
  return {
    toolCallId,
    content,
    ...(toolName && { toolName }),
    ...(additional !== undefined && { additional: { ...additional } }),
    ...(status !== undefined && { status }),
  }
}

function textOfBlock(block: unknown): string | undefined {
  if (typeof block === 'string') return block
  if (typeof block !== 'object' || block === null || !Object.hasOwn(block, 'text')) return undefined
  const text: unknown = Reflect.get(block, 'text')
  return typeof text === 'string' ? text : undefined
}

function stringForm(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    // A cycle, a BigInt, a throwing getter: the plainest form there is, which may throw as well.
    try {
      return String(value)
    } catch {
      return ''
    }
  }
}
