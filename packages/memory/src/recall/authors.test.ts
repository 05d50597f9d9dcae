import { describe, expect, it } from 'vitest'
import { sample } from '../testing/sample.ts'
import { rankAuthors } from './authors.ts'

const by = (key: string, author?: string, subject?: string) => ({
  key,
  entry: {
    ...sample(key, {
      provenance: { source: 'turn', ...(author !== undefined && { author }) },
      ...(subject !== undefined && { subject }),
    }),
    version: 1,
  },
})
const candidates = [
  by('said by ann', 'Ann'),
  by('said by ben', 'Ben'),
  by('about ann', undefined, 'Ann Okoro'),
  by('by nobody'),
]
const scoresOf = (text: string) =>
  Object.fromEntries(rankAuthors(candidates, { text }).ranked.map(({ key, score }) => [key, score]))

describe('rankAuthors', () => {
  it.each([
    ["What is Ann's job?", { 'said by ann': 1, 'about ann': 0.5 }],
    ['What does ANN OKORO do?', { 'said by ann': 1, 'about ann': 1 }],
    ['Did Ann meet Ben?', { 'said by ann': 1, 'said by ben': 1, 'about ann': 0.5 }],
    ['What about Annabel?', {}],
    ['', {}],
  ])('ranks who is named in "%s"', (text, expected) => {
    expect(scoresOf(text)).toEqual(expected)
  })
})
