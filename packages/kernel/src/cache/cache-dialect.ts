import type { LanguageModel } from 'ai'

/** How a model's provider is told what to cache. */
export interface CacheDialect {
  /** `anthropic`: by markers on blocks. `none`: not at all, by us. */
  readonly name: 'anthropic' | 'none'
  /** The shortest prefix the model caches, in tokens; a marker on a shorter one does nothing. */
  readonly minimumTokens: number
}

/**
 * Shortest cacheable prefixes by family, in tokens, as Anthropic published them in 2026; the first
 * match holds, and a family that is not here has the default.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
const minimumTokensByFamily: readonly (readonly [RegExp, number])[] = [
  [/opus-4[-.][56]/, 4_096],
  [/haiku-4[-.]5/, 4_096],
  [/sonnet-4[-.]6/, 2_048],
  [/haiku/, 2_048],
]

const defaultMinimumTokens = 1_024

/**
 * The dialect of a model, from who provides it: Anthropic's own provider, its cousins on Vertex and
 * Bedrock that speak the same protocol, and the gateway's `anthropic/…`. Others cache by themselves
 * or not at all, and are sent no markers (PROMPT-28).
 *
 * @param forced - For a provider of your own that reads Anthropic's options.
 * @param minimumTokens - Overrides the family's (OPEN-PROMPT-2).
 */
export function cacheDialectOf(
  model: LanguageModel,
  forced?: CacheDialect['name'],
  minimumTokens?: number,
): CacheDialect {
  const { provider, modelId } =
    typeof model === 'string' ? { provider: 'gateway', modelId: model } : model
  const speaksIt =
    /anthropic/i.test(provider) || (provider === 'gateway' && /^anthropic\//.test(modelId))
  const name = forced ?? (speaksIt ? 'anthropic' : 'none')
  const family = minimumTokensByFamily.find(([pattern]) => pattern.test(modelId))
  return Object.freeze({
    name,
    minimumTokens: minimumTokens ?? family?.[1] ?? defaultMinimumTokens,
  })
}
