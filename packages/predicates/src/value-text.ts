import { isRecord } from './record.ts'

const maxDepth = 6

/**
 * A value of unknown origin as one short printable line: strings in the given quotes, everything
 * else as JSON, and a name in angle brackets for what JSON cannot say (`<function>`, `<Date>`,
 * `<cycle>`). Control characters, bidirectional marks, lone surrogates and back-ticks are escaped,
 * so the text cannot forge another line or close a code span. It never throws, whatever getters,
 * proxies or cycles the value holds, and it looks no further than `maxChars` will show.
 *
 * @param options.quote - Quotes around a string that stands alone. Strings inside a list or record
 *   keep JSON's double quotes. Default `"`.
 * @param options.maxChars - Length at which the text is cut and closed with `…`. Default 200.
 * @see OPEN-PRE-4
 */
export function valueText(
  value: unknown,
  options: { quote?: '"' | "'"; maxChars?: number } = {},
): string {
  const { quote = '"', maxChars = 200 } = options
  if (typeof value === 'string') return quoted(value, quote, maxChars)
  const page: Page = { text: '', room: maxChars }
  try {
    write(page, value, [])
  } catch {
    write(page, unreadable, [])
  }
  return page.room < 0 ? `${cutEscaped(page.text, maxChars)}…` : page.text
}

/**
 * Text without quotes around it, escaped in the same way: a name or a path inside back-ticks.
 *
 * @param maxChars - Length at which it is cut and closed with `…`. Default 200.
 */
export function plainText(text: string, maxChars = 200): string {
  const escaped = escapeText(cut(text, maxChars), '')
  return text.length > maxChars || escaped.length > maxChars
    ? `${cutEscaped(escaped, maxChars)}…`
    : escaped
}

interface Page {
  text: string
  /** Characters left before the text is cut; negative once it has to be. */
  room: number
}

const unreadable = Symbol('unreadable')

function put(page: Page, text: string): void {
  page.text += text
  page.room -= text.length
}

function write(page: Page, value: unknown, ancestors: readonly object[]): void {
  if (typeof value !== 'object' || value === null) {
    put(page, scalarText(value, page.room))
  } else if (ancestors.includes(value)) {
    put(page, '<cycle>')
  } else if (Array.isArray(value)) {
    if (ancestors.length < maxDepth) writeList(page, value, [...ancestors, value])
    else put(page, '[…]')
  } else if (isRecord(value)) {
    if (ancestors.length < maxDepth) writeRecord(page, value, [...ancestors, value])
    else put(page, '{…}')
  } else {
    const tag = Object.prototype.toString.call(value).slice('[object '.length, -1)
    put(page, tag === 'Object' ? '<class instance>' : `<${plainText(tag, 40)}>`)
  }
}

function scalarText(value: unknown, room: number): string {
  switch (typeof value) {
    case 'string':
      return quoted(value, '"', Math.max(room, 1))
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value)
    case 'bigint':
      // Turning a very long one into digits takes time that grows with its square.
      return BigInt.asIntN(128, value) === value ? `${value}n` : '<bigint>'
    case 'function':
      return '<function>'
    case 'symbol':
      return value === unreadable ? '<unreadable>' : '<symbol>'
    default:
      return String(value)
  }
}

function writeList(page: Page, list: readonly unknown[], ancestors: readonly object[]): void {
  put(page, '[')
  for (let index = 0; index < list.length && page.room >= 0; index += 1) {
    if (index > 0) put(page, ',')
    writeMember(page, list, index, ancestors)
  }
  put(page, ']')
}

function writeRecord(
  page: Page,
  record: Record<string, unknown>,
  ancestors: readonly object[],
): void {
  put(page, '{')
  let isFirst = true
  for (const key in record) {
    if (page.room < 0) break
    if (!Object.hasOwn(record, key)) continue
    if (!isFirst) put(page, ',')
    isFirst = false
    put(page, `${quoted(key, '"', Math.max(page.room, 1))}:`)
    writeMember(page, record, key, ancestors)
  }
  put(page, '}')
}

function writeMember(
  page: Page,
  owner: Readonly<Record<PropertyKey, unknown>> | readonly unknown[],
  key: string | number,
  ancestors: readonly object[],
): void {
  let member: unknown
  try {
    member = (owner as Readonly<Record<PropertyKey, unknown>>)[key]
  } catch {
    member = unreadable
  }
  write(page, member, ancestors)
}

function quoted(text: string, quote: '"' | "'", maxChars: number): string {
  const escaped = escapeText(cut(text, maxChars), quote)
  return text.length > maxChars || escaped.length > maxChars
    ? `${quote}${cutEscaped(escaped, maxChars)}…${quote}`
    : `${quote}${escaped}${quote}`
}

/** Cuts without leaving half of a surrogate pair. */
function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const last = text.charCodeAt(maxChars - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars)
}

/** Cuts escaped text without leaving half of an escape sequence. */
function cutEscaped(escaped: string, maxChars: number): string {
  if (escaped.length <= maxChars) return escaped
  let end = 0
  for (const [piece] of escaped.matchAll(/\\u[0-9a-f]{4}|\\.|[^\\]/gsu)) {
    if (end + piece.length > maxChars) break
    end += piece.length
  }
  return escaped.slice(0, end)
}

const shortEscapes: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\\': '\\\\',
}

// Other controls (C0, DEL, C1), format characters (bidi marks, zero widths, byte order mark), line
// and paragraph separators, and lone surrogates.
const unprintable = /[\\`\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

function escapeText(text: string, quote: string): string {
  const escaped = text.replace(
    unprintable,
    (character) => shortEscapes[character] ?? unicodeEscape(character),
  )
  return quote === '' ? escaped : escaped.replaceAll(quote, `\\${quote}`)
}

function unicodeEscape(character: string): string {
  let escaped = ''
  for (let index = 0; index < character.length; index += 1) {
    escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`
  }
  return escaped
}
