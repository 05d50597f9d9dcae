import type { MemoryEntry } from '../entry.ts'
import type { Ranked } from '../store.ts'
import { contextWeight } from '../text/context-weight.ts'
import { querySearchTerms, searchTerms } from '../text/search-terms.ts'
import { createTopList } from '../top-list.ts'

/** An inverted index over the entries of one partition. */
export interface TextIndex {
  add(entry: MemoryEntry): void
  /** Takes every trace of an entry out, its words included. It must be as it was added. */
  remove(entry: MemoryEntry): void
  /** Ids by BM25 over content and context, best first, of those that are let through. */
  search(text: string, limit: number, isWanted: (id: string) => boolean): readonly Ranked[]
}

/** Where a term occurs: documents in ascending order, and how often, weighted by field. */
interface Postings {
  readonly documents: number[]
  readonly weights: number[]
}

// The constants that engines have settled on.
const k1 = 1.2
const b = 0.75

/** Creates an empty index. BM25 with k1 1.2 and b 0.75; frequencies are those of this partition alone. */
export function createTextIndex(): TextIndex {
  const postingsOf = new Map<string, Postings>()
  const documentOf = new Map<string, number>()
  const idOf = new Map<number, string>()
  const lengthOf = new Map<number, number>()
  let nextDocument = 0
  let totalLength = 0

  return {
    add(entry) {
      const document = nextDocument
      nextDocument += 1
      const { weights, length } = weigh(entry)
      for (const [term, weight] of weights) {
        const postings = postingsOf.get(term)
        if (postings === undefined)
          postingsOf.set(term, { documents: [document], weights: [weight] })
        else {
          postings.documents.push(document)
          postings.weights.push(weight)
        }
      }
      documentOf.set(entry.id, document)
      idOf.set(document, entry.id)
      lengthOf.set(document, length)
      totalLength += length
    },

    remove(entry) {
      const document = documentOf.get(entry.id)
      if (document === undefined) return
      for (const term of weigh(entry).weights.keys()) {
        const postings = postingsOf.get(term)
        const at = postings === undefined ? -1 : positionOf(document, postings.documents)
        if (postings === undefined || at < 0) continue
        postings.documents.splice(at, 1)
        postings.weights.splice(at, 1)
        if (postings.documents.length === 0) postingsOf.delete(term)
      }
      totalLength -= lengthOf.get(document) ?? 0
      documentOf.delete(entry.id)
      idOf.delete(document)
      lengthOf.delete(document)
    },

    search(text, limit, isWanted) {
      const scores = new Map<number, number>()
      const averageLength = totalLength / Math.max(1, idOf.size)
      for (const term of querySearchTerms(text)) {
        const postings = postingsOf.get(term)
        if (postings === undefined) continue
        const { documents, weights } = postings
        const share = (idOf.size - documents.length + 0.5) / (documents.length + 0.5)
        const rarity = Math.log(1 + share)
        for (let index = 0; index < documents.length; index += 1) {
          const document = documents[index] ?? 0
          const frequency = weights[index] ?? 0
          const relative = (lengthOf.get(document) ?? 0) / averageLength
          const score = (rarity * frequency * (k1 + 1)) / (frequency + k1 * (1 - b + b * relative))
          scores.set(document, (scores.get(document) ?? 0) + score)
        }
      }
      const top = createTopList(limit)
      for (const [document, score] of scores) {
        if (score < top.least()) continue
        const id = idOf.get(document)
        if (id !== undefined && isWanted(id)) top.offer(id, score)
      }
      return top.ranked()
    },
  }
}

function weigh(entry: MemoryEntry): { weights: Map<string, number>; length: number } {
  const weights = new Map<string, number>()
  let length = 0
  for (const [text, weight] of [
    [entry.content, 1],
    [entry.context, contextWeight],
  ] as const) {
    if (text === undefined) continue
    for (const term of searchTerms(text)) {
      weights.set(term, (weights.get(term) ?? 0) + weight)
      length += weight
    }
  }
  return { weights, length }
}

function positionOf(document: number, documents: readonly number[]): number {
  let low = 0
  let high = documents.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    const found = documents[middle] ?? 0
    if (found === document) return middle
    if (found < document) low = middle + 1
    else high = middle - 1
  }
  return -1
}
