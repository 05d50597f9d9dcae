import type { RecordedResult, RecordOutcome } from '../ledger.ts'
import { type CheckedBounds, maxIdChars, storedId } from './stored-form.ts'

/** What a place holds. */
export interface PlaceTotals {
  readonly results: number
  readonly chars: number
}

/** What is to be written, and the answer once it was. */
export interface Choice {
  readonly added: readonly RecordedResult[]
  readonly totals: PlaceTotals
  /** One per result given, in order. */
  readonly outcomes: readonly RecordOutcome[]
}

/**
 * Which of some results are new and have room.
 *
 * @param results - In the order given; an id may come twice.
 * @param options.there - Stored ids that the place has already.
 */
export function chooseNew(
  results: readonly RecordedResult[],
  options: { totals: PlaceTotals; there: Iterable<string>; bounds: CheckedBounds },
): Choice {
  const { maxResults, maxChars } = options.bounds
  const there = new Set(options.there)
  let { results: count, chars } = options.totals
  const added: RecordedResult[] = []
  const outcomes = results.map((result): RecordOutcome => {
    const id = storedId(result.id)
    if (there.has(id)) return { stored: true }
    if (id.length > maxIdChars) return refuse(`The id has more than ${maxIdChars} characters.`)
    if (count + 1 > maxResults) return refuse(`The conversation holds ${count} results.`)
    if (chars + result.text.length > maxChars) {
      return refuse(`The conversation holds ${chars} of ${maxChars} characters.`)
    }
    there.add(id)
    added.push(result)
    count += 1
    chars += result.text.length
    return { stored: true }
  })
  return { added, totals: { results: count, chars }, outcomes }
}

function refuse(reason: string): RecordOutcome {
  return { stored: false, reason }
}
