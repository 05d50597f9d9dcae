/**
 * What must not reach a terminal from outside: control characters of both sets except line breaks,
 * marks that turn the reading direction, characters without a shape, lone surrogates. A tool result
 * that holds an escape sequence can then be read, and does nothing.
 */
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]|\p{Bidi_Control}|[\p{Zl}\p{Zp}]|[\p{Cs}\u200b\u2060\ufeff]/gu

/** Text made safe to print: each such character is written out as `\u{1b}`. Tabs become blanks. */
export function printable(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/\t/g, '  ')
    .replace(unprintable, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
}

/** The same on one line: line breaks become blanks. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s*\n\s*/g, ' ')
}

/** JSON that is as safe: what JSON leaves as it is, is escaped within its strings. */
export function printableJson(value: unknown): string {
  const json = JSON.stringify(value) ?? 'null'
  return json.replace(unprintable, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  )
}
