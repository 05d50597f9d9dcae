import { describe, expect, it } from 'vitest'
import { providerFamily } from './provider-family.ts'

describe('the family of a model', () => {
  it.each<[string | undefined, string, string]>([
    ['anthropic.messages', 'claude-5', 'anthropic'],
    ['openai.responses', 'gpt-5', 'openai'],
    ['azure.responses', 'my-deployment', 'openai'],
    ['google.generative-ai', 'gemini-3', 'google'],
    ['google.vertex.chat', 'gemini-3', 'google'],
    ['googleVertex.anthropic.messages', 'claude-5', 'anthropic'],
    ['gateway', 'openai/gpt-5', 'openai'],
    [undefined, 'google/gemini-3', 'google'],
    [undefined, 'meta/openai-lookalike', 'unknown'],
    ['openaiCompatible.chat', 'llama', 'unknown'],
    ['mock', 'openai', 'unknown'],
    ['', '', 'unknown'],
  ])('of %s, %s is %s', (provider, modelId, family) => {
    const model = provider === undefined ? { modelId } : { provider, modelId }
    expect(providerFamily(model)).toBe(family)
  })
})
