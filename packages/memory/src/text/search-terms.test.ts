import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { querySearchTerms, searchTerms } from './search-terms.ts'

describe('searchTerms', () => {
  it.each([
    ['Caroline’s cafés', ['carolin', 'cafe']],
    ["don't panic", ['panic']],
    ['running runs', ['run', 'run']],
    ['She bought, he went; buying, goes', ['bui', 'go', 'bui', 'go']],
    ['ＡＢＣ', ['abc']],
    ['東京', ['東', '京', '東京']],
    ['iPhone 15を買った', ['iphon', '15', 'を', '買', 'っ', 'た', 'を買', '買っ', 'った']],
    ['Straße STRASSE straẞe', ['strass', 'strass', 'strass']],
    ['हिन्दी', ['हिन्दी']],
    ['한국어 김치', ['한국어', '한', '한국', '국어', '김', '김치']],
    ['K팝을 꼭', ['k', '팝', '팝을', '꼭']],
    ['القهوة بالقهوة للقهوة قَهْوَةٌ قهــوة', ['قهوه', 'قهوه', 'قهوه', 'قهوه', 'قهوه']],
    ['أحب آل على', ['احب', 'ال', 'علي']],
    ['who is it', ['who', 'is', 'it']],
    ['who is Ann', ['ann']],
    ['', []],
    ['?!', []],
    ['I ❤️ 🍕 in 🇫🇷 👍🏽 ©', ['❤', '🍕', '🇫🇷', '👍']],
  ])('of %j are %j', (text, terms) => {
    expect(searchTerms(text)).toEqual(terms)
  })

  it.each([
    ['Where did she go?', 'I went to Ulm'],
    ['what has he bought', 'Buys a boat'],
    ['child', 'The children’s room'],
    ['who died', 'His cat dies'],
    ['thoughts', 'I think'],
    ['김치', '나는 김치를 좋아한다'],
    ['김치가', '나는 김치를 좋아한다'],
    ['집', '집에 간다'],
    ['قهوة', 'أحب القهوة العربية'],
    ['العربيّة', 'قهوة عربية'],
    ['straße', 'HAUPTSTRASSE 1, STRASSE 2'],
    ['🍕', 'Ann brings 🍕 on Friday'],
  ])('find by %j the text %j', (query, text) => {
    const indexed = new Set(searchTerms(text))
    expect(querySearchTerms(query).some((term) => indexed.has(term))).toBe(true)
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
        expect(
          searchTerms(text).every((term) =>
            /^[\p{L}\p{M}\p{N}\p{Extended_Pictographic}\u{1f1e6}-\u{1f1ff}]+$/u.test(term),
          ),
        ).toBe(true)
      }),
    )
  })

  it('reads a long hostile text in a time that grows with its length', () => {
    for (const unit of ["a'", '漢', "'", 'é’', 'ا', '🇫', '❤']) {
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
