/** What a model costs. US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number
  readonly output: number
  /** Input read from the cache. Absent: `input`. */
  readonly cacheRead?: number | undefined
  /** Input written to a cache that lives five minutes. Absent: `input`. */
  readonly cacheWrite5m?: number | undefined
  /** Input written to a cache that lives an hour. Absent: `cacheWrite5m`. */
  readonly cacheWrite1h?: number | undefined
}

/** Anthropic's multiples of the input price: 1.25 to write for five minutes, 2 for an hour. */
function anthropic(input: number, output: number, cacheRead = input / 10): ModelPrice {
  return { input, output, cacheRead, cacheWrite5m: input * 1.25, cacheWrite1h: input * 2 }
}

/**
 * List prices by model name. Prompts above a provider's long-context limit, batches and regional
 * endpoints cost something else: give an override where they matter.
 *
 * - Anthropic: platform.claude.com/docs/en/about-claude/pricing, read in November 2026. Haiku 5.5 is
 *   listed with its price for prompts up to 100,000 tokens. Sonnet 4 and older, which are retired in
 *   places: docs.anthropic.com/en/docs/about-claude/pricing, as listed in 2025.
 * - OpenAI: developers.openai.com/api/docs/pricing, as listed in November 2026. Writing to the cache
 *   costs nothing extra. GPT-5.1, GPT-5.2, the nano models, GPT-4.1 mini and the o models as listed
 *   there from August 2025 to January 2026.
 * - Google: ai.google.dev/gemini-api/docs/pricing, as listed in 2026 for prompts up to 200,000
 *   tokens. The hourly price of explicit cache storage is left out.
 */
export const modelPrices: Readonly<Record<string, ModelPrice>> = Object.freeze({
  'claude-fable-5-1': anthropic(10, 50, 0.25),
  'claude-fable-5': anthropic(10, 50),
  'claude-opus-5-5': anthropic(4, 20, 0.2),
  'claude-opus-5': anthropic(5, 25),
  'claude-opus-4-8': anthropic(5, 25),
  'claude-opus-4-7': anthropic(5, 25),
  'claude-opus-4-6': anthropic(5, 25),
  'claude-opus-4-5': anthropic(5, 25),
  'claude-opus-4-1': anthropic(15, 75),
  'claude-opus-4-0': anthropic(15, 75),
  'claude-opus-4': anthropic(15, 75),
  'claude-sonnet-5-5': anthropic(2, 10, 0.1),
  'claude-sonnet-5': anthropic(2, 10),
  'claude-sonnet-4-6': anthropic(3, 15),
  'claude-sonnet-4-5': anthropic(3, 15),
  'claude-sonnet-4-0': anthropic(3, 15),
  'claude-sonnet-4': anthropic(3, 15),
  'claude-3-7-sonnet': anthropic(3, 15),
  'claude-haiku-5-5': anthropic(0.1, 0.5),
  'claude-haiku-4-5': anthropic(1, 5),
  'claude-3-5-haiku': anthropic(0.8, 4),
  'gpt-5.4': { input: 2.5, output: 15, cacheRead: 0.25 },
  'gpt-5.4-mini': { input: 0.75, output: 4.5, cacheRead: 0.075 },
  'gpt-5.2': { input: 1.75, output: 14, cacheRead: 0.175 },
  'gpt-5.1': { input: 1.25, output: 10, cacheRead: 0.125 },
  'gpt-5': { input: 1.25, output: 10, cacheRead: 0.125 },
  'gpt-5-mini': { input: 0.25, output: 2, cacheRead: 0.025 },
  'gpt-5-nano': { input: 0.05, output: 0.4, cacheRead: 0.005 },
  'gpt-4.1': { input: 2, output: 8, cacheRead: 0.5 },
  'gpt-4.1-mini': { input: 0.4, output: 1.6, cacheRead: 0.1 },
  'gpt-4.1-nano': { input: 0.1, output: 0.4, cacheRead: 0.025 },
  'gpt-4o': { input: 2.5, output: 10, cacheRead: 1.25 },
  // The first GPT-4o was dearer than those after it, and does not cache.
  'gpt-4o-2024-05-13': { input: 5, output: 15 },
  'gpt-4o-mini': { input: 0.15, output: 0.6, cacheRead: 0.075 },
  'o4-mini': { input: 1.1, output: 4.4, cacheRead: 0.275 },
  o3: { input: 2, output: 8, cacheRead: 0.5 },
  'o3-mini': { input: 1.1, output: 4.4, cacheRead: 0.55 },
  'gemini-3-pro-preview': { input: 2, output: 12, cacheRead: 0.2 },
  'gemini-3-flash-preview': { input: 0.5, output: 3, cacheRead: 0.05 },
  'gemini-2.5-pro': { input: 1.25, output: 10, cacheRead: 0.125 },
  'gemini-2.5-flash': { input: 0.3, output: 2.5, cacheRead: 0.03 },
  'gemini-2.5-flash-lite': { input: 0.1, output: 0.4, cacheRead: 0.01 },
})
