import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import type { Conversation } from './conversation.ts'
import { type HistoryPolicy, sendEverything } from './history-policy.ts'
import { factOfThirdResult, reachAtEnd } from './reach.ts'

const run = (...results: string[]): Conversation => ({
  id: 'run',
  population: 'desk',
  messages: [
    { role: 'user', content: 'Look.' },
    ...results.flatMap((value, index): ModelMessage[] => {
      const about = { toolCallId: `c${index}`, toolName: 'look' }
      return [
        { role: 'assistant', content: [{ type: 'tool-call', ...about, input: {} }] },
        {
          role: 'tool',
          content: [{ type: 'tool-result', ...about, output: { type: 'text', value } }],
        },
      ]
    }),
    { role: 'assistant', content: 'Done.' },
  ],
})
const fact = { value: 'ZZ99XX', messageIndex: 6, partIndex: 0 }
const lookedAt = run('one', 'two', 'AB12CD here and ZZ99XX there and EF34GH', 'AB12CD')

const without = (recall?: string): HistoryPolicy => ({
  name: 'without results',
  open: () => ({
    prepare: (history) => history.filter(({ role }) => role !== 'tool'),
    ...(recall !== undefined && {
      recall: async () => ({ toolName: 'find', input: {}, text: recall }),
    }),
  }),
})

describe('the fact of the third result', () => {
  it('is the one nearest to its middle that nothing else shows', () => {
    expect(factOfThirdResult(lookedAt)).toEqual(fact)
  })

  it.each([
    { about: 'a third result', results: ['ZZ99XX', 'AB12CD'] },
    { about: 'anything of its own', results: ['ZZ99XX', 'b', 'ZZ99XX only'] },
  ])('does not exist without $about', ({ results }) => {
    expect(factOfThirdResult(run(...results))).toBeUndefined()
  })
})

describe('reaching a fact', () => {
  it.each([
    { policy: sendEverything, reach: 'in sight' },
    { policy: without('here is ZZ99XX'), reach: 'by its tool' },
    { policy: without('nothing found'), reach: 'lost' },
    { policy: without(), reach: 'lost' },
  ])('may end with it $reach', async ({ policy, reach }) => {
    expect(await reachAtEnd(lookedAt, policy, fact)).toBe(reach)
  })
})
