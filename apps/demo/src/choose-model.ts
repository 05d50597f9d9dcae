import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { CacheOptions } from '@symfonic/kernel'
import { createGateway, type LanguageModel } from 'ai'
import { createLocalModel } from './local-model/local-model.ts'
import { atOnce, type Pace } from './local-model/stream-content.ts'
import { minimumCachedTokens } from './local-model/weigh-tokens.ts'
import type { Environment } from './show/paint.ts'
import { printableLine } from './show/printable.ts'

/** The model to run on, or why there is none. */
export type ChosenModel =
  | {
      readonly model: LanguageModel
      /** What to call it. */
      readonly name: string
      /** Is it the local one, whose mistakes the written conversation counts on? */
      readonly local: boolean
      /** How its provider is told what to cache. */
      readonly cache: CacheOptions
      /** A model whose prices it is reckoned with; undefined for its own. */
      readonly pricedAs?: string
    }
  | { readonly problem: string }

/**
 * Chooses the model by the environment: `SYMFONIC_MODEL` is absent (the local model), an id of the
 * AI SDK's gateway such as `anthropic/claude-sonnet-4.5`, or the base URL of an OpenAI-compatible
 * server, with `SYMFONIC_MODEL_NAME` beside it. `SYMFONIC_API_KEY` is the key for either.
 *
 * @param pace - Of the local model.
 */
export function chooseModel(env: Environment, pace: Pace = atOnce): ChosenModel {
  const wanted = env['SYMFONIC_MODEL']?.trim() ?? ''
  const apiKey = env['SYMFONIC_API_KEY']
  if (wanted === '') {
    return {
      model: createLocalModel({ pace }),
      name: 'a local model, without a key',
      local: true,
      // It reads Anthropic's markers, which the kernel cannot know of a provider it has never met.
      cache: { dialect: 'anthropic', minimumTokens: minimumCachedTokens },
      // It costs nothing, and money is what stubs are to be seen saving.
      pricedAs: 'claude-sonnet-4-5',
    }
  }
  if (/^https?:\/\//i.test(wanted)) return atServer(wanted, env['SYMFONIC_MODEL_NAME'], apiKey)
  if (/^[\w.-]+\/[\w.:/-]+$/.test(wanted)) {
    const model = apiKey ? createGateway({ apiKey })(wanted) : wanted
    return { model, name: wanted, local: false, cache: {} }
  }
  return {
    problem: `SYMFONIC_MODEL is "${shown(wanted)}". Write creator/model for the AI SDK's gateway, or the base URL of an OpenAI-compatible server.`,
  }
}

function atServer(url: string, name: string | undefined, apiKey: string | undefined): ChosenModel {
  if (!URL.canParse(url)) {
    return {
      problem: `SYMFONIC_MODEL is no URL: "${shown(url)}". Write it like http://host:1234/v1.`,
    }
  }
  if (!name) {
    return { problem: 'SYMFONIC_MODEL is a server. Name one of its models in SYMFONIC_MODEL_NAME.' }
  }
  const provider = createOpenAICompatible({
    name: 'server',
    baseURL: url,
    includeUsage: true,
    ...(apiKey && { apiKey }),
  })
  const host = new URL(url).host
  return { model: provider(name), name: `${name} at ${host}`, local: false, cache: {} }
}

function shown(text: string): string {
  return printableLine(text).slice(0, 200)
}
