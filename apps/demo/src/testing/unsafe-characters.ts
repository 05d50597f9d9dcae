/** The characters of a text that a terminal might act on, written out; line breaks are fine. */
export function unsafeCharactersIn(text: string): string[] {
  return [...text]
    .map((character) => character.codePointAt(0) ?? 0)
    .filter((code) => code !== 10 && (code < 32 || (code >= 127 && code < 160) || turns.has(code)))
    .map((code) => code.toString(16))
}

/** Separators and marks that turn the reading direction. */
const turns = new Set([0x2028, 0x2029, 0x202a, 0x202b, 0x202d, 0x202e, 0x2066, 0x2067])
