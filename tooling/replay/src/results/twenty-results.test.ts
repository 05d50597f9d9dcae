import type { ModelMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { type HistoryPolicy, sendEverything } from './history-policy.ts'
import { liveThrough } from './live-through.ts'
import { costOf } from './prompt-cache.ts'
import { factOfThirdResult } from './reach.ts'
import { twentyResults } from './twenty-results.ts'
import { resultText } from './wire-text.ts'

/** Replaces what results show, by their number from the end, from 0. */
const replacing = (replace: (text: string, age: number) => string): HistoryPolicy => ({
  name: 'replacing',
  open: () => ({
    prepare: (history) => {
      let age = history.filter(({ role }) => role === 'tool').length
      return history.map((message): ModelMessage => {
        if (message.role !== 'tool') return message
        age -= 1
        return {
          ...message,
          content: message.content.map((part) =>
            part.type === 'tool-result'
              ? { ...part, output: { type: 'text', value: replace(resultText(part), age) } }
              : part,
          ),
        }
      })
    },
  }),
})

async function usdOf(policy: HistoryPolicy): Promise<number> {
  const nothingAsked = { asking: 'nothing', withTool: false } as const
  return costOf((await liveThrough(twentyResults(), policy, nothingAsked)).requests).usd
}

describe('the run of twenty results', () => {
  const results = twentyResults().messages.filter(({ role }) => role === 'tool')

  it('has twenty of 20,000 characters, and the third has a fact of its own', () => {
    const texts = results.map(({ content }) => JSON.stringify(content))
    expect(results).toHaveLength(20)
    for (const text of texts) expect(text.length).toBeGreaterThan(20_000)
    expect(factOfThirdResult(twentyResults())?.value).toMatch(/^P\d{7}$/)
  })

  it('is the same each time', () => {
    expect(twentyResults()).toEqual(twentyResults())
  })

  it.each([
    {
      about: 'keeping the last three',
      policy: replacing((text, age) => (age < 3 ? text : '[cleared]')),
      ratio: 1.53,
    },
    {
      about: 'a stub of 4,500 characters on arrival',
      policy: replacing((text) => text.slice(0, 4_500)),
      ratio: 0.24,
    },
    {
      about: 'a stub of 2,600 characters on arrival',
      policy: replacing((text) => text.slice(0, 2_600)),
      ratio: 0.15,
    },
    {
      about: 'a stub of 1,000 characters on arrival',
      policy: replacing((text) => text.slice(0, 1_000)),
      ratio: 0.07,
    },
  ])('costs $ratio times as much with $about', async ({ policy, ratio }) => {
    expect((await usdOf(policy)) / (await usdOf(sendEverything))).toBeCloseTo(ratio, 2)
  })
})
