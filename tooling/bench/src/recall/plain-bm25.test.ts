import { describe, expect, it } from 'vitest'
import { askPlainBm25 } from './compare-recall.ts'
import { readConversations } from './conversations.ts'
import { bareWords, lightWords, plainBm25 } from './plain-bm25.ts'
import { recallOf } from './recall-at.ts'

const locomo = readConversations('locomo')

describe('plain BM25', () => {
  it('puts the rarer word and the shorter text first', () => {
    const rank = plainBm25(['tea', 'tea and milk', 'milk', 'milk and honey', 'bread'], bareWords)
    expect(rank('tea')).toEqual([0, 1])
    expect(rank('honey milk')).toEqual([3, 2, 1])
    expect(rank('wine')).toEqual([])
  })

  it('cuts the commonest endings off and leaves stop words out', () => {
    expect(lightWords('The dogs were running to the stories of a glass bakery')).toEqual([
      'dog',
      'runn',
      'story',
      'glass',
      'bakery',
    ])
  })

  // The figures that come with the data: without stop words and stemming .469/.548/.615, with .551/.621/.690.
  it.skipIf(locomo === undefined).each([
    ['bare words', bareWords, [0.469, 0.548, 0.615], 3],
    ['light words', lightWords, [0.551, 0.621, 0.69], 1.9],
  ] as const)('finds what others found on LoCoMo, with %s', (_, tokenize, known, digits) => {
    const trials = (locomo ?? []).flatMap((each) => askPlainBm25(each, tokenize))
    const recall = recallOf(trials)
    for (const [at, value] of known.entries()) expect(recall[at]).toBeCloseTo(value, digits)
  })
})
