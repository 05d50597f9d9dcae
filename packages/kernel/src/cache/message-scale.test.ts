import type { ModelMessage } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import { estimateTokens } from './estimate-tokens.ts'
import { cacheMarker } from './limit-markers.ts'
import { createMessageScale } from './message-scale.ts'

const hello: ModelMessage = { role: 'user', content: 'hello' }

describe('a scale', () => {
  it.each<[string, ModelMessage, number]>([
    ['a text', hello, 1],
    ['no part', { role: 'user', content: [] }, 0],
    [
      'three results',
      {
        role: 'tool',
        content: ['a', 'b', 'c'].map((toolCallId) => ({
          type: 'tool-result' as const,
          toolCallId,
          toolName: 't',
          output: { type: 'text' as const, value: 'x' },
        })),
      },
      3,
    ],
  ])('counts the blocks of %s', (_what, message, blocks) => {
    expect(createMessageScale(estimateTokens)(message).blocks).toBe(blocks)
  })

  it('weighs each message once, however often it is sent', () => {
    const estimate = vi.fn(estimateTokens)
    const scale = createMessageScale(estimate)
    const first = scale(hello)
    expect(scale(hello)).toBe(first)
    expect(estimate).toHaveBeenCalledTimes(1)
    expect(first).toMatchObject({ tokens: 3, key: expect.stringMatching(/^[0-9a-f]{64}$/) })
  })

  it('knows a message again by what it says and not by its markers', () => {
    const scale = createMessageScale(estimateTokens)
    expect(scale({ ...hello }).key).toBe(scale(hello).key)
    expect(scale({ ...hello, providerOptions: cacheMarker('1h') }).key).toBe(scale(hello).key)
    expect(scale({ ...hello, content: 'hullo' }).key).not.toBe(scale(hello).key)
  })
})
