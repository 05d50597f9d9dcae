import { stopWords } from '../text/stop-words.ts'
import { type Candidate, type Ranking, rankingOf } from './signal.ts'

/**
 * What was said by, or is about, someone whom the query names: the share of the words of the author's or of
 * the subject's name that the query has, whichever is more. Width, case and accents make no difference, endings do: Drew is
 * not who draws.
 */
export function rankAuthors(candidates: readonly Candidate[], { text }: { text: string }): Ranking {
  const asked = levelled(text)
  const words = new Set(wordsOf(asked))
  const isWithin = (name: string): boolean => {
    if (withoutBlanks.test(name)) return asked.includes(name)
    if (hangul.test(name)) return [...words].some((word) => word.startsWith(name))
    return arabic.test(name) && [...'وفبكل'].some((letter) => words.has(letter + name))
  }
  const shares = new Map<string, number>()
  const shareOf = (name: string | undefined): number => {
    if (name === undefined) return 0
    const known = shares.get(name)
    if (known !== undefined) return known
    const names = wordsOf(levelled(name))
    const isNamed = (each: string) => words.has(each) || (each.length > 1 && isWithin(each))
    const share = names.filter(isNamed).length / Math.max(1, names.length)
    shares.set(name, share)
    return share
  }
  const scores = candidates.map(({ key, entry }): [string, number] => {
    return [key, Math.max(shareOf(entry.provenance.author), shareOf(entry.subject))]
  })
  return rankingOf('author', new Map(scores))
}

/** Scripts in which a name stands in the middle of a run; in Korean particles follow it, in Arabic one letter may stand before. */
const withoutBlanks =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const hangul = /\p{Script=Hangul}/u
const arabic = /\p{Script=Arabic}/u

function levelled(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/gu, '')
    .normalize('NFC')
    .toLowerCase()
}

function wordsOf(text: string): string[] {
  const words = text.match(/[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)?/gu) ?? []
  return words.map((word) => word.replace(/['’]s$/u, '')).filter((word) => !stopWords.has(word))
}
