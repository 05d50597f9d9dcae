import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModel } from 'ai'
import { describe, expect, it } from 'vitest'
import { scriptedModel } from '../testing/scripted-model.ts'
import { cacheDialectOf } from './cache-dialect.ts'

const anthropic = createAnthropic({ apiKey: 'none' })
const local = createOpenAICompatible({ name: 'local', baseURL: 'http://localhost' })
const posing = (provider: string, modelId = 'm') => scriptedModel([], { provider, modelId })

describe('the dialect of a provider', () => {
  it.each<[string, LanguageModel, 'anthropic' | 'none']>([
    ['Anthropic’s own', anthropic('claude-sonnet-4-5'), 'anthropic'],
    ['Anthropic’s on Vertex', posing('googleVertex.anthropic.messages'), 'anthropic'],
    ['Anthropic’s on Bedrock', posing('bedrock.anthropic.messages'), 'anthropic'],
    ['Anthropic’s on Amazon', posing('amazon-bedrock.anthropic'), 'anthropic'],
    ['the gateway, by an id', 'anthropic/claude-sonnet-4-5', 'anthropic'],
    ['the gateway, by a model', posing('gateway', 'anthropic/claude-sonnet-4-5'), 'anthropic'],
    ['the gateway for somebody else', 'openai/gpt-5', 'none'],
    ['the gateway, for a name that only looks like it', 'other/anthropic/claude', 'none'],
    ['a name without a maker', 'claude-sonnet-4-5', 'none'],
    ['OpenAI-compatible', local('claude-sonnet-4-5'), 'none'],
    ['OpenAI', posing('openai.responses', 'gpt-5'), 'none'],
    ['Google', posing('google.generative-ai'), 'none'],
    ['Bedrock’s own converse', posing('amazon-bedrock', 'anthropic.claude-sonnet-4-5'), 'none'],
    ['scripted', scriptedModel([]), 'none'],
  ])('%s is told by markers or not at all (PROMPT-28)', (_who, model, expected) => {
    const dialect = cacheDialectOf(model)
    expect(dialect.name).toBe(expected)
    expect(Object.isFrozen(dialect)).toBe(true)
  })

  it.each<[LanguageModel, 'anthropic' | 'none']>([
    [scriptedModel([]), 'anthropic'],
    [anthropic('claude-sonnet-4-5'), 'none'],
  ])('can be forced %#', (model, forced) => {
    expect(cacheDialectOf(model, forced).name).toBe(forced)
  })
})

describe('the shortest prefix that is cached', () => {
  it.each([
    ['claude-opus-4-6', 4_096],
    ['claude-opus-4-5-20251101', 4_096],
    ['claude-haiku-4-5', 4_096],
    ['anthropic/claude-haiku-4.5', 4_096],
    ['claude-sonnet-4-6', 2_048],
    ['claude-3-5-haiku-latest', 2_048],
    ['claude-sonnet-4-5', 1_024],
    ['claude-opus-4-1', 1_024],
    ['a model of tomorrow', 1_024],
  ])('is that of the family: %s', (modelId, expected) => {
    expect(cacheDialectOf(posing('anthropic', modelId)).minimumTokens).toBe(expected)
  })

  it.each([0, 77])('is what the host says (OPEN-PROMPT-2): %i', (minimumTokens) => {
    const { name, ...rest } = cacheDialectOf(anthropic('claude-opus-4-6'), undefined, minimumTokens)
    expect([name, rest]).toEqual(['anthropic', { minimumTokens }])
  })
})
