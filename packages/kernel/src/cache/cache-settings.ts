import type { LanguageModel } from 'ai'
import type { CacheTtl } from '../capability.ts'
import type { Logger } from '../logger.ts'
import { type CacheDialect, cacheDialectOf } from './cache-dialect.ts'
import { estimateTokens, type TokenEstimator, withRuleOfThumb } from './estimate-tokens.ts'
import { createMessageScale } from './message-scale.ts'
import {
  type MessagesCachePolicy,
  type MessagesCacheStrategy,
  messagesCacheStrategyFor,
} from './messages-cache.ts'
import type { MessageMarking } from './place-markers.ts'
import { createPrefixWatch, type PrefixWatch } from './prefix-watch.ts'

/** How a kernel has its prompts cached. Everything is optional. */
export interface CacheOptions {
  /** Lifetime of the cached layers. Default '5m'; false places no markers at all. */
  readonly ttl?: CacheTtl | false
  /**
   * Where messages may end a cached prefix (PROMPT-26). Default `stable-boundary`. An object is a
   * strategy of your own (PROMPT-32).
   */
  readonly messages?: MessagesCachePolicy | MessagesCacheStrategy
  /** How the provider is told. Default: by the model's provider; others than Anthropic's get no markers. */
  readonly dialect?: CacheDialect['name']
  /** Shortest prefix the model caches, in tokens. Default: its family's, 1,024 to 4,096. */
  readonly minimumTokens?: number
  /** Default: four characters to a token, which also stands in for one that fails. */
  readonly estimateTokens?: TokenEstimator
}

/** The same, resolved once for a kernel. */
export interface CacheSettings extends MessageMarking {
  /** false for a provider that is sent no markers. */
  readonly ttl: CacheTtl | false
  readonly estimateTokens: TokenEstimator
  /** undefined where nothing is marked: then there is nothing to predict. */
  readonly watch: PrefixWatch | undefined
}

/** Resolves the options for a model. */
export function resolveCache(
  options: CacheOptions,
  { model, logger }: { model: LanguageModel; logger: Logger },
): CacheSettings {
  const dialect = cacheDialectOf(model, options.dialect, options.minimumTokens)
  const ttl = dialect.name === 'none' ? false : (options.ttl ?? '5m')
  const own = options.estimateTokens
  const estimate = own === undefined ? estimateTokens : withRuleOfThumb(own, logger)
  const scale = createMessageScale(estimate)
  const strategy = messagesCacheStrategyFor(options.messages ?? 'stable-boundary', logger)
  return Object.freeze({
    ttl,
    strategy: ttl === false ? undefined : strategy,
    minimumTokens: dialect.minimumTokens,
    estimateTokens: estimate,
    scale,
    logger,
    watch:
      ttl === false
        ? undefined
        : createPrefixWatch({ scale, logger, minimumTokens: dialect.minimumTokens }),
  })
}
