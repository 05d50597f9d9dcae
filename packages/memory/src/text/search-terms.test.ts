import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { querySearchTerms, searchTerms } from './search-terms.ts'

describe('searchTerms', () => {
  it.each([
    ['Caroline’s cafés', ['carolin', 'cafe']],
    ["don't panic", ['panic']],
    ['running runs', ['run', 'run']],
    ['ＡＢＣ', ['abc']],
    ['東京', ['東', '京', '東京']],
    ['iPhone 15を買った', ['iphon', '15', 'を', '買', 'っ', 'た', 'を買', '買っ', 'った']],
    ['Straße', ['straße']],
    ['हिन्दी', ['हिन्दी']],
    ['한국어', ['한국어']],
    ['who is it', ['who', 'is', 'it']],
    ['who is Ann', ['ann']],
    ['', []],
    ['?! 😀', []],
  ])('of %j are %j', (text, terms) => {
    expect(searchTerms(text)).toEqual(terms)
  })

  it('cuts endless words and never cuts a surrogate pair', () => {
    const [term] = searchTerms('𝒳'.repeat(3) + '𐐷'.repeat(60))
    expect(term?.length).toBeLessThanOrEqual(48)
    expect(term?.isWellFormed()).toBe(true)
  })

  it('finds a text by any piece of itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        const indexed = new Set(searchTerms(text))
        expect(querySearchTerms(text).every((term) => indexed.has(term))).toBe(true)
      }),
    )
  })

  it('gives words without blanks or control characters in them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        expect(searchTerms(text).every((term) => /^[\p{L}\p{M}\p{N}]+$/u.test(term))).toBe(true)
      }),
    )
  })

  it('reads a long hostile text in a time that grows with its length', () => {
    for (const unit of ["a'", '漢', "'", 'é’']) {
      expect(searchTerms(unit.repeat(100_000)).length).toBeLessThanOrEqual(200_000)
    }
  })
})

describe('querySearchTerms', () => {
  it('asks for each once, for pairs where there are pairs, and for a bounded number', () => {
    expect(querySearchTerms('tea Tea teas 東京')).toEqual(['tea', '東京'])
    expect(querySearchTerms('東')).toEqual(['東'])
    const many = Array.from({ length: 500 }, (_, index) => `word${index}`).join(' ')
    expect(querySearchTerms(many)).toHaveLength(64)
  })
})
