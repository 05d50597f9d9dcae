/**
 * A text from a file or a file name, made safe to print: controls, separators of lines, invisible
 * marks and halves of characters are written out, so it can neither move the cursor nor look like
 * something else.
 */
export function printable(text: string): string {
  return text.replace(
    unprintable,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

/** A value as JSON in which nothing is left for a terminal to act upon. It means the same. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(unprintableInJson, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
// The line feeds are those between the lines; JSON has written out all others.
const unprintableInJson = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu
