import { ResultPolicyError } from './errors.ts'
import type { Ledger, LedgerPlace, RecordedResult, RecordOutcome } from './ledger.ts'

/** How much a ledger in memory may hold. */
export interface InMemoryLedgerOptions {
  /** Results of one place. Default 100,000. */
  readonly maxResultsPerPlace?: number | undefined
  /** Characters over all results of one place. Default 64 million. */
  readonly maxCharsPerPlace?: number | undefined
  /**
   * Characters over all results of all places: what the process can spare. Default 256 million. It is
   * shared by all tenants, so release what is done with.
   */
  readonly maxTotalChars?: number | undefined
}

/**
 * A ledger in memory: recall within the life of the process (RES-19). When it, or one place in it, is
 * full it refuses, and the policy leaves results as they are; releasing a place makes room.
 *
 * @throws ResultPolicyError `RESULT_OPTION_INVALID` for a bound that is no number of at least 0.
 */
export function createInMemoryLedger(options: InMemoryLedgerOptions = {}): Ledger {
  const maxResults = bound('maxResultsPerPlace', options.maxResultsPerPlace ?? 100_000)
  const maxChars = bound('maxCharsPerPlace', options.maxCharsPerPlace ?? 64_000_000)
  const maxTotalChars = bound('maxTotalChars', options.maxTotalChars ?? 256_000_000)
  const places = new Map<string, Kept>()
  let totalChars = 0

  return Object.freeze({
    async record(place: LedgerPlace, entries: readonly RecordedResult[]) {
      return entries.map((entry) => keep(keyOf(place), entry))
    },
    async fetch(place: LedgerPlace, id: string) {
      return places.get(keyOf(place))?.results.get(id)
    },
    async count(place: LedgerPlace) {
      return places.get(keyOf(place))?.results.size ?? 0
    },
    async release(place: LedgerPlace) {
      const key = keyOf(place)
      totalChars -= places.get(key)?.chars ?? 0
      places.delete(key)
    },
  })

  function keep(key: string, entry: RecordedResult): RecordOutcome {
    const kept = places.get(key) ?? { results: new Map(), chars: 0 }
    const { results, chars } = kept
    const { id, toolCallId, toolName, isError, text } = entry
    if (results.has(id)) return { stored: true }
    if (results.size + 1 > maxResults) {
      return refuse(`The conversation holds ${results.size} results.`)
    }
    if (chars + text.length > maxChars) {
      return refuse(`The conversation holds ${chars} of ${maxChars} characters.`)
    }
    if (totalChars + text.length > maxTotalChars) {
      return refuse(`All conversations together hold ${totalChars} of ${maxTotalChars} characters.`)
    }
    results.set(id, Object.freeze({ id, toolCallId, toolName, isError, text }))
    kept.chars += text.length
    totalChars += text.length
    places.set(key, kept)
    return { stored: true }
  }
}

/** What one place holds. */
interface Kept {
  readonly results: Map<string, RecordedResult>
  chars: number
}

function refuse(reason: string): RecordOutcome {
  return { stored: false, reason }
}

/** Scope and thread as one key that no other pair gives. */
function keyOf({ scopeKey, thread }: LedgerPlace): string {
  return JSON.stringify([scopeKey, thread])
}

function bound(option: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0) return value
  const message = `The bound ${option} is no number. Give a number of at least 0, or leave it out.`
  throw new ResultPolicyError('RESULT_OPTION_INVALID', message, { details: { option } })
}
