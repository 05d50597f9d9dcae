import { createAnthropic } from '@ai-sdk/anthropic'
import { describe, expect, it, vi } from 'vitest'
import { silentLogger } from '../logger.ts'
import { scriptedModel } from '../testing/scripted-model.ts'
import { type CacheOptions, resolveCache } from './cache-settings.ts'
import {
  lastStableTurnBoundary,
  type MessagesCacheStrategy,
  rollingLadder,
} from './messages-cache.ts'

const claude = createAnthropic({ apiKey: 'none' })('claude-sonnet-4-5')
const other = scriptedModel([])
const own: MessagesCacheStrategy = { name: 'own', slots: 1, boundaries: () => [] }

describe('the cache of a kernel', () => {
  it.each<[string, CacheOptions, object]>([
    ['nothing is said', {}, { ttl: '5m', strategy: lastStableTurnBoundary, minimumTokens: 1_024 }],
    ['an hour is wished', { ttl: '1h' }, { ttl: '1h', strategy: lastStableTurnBoundary }],
    ['a ladder is wished', { messages: 'rolling' }, { strategy: rollingLadder }],
    ['no message is to be marked', { messages: 'off' }, { ttl: '5m', strategy: undefined }],
    ['the host has a strategy', { messages: own }, { strategy: own }],
    ['the host knows the model', { minimumTokens: 7 }, { minimumTokens: 7 }],
    ['nothing is to be marked', { ttl: false, messages: own }, { ttl: false, strategy: undefined }],
    ['the dialect is none', { dialect: 'none', ttl: '1h' }, { ttl: false, strategy: undefined }],
  ])('with Anthropic’s provider, where %s', (_what, options, expected) => {
    const settings = resolveCache(options, { model: claude, logger: silentLogger })
    expect(settings).toMatchObject(expected)
    expect(settings.watch === undefined).toBe(settings.ttl === false)
    expect(Object.isFrozen(settings)).toBe(true)
  })

  it.each<[string, CacheOptions, object]>([
    [
      'marks nothing and watches nothing',
      {},
      { ttl: false, strategy: undefined, watch: undefined },
    ],
    ['whatever is wished', { ttl: '1h', messages: 'rolling' }, { ttl: false, strategy: undefined }],
    ['unless it speaks the dialect', { dialect: 'anthropic' }, { ttl: '5m' }],
  ])('with another provider %s (PROMPT-28)', (_what, options, expected) => {
    expect(resolveCache(options, { model: other, logger: silentLogger })).toMatchObject(expected)
  })

  it('weighs with the host’s estimator', () => {
    const estimateTokens = (text: string) => text.length
    const settings = resolveCache({ estimateTokens }, { model: claude, logger: silentLogger })
    expect(settings.estimateTokens('four!')).toBe(5)
    expect(settings.scale({ role: 'user', content: 'four' }).tokens).toBe('user\nfour'.length)
  })

  it('says once that a policy is not there yet (PROMPT-31)', () => {
    const info = vi.fn()
    const logger = { ...silentLogger, info }
    const { strategy } = resolveCache({ messages: 'window-aware' }, { model: claude, logger })
    expect(strategy).toBe(lastStableTurnBoundary)
    expect(info).toHaveBeenCalledTimes(1)
  })
})
