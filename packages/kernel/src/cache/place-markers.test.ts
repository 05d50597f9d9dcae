import type { ModelMessage } from 'ai'
import { describe, expect, it, vi } from 'vitest'
import type { CacheTtl } from '../capability.ts'
import { silentLogger } from '../logger.ts'
import { owned, promptAssembler } from '../testing-fixtures/prompt-assembler.ts'
import { estimateTokens } from './estimate-tokens.ts'
import { cacheMarker, markerOn } from './limit-markers.ts'
import { createMessageScale } from './message-scale.ts'
import {
  type MessagesCacheRequest,
  type MessagesCacheStrategy,
  rollingLadder,
} from './messages-cache.ts'
import { countMarked, markMessages, toInstructions } from './place-markers.ts'

const conversation: ModelMessage[] = ['a', 'b', 'c', 'd', 'e'].map((content, index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content,
}))

describe('the system messages of a prompt', () => {
  it('carry the markers that were allotted, and nothing else', async () => {
    const prompt = await assemble('1h')
    const instructions = toInstructions(prompt)
    expect(instructions).toEqual([
      { role: 'system', content: 'L0', providerOptions: cacheMarker('1h') },
      { role: 'system', content: 'L1', providerOptions: cacheMarker('1h') },
      { role: 'system', content: 'L2' },
    ])
    expect(instructions[2]).not.toHaveProperty('providerOptions')
    expect(toInstructions(prompt)).toBe(instructions)
  })
})

describe('messages', () => {
  it('pass as they are where there is no strategy and no marker', async () => {
    const marked = await mark(undefined)
    expect(marked).toEqual({ messages: conversation, markers: [] })
    expect(marked.messages).toBe(conversation)
  })

  it.each<[string, unknown, number, number[]]>([
    ['none', [], 2, []],
    ['those named', [4, 2], 2, [2, 4]],
    ['the first of those named, where markers are few', [4, 2, 0], 2, [2, 4]],
    ['one named twice, once', [4, 4], 2, [4]],
    ['none beyond the end', [5, 99], 2, []],
    ['none before the start', [-1], 2, []],
    ['none in between', [0.5], 2, []],
    ['none at no number', [Number.NaN, undefined, null, 'length', '1'], 9, []],
    ['those that are there, among silly ones', [Number.POSITIVE_INFINITY, 3], 2, [3]],
    ['none for a strategy without slots', [4], 0, []],
    ['none for a strategy with less than none', [4], -1, []],
    ['none for one that counts in no number', [4], Number.NaN, []],
    [
      'as many as are left for one that wants all',
      [0, 1, 2, 3, 4],
      Number.POSITIVE_INFINITY,
      [0, 1],
    ],
  ])('are marked where the strategy says: %s', async (_what, chosen, slots, expected) => {
    const { messages, markers } = await mark({ slots, boundaries: () => chosen as number[] })
    expect(markedOf(messages)).toEqual(expected)
    expect(markers).toEqual(expected.map((message) => ({ message, ttl: '5m' })))
    expect(messages.map(({ content }) => content)).toEqual(conversation.map((m) => m.content))
    for (const [index, message] of messages.entries()) {
      expect(message === conversation[index]).toBe(!expected.includes(index))
    }
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no idea')
      },
    ],
    ['gives nothing', () => undefined],
    ['gives a number', () => 4],
    ['gives a text', () => 'abc'],
    ['gives a promise', async () => [1]],
  ])(
    'are marked by nobody when the strategy %s, with a warning that names it',
    async (_how, boundaries) => {
      const warn = vi.fn()
      const strategy = { slots: 2, boundaries: boundaries as () => number[] }
      const { messages, markers } = await mark(strategy, { warn })
      expect([messages, markers]).toEqual([conversation, []])
      expect(warn).toHaveBeenCalledExactlyOnceWith(
        'the messages cache strategy "own" failed; no message is marked',
        { reason: expect.any(String) },
      )
    },
  )

  it('are shown to the strategy with what it may use and what they weigh', async () => {
    const boundaries = vi.fn((_: MessagesCacheRequest) => [])
    await mark({ slots: 3, boundaries })
    const [request] = boundaries.mock.calls[0] ?? []
    expect(request).toMatchObject({ messages: conversation, slots: 2, minimumTokens: 7 })
    // One for `[]`, one for each layer, then two a message: its role is part of it.
    expect([0, 1, 2].map((index) => request?.prefixTokens(index))).toEqual([6, 9, 11])
    expect(request?.prefixTokens(-1)).toBe(4)
    expect(request?.prefixTokens(99)).toBe(request?.prefixTokens(4))
  })

  it('that the host has marked keep its lifetime, and count', async () => {
    const mine: ModelMessage = { role: 'user', content: 'z', providerOptions: cacheMarker('1h') }
    const given = [mine, ...conversation]
    const strategy = { slots: 2, boundaries: () => [5, 0] }
    const { messages, markers } = await mark(strategy, { messages: given, ttl: '1h' })
    expect(messages[0]).toBe(mine)
    expect(markers).toEqual([
      { message: 0, ttl: '1h' },
      { message: 5, ttl: '5m' },
    ])
  })

  it('are not marked twice where the host has marked the last part', async () => {
    const part = { type: 'text' as const, text: 'z', providerOptions: cacheMarker('5m') }
    const given: ModelMessage[] = [{ role: 'user', content: [part] }, ...conversation]
    const strategy = { slots: 2, boundaries: () => [0, 5] }
    const { messages, markers } = await mark(strategy, { messages: given })
    expect(messages[0]).toBe(given[0])
    expect(markers.map(({ message }) => message)).toEqual([0, 5])
  })

  it('never last longer than the prompt in front of them', async () => {
    const mine: ModelMessage = { role: 'user', content: 'z', providerOptions: cacheMarker('1h') }
    const { messages } = await mark(undefined, { messages: [mine], ttl: '5m' })
    expect(messages.map(markerOn)).toEqual(['5m'])
  })

  it('of a ladder carry two markers besides those of the prompt', async () => {
    const { messages } = await mark(rollingLadder, { minimumTokens: 0 })
    expect(markedOf(messages)).toEqual([2, 4])
  })
})

describe('the markers of the host', () => {
  it.each([
    [0, 0],
    [1, 1],
    [3, 3],
    [7, 4],
  ])('are counted up to what can be sent: %i', (count, expected) => {
    const marked = conversation.map((message) => ({
      ...message,
      providerOptions: cacheMarker('5m'),
    }))
    const messages = [...marked, ...marked].slice(0, count) as ModelMessage[]
    expect(countMarked([...conversation, ...messages], 4)).toBe(expected)
  })
})

function assemble(cacheTtl: CacheTtl) {
  const sections = (['L0', 'L1', 'L2'] as const).map((layer) =>
    owned({ name: layer, layer, render: () => layer }),
  )
  return promptAssembler(sections, { cacheTtl })({ messageMarkers: 2 })
}

async function mark(
  own: Pick<MessagesCacheStrategy, 'slots' | 'boundaries'> | undefined,
  {
    messages = conversation,
    ttl = '5m' as CacheTtl,
    minimumTokens = 7,
    warn = vi.fn() as (message: string) => void,
  } = {},
) {
  return markMessages(await assemble(ttl), messages, {
    strategy: own && { name: 'own', ...own },
    minimumTokens,
    scale: createMessageScale(estimateTokens),
    logger: { ...silentLogger, warn },
  })
}

function markedOf(messages: readonly ModelMessage[]): number[] {
  return messages.flatMap((message, index) => (markerOn(message) === undefined ? [] : [index]))
}
