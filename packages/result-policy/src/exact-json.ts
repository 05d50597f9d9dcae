/** A number that is kept as it was written. `JSON.stringify` writes it so. */
interface WrittenNumber {
  readonly rawJSON: string
}

/** What newer engines have, Node since 22, and the types do not know yet. */
interface NewerJson extends JSON {
  rawJSON?(text: string): WrittenNumber
  isRawJSON?(value: unknown): value is WrittenNumber
}
const newer = (): NewerJson => JSON

/**
 * What a text is as JSON, with every number as it is written: `12345678901234567890`, `1e400` and
 * `1.50` are not the numbers that JavaScript makes of them. Ask `isComposite` before stepping into a
 * value, and `numberText` for what a number says.
 *
 * @returns undefined for what is no JSON, and for what cannot be kept as it is written: by an older
 * engine, or for being nested too deeply.
 */
export function parseExactly(text: string): { readonly value: unknown } | undefined {
  try {
    if (!mayChangeNumbers.test(text)) return { value: JSON.parse(text) }
    return newer().rawJSON === undefined ? undefined : { value: JSON.parse(text, asWritten) }
  } catch {
    return undefined
  }
}

/** Whether a value is an object or a list, and so has others in it. */
export function isComposite(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isWritten(value)
}

/** The digits of a number as they were written; undefined for what is no number. */
export function numberText(value: unknown): string | undefined {
  if (isWritten(value)) return value.rawJSON
  return typeof value === 'number' ? String(value) : undefined
}

// A number survives `JSON.parse` when it has at most 15 digits and none of: trailing zeros behind a
// point, an exponent, -0, six zeros before the first digit that counts. To keep numbers as they were
// written takes five times as long, so this looks first. Every alternative is bounded or ends where
// it fails: no text makes it slow. It may be wrong about a text that speaks of numbers.
const mayChangeNumbers =
  /[\s:,[]-?(?:[\d.]{16}|0\.0{6}|(?:\d+\.\d*0|[\d.]+[eE][+-]?\d+)\s*[,\]}])|[\s:,[]-0\s*[,\]}]/

function asWritten(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value
  return newer().rawJSON?.(source)
}

function isWritten(value: unknown): value is WrittenNumber {
  return newer().isRawJSON?.(value) === true
}
