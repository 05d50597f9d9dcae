import { contextWeight } from '../text/context-weight.ts'
import { searchTerms } from '../text/search-terms.ts'

/** The most places PostgreSQL keeps of one term. */
const placesOfTerm = 255

/** The words of an entry as a `tsvector`, and how long it counts as. */
export interface TermVector {
  /** In the input syntax of `tsvector`. */
  readonly terms: string
  /** Terms of the content, plus those of the context at their weight. */
  readonly length: number
}

/**
 * What the text index holds of an entry. The words are cut and levelled here, not by a dictionary of
 * the server, so scripts without blanks work and every store finds the same. A place says that a term
 * occurs once more, and by its weight in which field; it is no position in the text.
 */
export function termVector(
  entry: { readonly content: string; readonly context?: string | null | undefined },
  tag: string,
): TermVector {
  const content = searchTerms(entry.content)
  const context = typeof entry.context === 'string' ? searchTerms(entry.context) : []
  const places = new Map<string, string[]>()
  for (const [terms, weight] of [
    [content, 'A'],
    [context, 'D'],
  ] as const) {
    for (const term of terms) {
      const found = places.get(term)
      if (found === undefined) places.set(term, [`1${weight}`])
      else if (found.length < placesOfTerm) found.push(`${found.length + 1}${weight}`)
    }
  }
  const written = [...places].map(([term, found]) => `${quoteTerm(tag + term)}:${found.join(',')}`)
  return { terms: written.join(' '), length: content.length + context.length * contextWeight }
}

/** A term in the input syntax that `tsvector` and `tsquery` share. */
export function quoteTerm(term: string): string {
  return `'${term.replace(/['\\]/gu, (character) => character + character)}'`
}
