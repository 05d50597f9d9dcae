/** A message as all layers of the AI SDK have it, as far as it is read here. */
export interface ReadableMessage {
  readonly role: string
  readonly content: string | readonly { readonly type: string; readonly text?: unknown }[]
}

/** What the user said last, and where. */
export interface AskedLast {
  readonly text: string
  /** Position among the messages that are no system messages; -1 where no user has spoken. */
  readonly index: number
  /** Whether anything comes before it. */
  readonly isFirst: boolean
  /** The conversation goes on after a tool: nobody has said anything new. */
  readonly endsWithTool: boolean
  /** The prompt ends with something else than the user: it belongs to a turn that has begun already. */
  readonly goesOn: boolean
}

/** Finds what the user said last. Files and other attachments take no part (MEM-08). */
export function askedLast(prompt: readonly ReadableMessage[]): AskedLast {
  const messages = prompt.filter(({ role }) => role !== 'system')
  const index = messages.findLastIndex(({ role }) => role === 'user')
  const message = messages[index]
  return {
    text: message === undefined ? '' : textOf(message),
    index,
    isFirst: index <= 0,
    endsWithTool: messages.at(-1)?.role === 'tool',
    goesOn: index < messages.length - 1,
  }
}

function textOf({ content }: ReadableMessage): string {
  if (typeof content === 'string') return content
  return content
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n')
}
