import { searchTerms } from '../text/search-terms.ts'
import { type Candidate, type Ranking, rankingOf } from './signal.ts'

/**
 * What was said by, or is about, someone whom the query names: the share of the words of the author's or of
 * the subject's name that the query has, whichever is more.
 */
export function rankAuthors(candidates: readonly Candidate[], { text }: { text: string }): Ranking {
  const asked = new Set(searchTerms(text))
  const shares = new Map<string, number>()
  const shareOf = (name: string | undefined): number => {
    if (name === undefined) return 0
    const known = shares.get(name)
    if (known !== undefined) return known
    const words = searchTerms(name)
    const share = words.filter((word) => asked.has(word)).length / Math.max(1, words.length)
    shares.set(name, share)
    return share
  }
  const scores = candidates.map(({ key, entry }): [string, number] => {
    return [key, Math.max(shareOf(entry.provenance.author), shareOf(entry.subject))]
  })
  return rankingOf('author', new Map(scores))
}
