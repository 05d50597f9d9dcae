import { ResultPolicyError } from './errors.ts'
import type { Ledger, LedgerPlace, RecordedResult, RecordOutcome } from './ledger.ts'

/** How much a ledger in memory may hold. */
export interface InMemoryLedgerOptions {
  /** Results over all places. Default 100,000. */
  readonly maxResults?: number | undefined
  /** Characters over all results. Default 256 million. */
  readonly maxTotalChars?: number | undefined
}

/**
 * A ledger in memory: recall within the life of the process (RES-19). When it is full it refuses, and
 * the policy leaves results as they are; releasing a place makes room.
 *
 * @throws ResultPolicyError `RESULT_OPTION_INVALID` for a bound that is no number of at least 0.
 */
export function createInMemoryLedger(options: InMemoryLedgerOptions = {}): Ledger {
  const maxResults = bound('maxResults', options.maxResults ?? 100_000)
  const maxTotalChars = bound('maxTotalChars', options.maxTotalChars ?? 256_000_000)
  const places = new Map<string, Map<string, RecordedResult>>()
  let [results, totalChars] = [0, 0]

  return Object.freeze({
    async record(place: LedgerPlace, entries: readonly RecordedResult[]) {
      return entries.map((entry) => keep(keyOf(place), entry))
    },
    async fetch(place: LedgerPlace, id: string) {
      return places.get(keyOf(place))?.get(id)
    },
    async count(place: LedgerPlace) {
      return places.get(keyOf(place))?.size ?? 0
    },
    async release(place: LedgerPlace) {
      const key = keyOf(place)
      for (const { text } of places.get(key)?.values() ?? []) {
        results -= 1
        totalChars -= text.length
      }
      places.delete(key)
    },
  })

  function keep(key: string, entry: RecordedResult): RecordOutcome {
    const kept = places.get(key) ?? new Map<string, RecordedResult>()
    if (kept.has(entry.id)) return { stored: true }
    if (results + 1 > maxResults)
      return { stored: false, reason: `It holds ${maxResults} results.` }
    if (totalChars + entry.text.length > maxTotalChars) {
      return { stored: false, reason: `It holds ${totalChars} of ${maxTotalChars} characters.` }
    }
    const { id, toolCallId, toolName, isError, text } = entry
    kept.set(id, Object.freeze({ id, toolCallId, toolName, isError, text }))
    places.set(key, kept)
    results += 1
    totalChars += text.length
    return { stored: true }
  }
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
