/**
 * Where whole results are kept, so that every byte that was taken from a prompt can be read again.
 *
 * The place is a part of the key: what was recorded under one scope key and thread does not exist
 * under any other, and nothing tells the two apart (OPEN-RES-7). Methods may reject; the policy then
 * declines to shorten, and a recall says that it could not look.
 *
 * `describeLedger` of `@symfonic/result-policy/testing` checks an implementation.
 */
export interface Ledger {
  /**
   * Keeps results, each under its id. Recording again what is there changes nothing (RES-16).
   *
   * INVARIANT: what was answered `stored` is found until its place is released. A ledger that has no
   * room refuses; it never forgets one result for the sake of another.
   *
   * @returns one outcome per result, in order.
   */
  record(
    place: LedgerPlace,
    results: readonly RecordedResult[],
  ): PromiseLike<readonly RecordOutcome[]>
  /** The result with this id at this place, byte for byte; undefined when there is none. */
  fetch(place: LedgerPlace, id: string): PromiseLike<RecordedResult | undefined>
  /** How many results are kept at this place. */
  count(place: LedgerPlace): PromiseLike<number>
  /**
   * Forgets all results of this place, as when a conversation is deleted. One that goes on all the same
   * must be begun anew with `forConversation`, which records what it finds.
   */
  release(place: LedgerPlace): PromiseLike<void>
}

/** Whose result, and of which conversation. */
export interface LedgerPlace {
  /** Names the tenant, and whatever else separates readers. Not empty. */
  readonly scopeKey: string
  /** Names the conversation within the scope. Not empty. */
  readonly thread: string
}

/** One whole result. */
export interface RecordedResult {
  /** Derived from the place, the call, the tool and the text: see `resultId`. */
  readonly id: string
  readonly toolCallId: string
  readonly toolName: string
  readonly isError: boolean
  /** What the model would have read, whole. */
  readonly text: string
}

/** Whether a result is kept now, or why not, in words for a log. */
export type RecordOutcome =
  | { readonly stored: true }
  | { readonly stored: false; readonly reason: string }

/**
 * The id of a result: 24 characters from a SHA-256 over place, call, tool, error-ness and text. It is
 * the same in every process, differs where call ids are reused, and tells nothing about what is
 * stored: whoever could compute it has the text already.
 */
export async function resultId(
  { scopeKey, thread }: LedgerPlace,
  { toolCallId, toolName, isError, text }: Omit<RecordedResult, 'id'>,
): Promise<string> {
  const named = JSON.stringify([scopeKey, thread, toolCallId, toolName, isError])
  const bytes = new TextEncoder().encode(`${named}\n${text}`)
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  let id = 'r_'
  for (const byte of hash.subarray(0, 11)) id += byte.toString(16).padStart(2, '0')
  return id
}

/** What an id looks like before it is known; as long as any id, so that sizes can be reckoned. */
export const placeholderId = `r_${'0'.repeat(22)}`
