import { cutText } from './cut-text.ts'
import { isComposite, numberText, parseExactly } from './exact-json.ts'

/**
 * Text longer than this is not parsed: its digest is that of a text. Characters, some half a million
 * tokens. The worst text of this length, an object of nothing but short keys, takes 0.3 s to parse.
 */
const parseMaxChars = 2_000_000
/** Objects and lists looked into for ids, at most. */
const idWalkNodes = 4_000
/** Values looked at for ids, at most. */
const idWalkValues = 50_000
/** Nesting that an outline shows. */
const outlineDepth = 4

/**
 * What matters of a tool result in one short line: for JSON its ids, keys, counts and first rows, for
 * other text its lines, its beginning and its end. The same text gives the same digest. Everything
 * from the tool stands in JSON string quotes with controls, bidi marks and the like written out, so
 * that it can neither break the line nor speak for the host.
 *
 * @param budgetChars - Longest digest in characters, at least 60.
 * @see DESIGN decision 8
 */
export function digestOf(text: string, budgetChars: number): string {
  const parsed = parse(text)
  const digest =
    parsed === undefined ? textDigest(text, budgetChars) : jsonDigest(parsed.value, budgetChars)
  return cutText(digest, 0, budgetChars)
}

/** Any text as a quoted word of one line, cut to some length before it is written out. */
export function quoted(text: string, maxChars: number): string {
  const whole = JSON.stringify(cutText(text, 0, maxChars)).replace(harmful, writtenOut)
  return text.length > maxChars ? `${whole}…` : whole
}

function parse(text: string): { value: unknown } | undefined {
  if (text.length > parseMaxChars) return undefined
  const first = text.trimStart()[0]
  return first === '{' || first === '[' ? parseExactly(text) : undefined
}

function textDigest(text: string, budgetChars: number): string {
  const lines = countLines(text)
  const counted = `text, ${lines} ${lines === 1 ? 'line' : 'lines'}`
  const room = budgetChars - counted.length - 20
  if (room < 40) return counted
  const [head, tail] = [Math.floor(room * 0.6), Math.floor(room * 0.4)]
  const first = fitted(text.trimStart(), head, 'start')
  const last = fitted(text.trimEnd(), tail, 'end')
  return `${counted}; starts ${first}; ends ${last}`
}

/** A beginning or an end that takes up no more than some characters once it is quoted. */
function fitted(text: string, maxChars: number, side: 'start' | 'end'): string {
  let length = Math.max(maxChars - 2, 0)
  for (;;) {
    const part =
      side === 'start' ? cutText(text, 0, length) : cutText(text, text.length - length, text.length)
    const whole = quoted(part, length)
    if (whole.length <= maxChars || length === 0) return whole
    length -= Math.max(whole.length - maxChars, 1)
    length = Math.max(length, 0)
  }
}

function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1
  return text.endsWith('\n') ? lines - 1 : lines
}

function jsonDigest(value: unknown, budgetChars: number): string {
  const ids = idList(value, Math.floor(budgetChars * 0.4))
  const shape = outline(value, { depth: 0, budget: { left: budgetChars - ids.length } })
  return ids === '' ? shape : `${ids}; ${shape}`
}

/** The values of keys that look like ids, in order of nearness to the root, as many as fit. */
function idList(root: unknown, budgetChars: number): string {
  const found: string[] = []
  const seen = new Set<string>()
  let length = 'ids '.length
  const queue: unknown[] = [root]
  let left = idWalkValues
  for (let at = 0; at < queue.length && left > 0; at += 1) {
    for (const [key, value] of entriesOf(queue[at])) {
      left -= 1
      if (left < 0) break
      if (isComposite(value)) {
        if (queue.length < idWalkNodes) queue.push(value)
        // The rest of a list has nothing else: what is left is for the rows that are to be looked into.
        else if (key === undefined) break
        continue
      }
      if (key === undefined || !isIdKey(key)) continue
      const text = typeof value === 'string' ? quoted(value, 48) : shortNumber(value, 48)
      if (text === undefined) continue
      const shown = `${plainKey(key)}=${text}`
      if (seen.has(shown)) continue
      if (length + shown.length + 2 > budgetChars) return closed(found)
      seen.add(shown)
      found.push(shown)
      length += shown.length + 2
    }
  }
  return closed(found)
}

/** What is in an object, or in a list without keys; one after the other, so that a walk may stop. */
function* entriesOf(node: unknown): Generator<[key: string | undefined, value: unknown]> {
  if (Array.isArray(node)) {
    for (const value of node) yield [undefined, value]
  } else if (isComposite(node)) {
    for (const key of Object.keys(node)) yield [key, Reflect.get(node, key)]
  }
}

function closed(ids: readonly string[]): string {
  return ids.length === 0 ? '' : `ids ${ids.join(', ')}`
}

function isIdKey(key: string): boolean {
  return (
    key.length <= 40 &&
    /^(?:id|ID|Id|uuid|key|slug|number)$|_(?:id|number)$|[a-z](?:Id|ID)$/.test(key)
  )
}

interface OutlineState {
  depth: number
  budget: { left: number }
}

/** A JSON value with its lists cut to their first row and its texts cut short. */
function outline(value: unknown, { depth, budget }: OutlineState): string {
  if (typeof value === 'string') return spend(budget, quoted(value, 40))
  if (!isComposite(value)) return spend(budget, shortNumber(value, 40) ?? String(value))
  const isList = Array.isArray(value)
  const keys = isList ? [] : Object.keys(value)
  const size = isList ? `${value.length} items` : `${keys.length} keys`
  if (depth >= outlineDepth || budget.left < 24) {
    return spend(budget, isList ? `[${size}]` : `{${size}}`)
  }
  if (isList) {
    if (value.length === 0) return spend(budget, '[]')
    spend(budget, `[${size}, first ]`)
    return `[${size}, first ${outline(value[0], { depth: depth + 1, budget })}]`
  }
  const parts: string[] = []
  for (const key of keys) {
    if (budget.left < 24) {
      parts.push(spend(budget, `… ${keys.length - parts.length} more keys`))
      break
    }
    const name = spend(budget, `${plainKey(key)}: , `).slice(0, -2)
    parts.push(name + outline(Reflect.get(value, key), { depth: depth + 1, budget }))
  }
  return `{${parts.join(', ')}}`
}

function spend(budget: { left: number }, text: string): string {
  budget.left -= text.length
  return text
}

/** A number as it is written, cut where that is longer than any number needs to be. */
function shortNumber(value: unknown, maxChars: number): string | undefined {
  const text = numberText(value)
  if (text === undefined || text.length <= maxChars) return text
  return `${text.slice(0, maxChars)}…`
}

/** A key as it is where it is a plain word, else quoted. */
function plainKey(key: string): string {
  return /^[\w-]{1,40}$/.test(key) ? key : quoted(key, 40)
}

// Controls, format characters (bidi marks, zero widths), separators, and lone surrogates.
const harmful = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

function writtenOut(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
