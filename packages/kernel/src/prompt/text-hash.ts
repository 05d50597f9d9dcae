import { hash } from 'node:crypto'

/** A text with its SHA-256 in hexadecimal (OPEN-PROMPT-3). */
export interface HashedText {
  /** Equal texts come back as one string, however many were given. */
  readonly text: string
  readonly hash: string
}

/** Hashes a text, or knows its hash already. */
export type TextHash = (text: string) => HashedText

const mostTexts = 2_000
const mostChars = 8_000_000

/**
 * Hashes texts and remembers what it has hashed, so that a section that says the same again costs a
 * look-up. Bounded: the longest unused are forgotten first, at 2,000 texts or 8 million characters.
 *
 * @param sha256 - Does the hashing. Default: Node's.
 */
export function createTextHash(
  sha256: (text: string) => string = (text) => hash('sha256', text),
): TextHash {
  const known = new Map<string, HashedText>()
  let chars = 0

  return (text) => {
    const found = known.get(text)
    if (found !== undefined) {
      // Put last again: the order of the map is the order of use.
      known.delete(text)
      known.set(text, found)
      return found
    }
    const hashed = Object.freeze({ text, hash: sha256(text) })
    known.set(text, hashed)
    chars += text.length
    for (const oldest of known.keys()) {
      if (known.size <= mostTexts && chars <= mostChars) break
      known.delete(oldest)
      chars -= oldest.length
    }
    return hashed
  }
}
