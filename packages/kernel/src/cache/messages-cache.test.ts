import type { ModelMessage } from 'ai'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { silentLogger } from '../logger.ts'
import {
  lastStableTurnBoundary,
  type MessagesCachePolicy,
  type MessagesCacheStrategy,
  messagesCachePolicies,
  messagesCacheStrategyFor,
  rollingLadder,
} from './messages-cache.ts'

type AssistantContent = Extract<ModelMessage, { role: 'assistant' }>['content']

const user = (content = 'hello'): ModelMessage => ({ role: 'user', content })
const says = (content: AssistantContent = 'well'): ModelMessage => ({ role: 'assistant', content })
const calls = (...ids: string[]): ModelMessage =>
  says(ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 't', input: {} })))
const results = (...ids: string[]): ModelMessage => ({
  role: 'tool',
  content: ids.map((toolCallId) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 't',
    output: { type: 'text', value: 'x' },
  })),
})
const remote: ModelMessage = says([
  { type: 'tool-call', toolCallId: 'r', toolName: 'search', input: {}, providerExecuted: true },
  { type: 'text', text: 'found' },
])

describe('the last stable turn boundary (PROMPT-27)', () => {
  it.each<[string, ModelMessage[], number[]]>([
    ['nothing', [], []],
    ['a message nobody has answered', [user()], []],
    ['the user’s, once it is answered', [user(), says()], [0]],
    ['the latest that is closed', [user(), says(), user()], [1]],
    ['the user’s behind which a call waits', [user(), calls('a')], [0]],
    ['calls that are answered', [user(), calls('a', 'b'), results('a', 'b')], [1]],
    ['calls answered in two messages', [user(), calls('a', 'b'), results('a'), results('b')], [1]],
    ['not calls of which one waits (OPEN-PROMPT-7)', [user(), calls('a', 'b'), results('a')], [0]],
    ['not calls answered behind something else', [user(), calls('a'), user(), results('a')], [2]],
    ['what a provider has run itself', [user(), remote, user()], [1]],
    ['not an empty text', [user(), says(''), user()], [0]],
    ['not an answer of no parts', [user(), says([]), user()], [0]],
    ['not a thought at the end', [user(), says([{ type: 'reasoning', text: 'hm' }]), user()], [0]],
    ['not an empty text at the end', [user(), says([{ type: 'text', text: '' }]), user()], [0]],
    ['nothing before the user has spoken', [says('hi')], []],
  ])('is %s', (_what, messages, expected) => {
    expect(boundaries(lastStableTurnBoundary, messages)).toEqual(expected)
  })

  it.each([
    [20, [1]],
    [21, []],
  ])(
    'is none while its prefix is too short to be cached: at least %i',
    (minimumTokens, expected) => {
      const messages = [user(), says(), user()]
      expect(boundaries(lastStableTurnBoundary, messages, { minimumTokens })).toEqual(expected)
    },
  )
})

describe('the rolling ladder (PROMPT-29)', () => {
  const turn = [user(), calls('a'), results('a'), calls('b'), results('b')]

  it.each<[string, ModelMessage[], number[]]>([
    ['the only message', [user()], [0]],
    ['the end, and the end of the request before', [user(), calls('a'), results('a')], [2, 0]],
    ['those two only, however long it gets', turn, [4, 2]],
    ['the next question, and the one before', [user(), says(), user()], [2, 0]],
    ['the last of several messages in a row', [user(), user(), calls('a'), results('a')], [3, 1]],
    ['not an answer that the provider goes on with', [user(), remote], [0]],
    ['nothing', [], []],
  ])('marks %s', (_what, messages, expected) => {
    expect(boundaries(rollingLadder, messages)).toEqual(expected)
  })

  it('is the single stable boundary where there is one marker (PROMPT-30)', () => {
    expect(boundaries(rollingLadder, turn, { slots: 1 })).toEqual([3])
  })

  it('leaves out what is too short to be cached', () => {
    expect(boundaries(rollingLadder, turn, { minimumTokens: 31 })).toEqual([4])
    expect(boundaries(rollingLadder, turn, { minimumTokens: 51 })).toEqual([])
  })

  it('reads at each step what the step before has written, however many calls they make', () => {
    const step = fc.record({ calls: fc.integer({ min: 0, max: 30 }), answers: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const messages = [user()]
        let newest = boundaries(rollingLadder, messages)[0]
        for (const [index, { calls: count, answers }] of steps.entries()) {
          const ids = Array.from({ length: count }, (_, call) => `${index}-${call}`)
          if (count > 0) messages.push(calls(...ids), results(...ids))
          else messages.push(says(), user())
          if (answers) messages.push(user('and this'))
          const chosen = boundaries(rollingLadder, messages)
          expect(chosen).toContain(newest)
          expect(chosen[0]).toBe(messages.length - 1)
          newest = chosen[0]
        }
      }),
    )
  })
})

describe('either strategy', () => {
  it.each([lastStableTurnBoundary, rollingLadder])(
    'names messages that are there, within its slots, the latest first: $name',
    (strategy) => {
      const message = fc.constantFrom(user(), says(), says(''), calls('a'), results('a'), remote)
      fc.assert(
        fc.property(
          fc.array(message),
          fc.integer({ min: 1, max: strategy.slots }),
          (messages, slots) => {
            const chosen = boundaries(strategy, messages, { slots })
            expect(chosen.length).toBeLessThanOrEqual(slots)
            expect(chosen).toEqual(chosen.toSorted((a, b) => b - a))
            for (const index of chosen) expect(messages[index]).toBeDefined()
          },
        ),
      )
    },
  )
})

describe('a policy (PROMPT-26)', () => {
  it.each<[MessagesCachePolicy, MessagesCacheStrategy | undefined, number]>([
    ['off', undefined, 0],
    ['stable-boundary', lastStableTurnBoundary, 0],
    ['rolling', rollingLadder, 0],
    ['window-aware', lastStableTurnBoundary, 1],
  ])('%s stands for a strategy', (policy, expected, infos) => {
    const info = vi.fn()
    expect(messagesCacheStrategyFor(policy, { ...silentLogger, info })).toBe(expected)
    expect(info).toHaveBeenCalledTimes(infos)
    expect(messagesCachePolicies).toContain(policy)
  })

  it('of the host’s own is taken as it is (PROMPT-32)', () => {
    const own: MessagesCacheStrategy = { name: 'own', slots: 1, boundaries: () => [] }
    expect(messagesCacheStrategyFor(own, silentLogger)).toBe(own)
  })
})

/** Ten tokens a message. */
function boundaries(
  strategy: MessagesCacheStrategy,
  messages: readonly ModelMessage[],
  { slots = 2, minimumTokens = 0 } = {},
): readonly number[] {
  const prefixTokens = (index: number) => 10 * (index + 1)
  return strategy.boundaries({ messages, slots, minimumTokens, prefixTokens })
}
