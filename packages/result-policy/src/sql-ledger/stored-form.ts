import { ResultPolicyError } from '../errors.ts'
import type { LedgerPlace, RecordedResult } from '../ledger.ts'

/** How much one place of a ledger in a database may hold. */
export interface PlaceBounds {
  /** Results of one conversation. Default 100,000. */
  readonly maxResultsPerPlace?: number | undefined
  /** Characters over all results of one conversation. Default 256 million. */
  readonly maxCharsPerPlace?: number | undefined
}

/** The bounds with their defaults. */
export interface CheckedBounds {
  readonly maxResults: number
  readonly maxChars: number
}

/** Checks bounds. @throws ResultPolicyError `RESULT_OPTION_INVALID` for one that is no number of at least 0. */
export function checkBounds(bounds: PlaceBounds): CheckedBounds {
  return {
    maxResults: bound('maxResultsPerPlace', bounds.maxResultsPerPlace ?? 100_000),
    maxChars: bound('maxCharsPerPlace', bounds.maxCharsPerPlace ?? 256_000_000),
  }
}

/**
 * Scope and thread as a key of one length that no other pair gives: a SHA-256, because no index takes
 * texts of any length.
 */
export async function placeKey(place: LedgerPlace): Promise<string> {
  const bytes = new TextEncoder().encode(placeName(place))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Scope and thread as people find them in the database. JSON, so NUL and halves of characters survive. */
export function placeName({ scopeKey, thread }: LedgerPlace): string {
  return JSON.stringify([scopeKey, thread])
}

/** An id as it is stored and looked up. JSON, as no column takes every text. */
export function storedId(id: string): string {
  return JSON.stringify(id)
}

/** Characters of a stored id, at most; one that is longer is refused, and never found. */
export const maxIdChars = 500

/** A result, all but its id, as the one text that is stored. */
export function storedText({ toolCallId, toolName, isError, text }: RecordedResult): string {
  return JSON.stringify({ toolCallId, toolName, isError, text })
}

/** The result of a stored text, byte for byte. */
export function readStored(id: string, stored: string): RecordedResult {
  const { toolCallId, toolName, isError, text } = JSON.parse(stored)
  return Object.freeze({ id, toolCallId, toolName, isError, text })
}

function bound(option: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0) return value
  const message = `The bound ${option} is no number. Give a number of at least 0, or leave it out.`
  throw new ResultPolicyError('RESULT_OPTION_INVALID', message, { details: { option } })
}
