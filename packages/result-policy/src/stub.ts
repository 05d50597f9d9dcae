import { digestOf, quoted } from './digest.ts'
import { placeholderId } from './ledger.ts'
import { recallToolName } from './recall.ts'

/** A stub, cut where its id goes: that is known once the ledger has the result. */
export interface Stub {
  readonly before: string
  readonly after: string
}

/** What a stub is written from. */
export interface StubFacts {
  readonly toolName: string
  readonly isError: boolean
  /** The whole result. */
  readonly text: string
}

/** How every stub begins. */
export const stubOpening = '[Stub written by the host'

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
export function writeStub({ toolName, isError, text }: StubFacts, maxChars: number): Stub {
  const what = isError ? 'an error' : 'a result'
  const before =
    `${stubOpening} in place of ${what} of ${quoted(toolName, 48)}, ` +
    `${text.length} characters, id `
  const how = `. ${recallToolName} reads it whole, by offset, JSON pointer or search.]\n`
  // A short result is not worth a long digest.
  const wanted = Math.max(200, Math.floor(text.length / 5))
  const left = maxChars - before.length - placeholderId.length - how.length
  return { before, after: how + digestOf(text, Math.max(Math.min(wanted, left), 60)) }
}

/**
 * The text that stands where a result stood that is, character for character, the last one of the same
 * tool. It says how that one begins, so that it can be found, and needs no digest.
 */
export function writeRepeatStub({ toolName, text }: Omit<StubFacts, 'isError'>): Stub {
  return {
    before:
      `${stubOpening}: ${quoted(toolName, 48)} gave the same ${text.length} characters as the last ` +
      `time, above, which begin ${quoted(text, 48)}, id `,
    after: `. ${recallToolName} reads them, too.]`,
  }
}

/** A stub with its id, as it is sent. */
export function stubWith(id: string, { before, after }: Stub): string {
  return before + id + after
}
