import type { ModelMessage } from 'ai'
import type { CacheTtl } from '../capability.ts'

/** A marker that a host has put into its history, and what it stands on. */
export interface HostMark {
  /**
   * `result`: a part with a tool's result; `output`: what is in it; `both`: a part and its message;
   * `thought`: a thought and the message that ends in it, neither of which can be marked.
   */
  readonly on: 'message' | 'part' | 'both' | 'result' | 'output' | 'thought'
  /** undefined leaves the exchange without one. */
  readonly ttl: CacheTtl | undefined
}

/** A marker as hosts write it. */
export function markedAs(ttl: CacheTtl) {
  return { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral', ttl } } } }
}

/** A conversation of one exchange a mark. */
export function history(marks: readonly HostMark[]): ModelMessage[] {
  return marks.flatMap(({ on, ttl }, index) => {
    const marked: Partial<ReturnType<typeof markedAs>> = ttl === undefined ? {} : markedAs(ttl)
    const text = `question ${index}`
    switch (on) {
      case 'message':
        return exchange({ role: 'user', content: text, ...marked })
      case 'part':
        return exchange({ role: 'user', content: [{ type: 'text', text, ...marked }] })
      case 'both':
        return exchange({ role: 'user', content: [{ type: 'text', text, ...marked }], ...marked })
      case 'thought': {
        const anthropic = { signature: 'c2lnbmVk', ...marked.providerOptions?.anthropic }
        const thought = { type: 'reasoning' as const, text, providerOptions: { anthropic } }
        return [
          { role: 'user', content: text },
          { role: 'assistant', content: [thought], ...marked },
        ]
      }
      default: {
        const call = { toolCallId: `old-${index}`, toolName: 'tool0' }
        const value = [{ type: 'text' as const, text: 'seen', ...(on === 'output' && marked) }]
        return [
          { role: 'user', content: text },
          { role: 'assistant', content: [{ type: 'tool-call', ...call, input: {} }] },
          {
            role: 'tool',
            content: [
              {
                type: 'tool-result',
                ...call,
                output: { type: 'content', value },
                ...(on === 'result' && marked),
              },
            ],
          },
          { role: 'assistant', content: 'yes' },
        ]
      }
    }
  })
}

function exchange(question: ModelMessage): ModelMessage[] {
  return [question, { role: 'assistant', content: 'yes' }]
}
