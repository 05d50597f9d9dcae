import { stemmer } from 'stemmer'
import { memoryLimits } from '../limits.ts'
import { plainStems } from './irregular-forms.ts'
import { stopWords } from './stop-words.ts'

/** Terms of a query that are looked up; the rest is left out. */
const queryTerms = 64

/** Characters of a term; the rest of a longer word is left out. */
const termChars = 48

/**
 * What the terms of one text may take up in an index, in bytes. PostgreSQL has room for twice as much in an entry,
 * which has two texts. Only texts of no language come near it.
 */
const indexBytes = 524_000

/** A text of fewer characters stays below it, whatever it says. */
const alwaysFits = 15_000

/**
 * Which terms `searchTerms` gives. A database remembers by which its index was made, and makes it anew
 * where this number is greater: raise it with every change of a term, or of how a store spells terms. Otherwise what was
 * written before is not found.
 */
export const termsVersion = 1

/**
 * The words of a text as every index keeps them, in order, repeats included. Of a text of tens of thousands of
 * characters that hardly repeats itself, the end is left out.
 *
 * Width, case, accents of Latin letters, English endings and irregular English forms are levelled; English stop words
 * are left out, unless there is nothing else. Scripts that put no blank between words (Chinese, Japanese, Thai
 * and their neighbours) give single characters and pairs. Korean words, which end in particles, give
 * themselves, their first syllable and pairs. Arabic words are bare of vowel marks and of the article. Every
 * other script gives its words whole, and an emoji is a word.
 * What is written here and what is asked for meet because both go through this function, in every
 * store. It asks no dictionary of the platform, so of a new version of ICU it takes new letters only.
 *
 * @example `searchTerms('Caroline’s cafés in 東京')` is `['carolin', 'cafe', '東', '京', '東京']`.
 */
export function searchTerms(text: string): string[] {
  return terms(text, true)
}

/**
 * What to look up for a query: its terms, each once, at most 64. Pairs of characters stand for the
 * characters in them.
 */
export function querySearchTerms(text: string): string[] {
  return [...new Set(terms(text.slice(0, memoryLimits.queryChars), false))].slice(0, queryTerms)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with them.
const asciiOnly = /^[\u0000-\u007f]*$/u
const asciiWord = /[a-z0-9]+(?:'[a-z]+)?/gu
const anyWord =
  /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)?|[\u{1f1e6}-\u{1f1ff}]{2}|(?![©®])\p{Extended_Pictographic}/gu
const withoutBlanks =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々〆]+/u
const hangul = /\p{Script=Hangul}+/u
const parted = new RegExp(`(${withoutBlanks.source}|${hangul.source})`, 'u')
// They choose how a sign is drawn, not which one it is.
const variationSelectors = /[\ufe00-\ufe0f]/gu
const latinAccents = /[\u0300-\u036f]/gu

function terms(text: string, isIndexed: boolean): string[] {
  const found: string[] = []
  const stopped: string[] = []
  const isAscii = asciiOnly.test(text)
  const level = isAscii
    ? text.toLowerCase()
    : foldCase(text.normalize('NFKC').replace(variationSelectors, ''))
  for (const word of level.match(isAscii ? asciiWord : anyWord) ?? []) {
    if (isAscii) addPlain(withoutApostrophe(word, "'"), found, stopped)
    else if (!parted.test(word)) addWord(word, found, stopped)
    else {
      for (const part of word.split(parted)) {
        if (part === '') continue
        if (withoutBlanks.test(part)) addCharacters(part, isIndexed, found)
        else if (hangul.test(part)) addSyllables(part, isIndexed, found)
        else addWord(part, found, stopped)
      }
    }
  }
  const all = found.length > 0 ? found : stopped
  return isIndexed && level.length > alwaysFits ? fitting(all) : all
}

/** The first of the terms, as many as an index has room for. */
function fitting(found: string[]): string[] {
  const seen = new Map<string, number>()
  let bytes = 0
  const end = found.findIndex((term) => {
    const times = seen.get(term) ?? 0
    seen.set(term, times + 1)
    // At most three bytes a character, and the tag of the partition; each time, its place, up to 255.
    if (times === 0) bytes += term.length * 3 + 12
    else if (times < 255) bytes += 2
    return bytes > indexBytes
  })
  return end < 0 ? found : found.slice(0, end)
}

/** Lower case, and ß as the ss that its capitals are. */
function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ß', 'ss')
}

function addWord(word: string, found: string[], stopped: string[]): void {
  const bare = withoutApostrophe(withoutApostrophe(word, "'"), '’').normalize('NFD')
  const level = arabic.test(bare) ? arabicStem(bare) : bare
  addPlain(level.replace(latinAccents, '').normalize('NFC'), found, stopped)
}

const arabic = /\p{Script=Arabic}/u
// Vowel marks, the stretching line, and hamza and madda, which many leave out.
const arabicMarks =
  /[\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed]/gu
const arabicForms: Readonly<Record<string, string>> = { ٱ: 'ا', ة: 'ه', ى: 'ي', ی: 'ي', ک: 'ك' }
// The article, alone or behind and, with, like, so, for; a root of two letters at least is left.
const arabicArticle = /^(?:[وبكف]?ال|لل)(?=.{2})/u

function arabicStem(word: string): string {
  return word
    .replace(arabicMarks, '')
    .replace(/[ٱةىیک]/gu, (letter) => arabicForms[letter] ?? letter)
    .replace(arabicArticle, '')
}

/** A Korean word and its pairs; in an index its first syllable, too, as a noun may have one only. */
function addSyllables(word: string, isIndexed: boolean, found: string[]): void {
  const syllables = [...word]
  if (syllables.length !== 2) found.push(termOf(word))
  if (isIndexed && syllables.length > 1) found.push(syllables[0] ?? '')
  addPairs(syllables, found)
}

function addPlain(word: string, found: string[], stopped: string[]): void {
  const term = termOf(word)
  if (term !== '') found.push(term)
  else if (word !== '') stopped.push(word)
}

function withoutApostrophe(word: string, apostrophe: string): string {
  const at = word.indexOf(apostrophe)
  if (at < 0) return word
  // A genitive is its owner; "don't" is one word.
  const ending = word.slice(at + 1)
  return ending === 's' ? word.slice(0, at) : word.slice(0, at) + ending
}

function addCharacters(run: string, isIndexed: boolean, found: string[]): void {
  const characters = [...run]
  if (isIndexed || characters.length === 1) found.push(...characters)
  addPairs(characters, found)
}

function addPairs(characters: readonly string[], found: string[]): void {
  for (let index = 1; index < characters.length; index += 1) {
    found.push(`${characters[index - 1]}${characters[index]}`)
  }
}

/** Terms that were worked out already. Emptied when full: a bound on memory, not on what is known. */
const termsOfWords = new Map<string, string>()

/** The term a word is kept as; empty for a stop word. */
function termOf(word: string): string {
  const known = termsOfWords.get(word)
  if (known !== undefined) return known
  const cut = word.length > termChars ? word.slice(0, termChars).toWellFormed() : word
  const term = stopWords.has(cut) ? '' : /^[a-z]{3,}$/u.test(cut) ? stemOf(cut) : cut
  // A word too long to be met again is not worth the room.
  if (cut !== word) return term
  if (termsOfWords.size >= 65_536) termsOfWords.clear()
  termsOfWords.set(word, term)
  return term
}

function stemOf(word: string): string {
  return plainStems.get(word) ?? stemmer(word)
}
