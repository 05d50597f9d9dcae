import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Message,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'

/** Characters to a token, as a rule of thumb for English. */
const charsPerToken = 4

/** Weighs requests, and remembers which cached prefixes it has seen, as a provider would. */
export interface Scales {
  /** @param output - Everything the model wrote. */
  weigh(request: LanguageModelV4CallOptions, output: string): LanguageModelV4Usage
}

/**
 * Counts tokens by length. A prefix that ends with a cache marker is written the first time and read
 * from then on; the tools stand before it, so other tools make another prefix.
 */
export function createScales(): Scales {
  const seen = new Set<string>()
  return {
    weigh: (request, output) => {
      const { prompt, tools = [] } = request
      let text = JSON.stringify(tools)
      let read = 0
      let written = 0
      for (const message of prompt) {
        text += JSON.stringify(message.content)
        if (!isMarked(message)) continue
        if (seen.has(text)) read = text.length
        else written = text.length
        seen.add(text)
      }
      const cacheRead = tokensOf(read)
      const cacheWrite = Math.max(0, tokensOf(written) - cacheRead)
      const total = tokensOf(text.length)
      const outputTotal = tokensOf(output.length)
      return {
        inputTokens: { total, noCache: total - cacheRead - cacheWrite, cacheRead, cacheWrite },
        outputTokens: { total: outputTotal, text: outputTotal, reasoning: undefined },
      }
    },
  }
}

/** Tokens in so many characters. */
export function tokensOf(chars: number): number {
  return Math.ceil(chars / charsPerToken)
}

function isMarked({ providerOptions }: LanguageModelV4Message): boolean {
  return providerOptions?.['anthropic']?.['cacheControl'] !== undefined
}
