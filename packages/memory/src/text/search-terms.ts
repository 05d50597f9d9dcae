import { stemmer } from 'stemmer'
import { memoryLimits } from '../limits.ts'
import { stopWords } from './stop-words.ts'

/** Terms of a query that are looked up; the rest is left out. */
const queryTerms = 64

/** Characters of a term; the rest of a longer word is left out. */
const termChars = 48

/**
 * The words of a text as every index keeps them, in order, repeats included.
 *
 * Width, case, accents of Latin letters and English endings are levelled; English stop words are left
 * out, unless there is nothing else. Scripts that put no blank between words (Chinese, Japanese, Thai
 * and their neighbours) give single characters and pairs. Every other script gives its words whole.
 * What is written here and what is asked for meet because both go through this function, in every
 * store. It asks no dictionary of the platform, so an index does not go stale with a new version of ICU.
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
const anyWord = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)?/gu
const withoutBlanks =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々〆]+/u
const parted = new RegExp(`(${withoutBlanks.source})`, 'u')
const latinAccents = /[\u0300-\u036f]/gu

function terms(text: string, isIndexed: boolean): string[] {
  const found: string[] = []
  const stopped: string[] = []
  const isAscii = asciiOnly.test(text)
  const level = isAscii ? text.toLowerCase() : text.normalize('NFKC').toLowerCase()
  for (const word of level.match(isAscii ? asciiWord : anyWord) ?? []) {
    if (isAscii) addPlain(withoutApostrophe(word, "'"), found, stopped)
    else if (!withoutBlanks.test(word)) addWord(word, found, stopped)
    else {
      for (const part of word.split(parted)) {
        if (part === '') continue
        if (withoutBlanks.test(part)) addCharacters(part, isIndexed, found)
        else addWord(part, found, stopped)
      }
    }
  }
  return found.length > 0 ? found : stopped
}

function addWord(word: string, found: string[], stopped: string[]): void {
  const bare = withoutApostrophe(withoutApostrophe(word, "'"), '’')
  addPlain(bare.normalize('NFD').replace(latinAccents, '').normalize('NFC'), found, stopped)
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
  const term = stopWords.has(cut) ? '' : /^[a-z]{3,}$/u.test(cut) ? stemmer(cut) : cut
  // A word too long to be met again is not worth the room.
  if (cut !== word) return term
  if (termsOfWords.size >= 65_536) termsOfWords.clear()
  termsOfWords.set(word, term)
  return term
}
