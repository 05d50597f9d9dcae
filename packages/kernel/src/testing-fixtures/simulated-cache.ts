import type { ModelMessage, SystemModelMessage } from 'ai'

/** A request as it goes out, markers on it. */
export interface WireRequest {
  readonly tools: { readonly text: string; readonly ttl: '5m' | '1h' | undefined }
  readonly instructions: readonly SystemModelMessage[]
  readonly messages: readonly ModelMessage[]
  /** Messages are cached for one choice only; tools and system prompt are not touched by it. */
  readonly forcedTool: string | undefined
}

interface Block {
  readonly text: string
  readonly tokens: number
  readonly ttl: '5m' | '1h' | undefined
}

const minute = 60_000

/**
 * A provider that caches as Anthropic documents it, told from the outside: blocks in a row, entries
 * where markers stood, a look back over twenty blocks, lifetimes that begin anew with each use. Markers
 * are read off the request, from messages, for their last part, and from parts.
 *
 * @param weigh - Tokens of a text.
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export function simulatedCache({
  minimumTokens,
  weigh,
}: {
  readonly minimumTokens: number
  readonly weigh: (text: string) => number
}) {
  const entries = new Map<string, { until: number; minutes: number }>()

  return {
    /** Serves a request; one that fails is served from the cache and leaves nothing in it. */
    serve(request: WireRequest, atMs: number, fails = false) {
      const blocks = blocksOf(request, weigh)
      const system = 1 + request.instructions.length
      const prefix = (count: number) => {
        const choice = count > system ? request.forcedTool : undefined
        return JSON.stringify([choice, ...blocks.slice(0, count).map(({ text }) => text)])
      }
      const tokens = (count: number) => blocks.slice(0, count).reduce((sum, b) => sum + b.tokens, 0)
      const lives = (key: string) => (entries.get(key)?.until ?? 0) > atMs
      let longest = 0
      for (const [index, { ttl }] of blocks.entries()) {
        if (ttl === undefined) continue
        for (let back = 0; back < 20; back += 1) {
          const count = index + 1 - back
          if (count > longest && lives(prefix(count))) longest = count
        }
      }
      const keep = (count: number, wished: number) => {
        const key = prefix(count)
        const minutes = Math.max(wished, lives(key) ? (entries.get(key)?.minutes ?? 0) : 0)
        entries.set(key, { until: atMs + minutes * minute, minutes })
      }
      if (!fails) {
        if (longest > 0) keep(longest, 0)
        for (const [index, { ttl }] of blocks.entries()) {
          if (ttl === undefined || tokens(index + 1) < minimumTokens) continue
          keep(index + 1, ttl === '1h' ? 60 : 5)
        }
      }
      return { readTokens: tokens(longest), inputTokens: tokens(blocks.length) }
    },
  }
}

function blocksOf(
  { tools, instructions, messages }: WireRequest,
  weigh: (text: string) => number,
): readonly Block[] {
  return [
    { text: tools.text, tokens: weigh(tools.text), ttl: tools.ttl },
    ...instructions.map((message) => ({
      text: `system ${message.content}`,
      tokens: weigh(message.content as string),
      ttl: ttlOn(message),
    })),
    ...messages.flatMap((message) => blocksOfMessage(message, weigh)),
  ]
}

/**
 * The weight of a message sits on its last block, and so may a marker; where volatile text stands behind
 * what was said, that has a weight of its own and what was said keeps its own.
 */
function blocksOfMessage(message: ModelMessage, weigh: (text: string) => number): readonly Block[] {
  const { role, content } = message
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const texts = parts.map((part) => ('text' in part ? part.text : JSON.stringify(part)))
  const carriesContext = texts.length > 1 && texts.at(-1)?.startsWith('Context for this turn')
  const said = carriesContext ? parts.slice(0, -1) : parts
  return parts.map((part, index): Block => {
    const isLast = index === parts.length - 1
    const text = `${role} ${texts[index]}`
    const ttl = ttlOn(part as Markable) ?? (isLast ? ttlOn(message) : undefined)
    if (carriesContext && isLast) return { text, tokens: weigh(`${role}\n${texts[index]}`), ttl }
    if (index !== said.length - 1) return { text, tokens: 0, ttl }
    const isText = said.length === 1 && 'text' in part
    return { text, tokens: weigh(`${role}\n${isText ? part.text : JSON.stringify(content)}`), ttl }
  })
}

type Markable = Pick<ModelMessage, 'providerOptions'>

function ttlOn({ providerOptions }: Markable): '5m' | '1h' | undefined {
  const marker = providerOptions?.['anthropic']?.['cacheControl'] as { ttl?: string } | undefined
  if (marker === undefined) return undefined
  return marker.ttl === '1h' ? '1h' : '5m'
}
