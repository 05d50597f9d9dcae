import type { ModelMessage } from 'ai'
import { type ResultPart, resultText, wireText } from './wire-text.ts'

/** A value that an assistant used although nothing that it was sent shows it. */
export interface LostValue {
  readonly value: string
  /** True for an argument of a call, false for a word of what the assistant said. */
  readonly isArgument: boolean
  /** Where the history has it: the newest result that does, by its message and its part. */
  readonly messageIndex: number
  readonly partIndex: number
}

/**
 * The values a message of the assistant uses that some tool result of the history shows and nothing that was
 * sent does.
 *
 * A value is an argument of a call (any depth, four characters or more, one of them a letter or digit) or a
 * word of one, or of what was said, that looks like a name or number rather than prose.
 */
export function lostValues(
  message: ModelMessage,
  { history, sent }: { history: readonly ModelMessage[]; sent: readonly ModelMessage[] },
): LostValue[] {
  const shown = sent.map(wireText)
  const lost: LostValue[] = []
  for (const { value, isArgument } of valuesOf(message)) {
    if (shown.some((text) => text.includes(value))) continue
    const place = newestResultWith(value, history)
    if (place !== undefined) lost.push({ value, isArgument, ...place })
  }
  return lost
}

const minValueChars = 4

function valuesOf({ content }: ModelMessage): { value: string; isArgument: boolean }[] {
  if (typeof content === 'string') return wordsOf(content).map(said)
  const values = new Map<string, { value: string; isArgument: boolean }>()
  for (const part of content) {
    const found =
      part.type === 'tool-call'
        ? leavesOf(part.input).flatMap((leaf) => [leaf, ...wordsOf(leaf)].map(given))
        : part.type === 'text'
          ? wordsOf(part.text).map(said)
          : []
    for (const one of found) {
      if (one.value.length < minValueChars || !/[\p{L}\p{N}]/u.test(one.value)) continue
      if (!values.get(one.value)?.isArgument) values.set(one.value, one)
    }
  }
  return [...values.values()]
}

function said(value: string) {
  return { value, isArgument: false }
}

function given(value: string) {
  return { value, isArgument: true }
}

/** The strings and numbers of an argument, whatever its shape. */
function leavesOf(input: unknown): string[] {
  if (typeof input === 'string') return [input]
  if (typeof input === 'number') return [String(input)]
  if (typeof input !== 'object' || input === null) return []
  return Object.values(input).flatMap(leavesOf)
}

/** The words of a text that have a digit, or a sign in their middle that prose does not use. */
export function wordsOf(text: string): string[] {
  return text
    .split(/[\s"'`,;()[\]{}<>=|*#!?]+/)
    .map(withoutOuterSigns)
    .filter((word) => word.length >= minValueChars && /\d|\w[_./@:]\w/.test(word))
}

/** By hand, since an expression that ends in a repeat is slow on long rows of dashes. */
function withoutOuterSigns(word: string): string {
  let start = 0
  let end = word.length
  while (start < end && outerSigns.has(word[start] ?? '')) start += 1
  while (end > start && outerSigns.has(word[end - 1] ?? '')) end -= 1
  return word.slice(start, end)
}

const outerSigns = new Set('.:/-')

function newestResultWith(value: string, history: readonly ModelMessage[]) {
  for (const [messageIndex, { content }] of [...history.entries()].reverse()) {
    if (typeof content === 'string') continue
    const partIndex = content.findIndex(
      (part) => part.type === 'tool-result' && resultText(part as ResultPart).includes(value),
    )
    if (partIndex >= 0) return { messageIndex, partIndex }
  }
  return undefined
}
