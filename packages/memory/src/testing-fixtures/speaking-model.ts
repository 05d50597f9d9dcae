import { MockLanguageModelV4 } from 'ai/test'

/** What a model says in one call. */
export interface Said {
  readonly texts?: readonly string[]
  readonly calls?: readonly { readonly toolName: string; readonly input?: object }[]
  readonly finishReason?: 'stop' | 'length' | 'tool-calls' | 'error'
  /** Thrown in place of an answer. */
  readonly error?: Error
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

/** A model of the AI SDK that says one thing after another, whole or in pieces of a few characters. */
export function speakingModel(
  script: readonly Said[],
  { deltaChars = 4, provider = 'mock' }: { deltaChars?: number; provider?: string } = {},
) {
  let at = 0
  const next = () => {
    const said = script[at]
    at += 1
    if (said === undefined) throw new Error('the script is over')
    if (said.error !== undefined) throw said.error
    const { texts = [], calls = [] } = said
    const unified: NonNullable<Said['finishReason']> =
      said.finishReason ?? (calls.length > 0 ? 'tool-calls' : 'stop')
    const toolCalls = calls.map(({ toolName, input = {} }, index) => ({
      type: 'tool-call' as const,
      toolCallId: `call-${at}-${index}`,
      toolName,
      input: JSON.stringify(input),
    }))
    return { texts, toolCalls, finishReason: { unified, raw: undefined } }
  }
  return new MockLanguageModelV4({
    provider,
    doGenerate: async () => {
      const { texts, toolCalls, finishReason } = next()
      const content = [...texts.map((text) => ({ type: 'text' as const, text })), ...toolCalls]
      return { content, finishReason, usage, warnings: [] }
    },
    doStream: async () => {
      const { texts, toolCalls, finishReason } = next()
      const parts = [
        { type: 'stream-start' as const, warnings: [] },
        ...texts.flatMap((text, index) => textParts(String(index), text, deltaChars)),
        ...toolCalls,
        { type: 'finish' as const, finishReason, usage },
      ]
      return { stream: ReadableStream.from(parts) as ReadableStream<(typeof parts)[number]> }
    },
  })
}

function textParts(id: string, text: string, deltaChars: number) {
  const deltas = []
  for (let from = 0; from < text.length; from += deltaChars) {
    const delta = text.slice(from, from + deltaChars)
    deltas.push({ type: 'text-delta' as const, id, delta })
  }
  return [{ type: 'text-start' as const, id }, ...deltas, { type: 'text-end' as const, id }]
}

/** An extraction block with these lines. */
export function block(...lines: readonly object[]): string {
  const text = lines.map((line) => JSON.stringify(line)).join('\n')
  return `<memory_extraction>\n${text}\n</memory_extraction>`
}
