import { digestOf, quoted } from './digest.ts'
import { recallToolName } from './recall.ts'

/** What a stub is written from. */
export interface StubFacts {
  /** The result's id in the ledger. */
  readonly id: string
  readonly toolName: string
  readonly isError: boolean
  /** The whole result. */
  readonly text: string
}

/**
 * The text that stands where a result stood: tool, size, ledger id, whether it was an error, and a
 * digest. It depends on the result alone, so it keeps its bytes from step to step.
 *
 * Nothing ever reads a stub back. A tool whose output looks like one has written a text, no more: the
 * id in it is known to no ledger, or it is that of the reader's own conversation.
 *
 * @param maxChars - Longest stub in characters, at least 240. A shorter result gets a shorter digest.
 * @see RES-15, OPEN-RES-6, DESIGN decision 8
 */
export function writeStub({ id, toolName, isError, text }: StubFacts, maxChars: number): string {
  const what = isError ? 'an error' : 'a result'
  const head =
    `[Stub written by the host in place of ${what} of ${quoted(toolName, 48)}, ` +
    `${text.length} characters, id ${id}. ` +
    `${recallToolName} reads it whole, by offset, JSON pointer or search.]\n`
  // A short result is not worth a long digest.
  const wanted = Math.max(200, Math.floor(text.length / 5))
  return head + digestOf(text, Math.max(Math.min(wanted, maxChars - head.length), 60))
}

/**
 * The text that stands where a result stood that is, byte for byte, an earlier one of the same tool.
 * It says how that one begins, so that it can be found, and needs no digest.
 */
export function writeRepeatStub({ id, toolName, text }: Omit<StubFacts, 'isError'>): string {
  return (
    `[Stub written by the host: ${quoted(toolName, 48)} gave the same ${text.length} characters as ` +
    `above, which begin ${quoted(text, 48)}, id ${id}. ${recallToolName} reads them, too.]`
  )
}
