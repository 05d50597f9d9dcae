import { cutText } from './cut-text.ts'
import { quoted } from './digest.ts'
import { isComposite, parseExactly } from './exact-json.ts'
import type { Ledger, LedgerPlace, RecordedResult } from './ledger.ts'
import { within } from './time-limit.ts'

/** The name of the tool that answers recalls (RES-17). */
export const recallToolName = 'recall_tool_result'

/** What to read of a result. Without anything but an id: its beginning. */
export interface RecallRequest {
  /** The id from the stub. */
  readonly id: string
  /** A JSON pointer into the result (RFC 6901), such as `/rows/3`. What follows applies to its value. */
  readonly pointer?: string | undefined
  /** A text to look for, whatever its case; answers with the places around it. */
  readonly search?: string | undefined
  /** Where to begin, in characters. Default 0. */
  readonly offsetChars?: number | undefined
}

/** What a recall found. Whatever it is, its texts together keep to `maxChars`. */
export type RecallAnswer =
  /** A part of the result, or all of it when `nextOffsetChars` is absent and the offset is 0. */
  | {
      readonly kind: 'text'
      readonly text: string
      readonly offsetChars: number
      readonly totalChars: number
      /** Where to go on reading. */
      readonly nextOffsetChars?: number
    }
  /** The places where a text stands; as many as there was room for. */
  | {
      readonly kind: 'matches'
      readonly matches: readonly { readonly offsetChars: number; readonly text: string }[]
      readonly totalChars: number
      /** Where to go on looking. */
      readonly nextOffsetChars?: number
    }
  /** Nothing, and what to do about it. An id of another place is `unknown-id`, like any other. */
  | {
      readonly kind: 'nothing'
      readonly reason: 'unknown-id' | 'bad-request' | 'not-json' | 'no-such-value' | 'unavailable'
      readonly message: string
    }

/**
 * Answers a recall from a ledger: the whole result in slices, one JSON value, or a text search, all
 * within a bound (DESIGN decision 8). Never rejects, whatever the request is and the ledger does.
 *
 * @param request - As a model wrote it: it is checked here.
 * @param about.maxChars - Longest answer in characters. Default 4000.
 * @param about.ledgerTimeoutMs - Milliseconds the ledger has to find the result; then it is
 * `unavailable`. Default 5000.
 * @see RES-15, RES-17
 */
export async function recallResult(
  ledger: Pick<Ledger, 'fetch'>,
  request: unknown,
  about: {
    place: LedgerPlace
    maxChars?: number | undefined
    ledgerTimeoutMs?: number | undefined
  },
): Promise<RecallAnswer> {
  const { place, maxChars = 4000, ledgerTimeoutMs = 5000 } = about
  const read = readRequest(request)
  if ('kind' in read) return read
  let whole: string | undefined
  try {
    whole = await textIn(ledger.fetch(place, read.id), ledgerTimeoutMs)
  } catch {
    const wish = 'Try again, or call the tool again.'
    return nothing('unavailable', `The result could not be looked up just now. ${wish}`)
  }
  if (whole === undefined) {
    const wish = 'Use an id from a stub of this conversation, or call the tool again.'
    return nothing('unknown-id', `No result has this id. ${wish}`)
  }
  const text = read.pointer === undefined ? whole : valueAt(whole, read.pointer, maxChars)
  if (typeof text !== 'string') return text
  const offset = Math.min(read.offsetChars, text.length)
  return read.search === undefined
    ? slice(text, offset, maxChars)
    : search(text, read.search, { offset, maxChars })
}

/** A recall's answer as the text a model reads. At most 200 characters longer than `maxChars`. */
export function describeRecall(answer: RecallAnswer): string {
  if (answer.kind === 'nothing') return answer.message
  const { totalChars, nextOffsetChars } = answer
  const more = nextOffsetChars === undefined ? '' : ` Go on with offsetChars ${nextOffsetChars}.`
  if (answer.kind === 'matches') {
    const shown = answer.matches.map(({ offsetChars, text }) => matchLabel(offsetChars) + text)
    const count = `${answer.matches.length} places in ${totalChars} characters.`
    return count + more + shown.join('')
  }
  const { offsetChars, text } = answer
  if (offsetChars === 0 && nextOffsetChars === undefined) return text
  const end = offsetChars + text.length
  return `Characters ${offsetChars} to ${end} of ${totalChars}.${more}\n${text}`
}

function matchLabel(offsetChars: number): string {
  return `\nat ${offsetChars}: `
}

/** The text of what a ledger found. Rejects for a ledger that is too slow, or gives no result. */
async function textIn(
  found: ReturnType<Ledger['fetch']>,
  timeoutMs: number,
): Promise<string | undefined> {
  const result: RecordedResult | undefined | null = await within(found, timeoutMs)
  // Some stores say null for what is not there.
  if (result === undefined || result === null) return undefined
  const { text } = result
  if (typeof text !== 'string') throw new TypeError('The ledger gave no text.')
  return text
}

type CheckedRequest = RecallRequest & { readonly offsetChars: number }
type Nothing = Extract<RecallAnswer, { kind: 'nothing' }>

function readRequest(request: unknown): CheckedRequest | Nothing {
  const [id, pointer, text, offset] = fieldsOf(request)
  if (typeof id !== 'string') return bad('"id" must be a text: the id from the stub.')
  // Models fill in what they do not need: an empty text asks for nothing.
  const isText = (value: unknown) =>
    value === undefined || value === null || typeof value === 'string'
  if (!isText(pointer)) return bad('"pointer" must be a text such as "/rows/3".')
  if (!isText(text)) return bad('"search" must be a text.')
  if (typeof text === 'string' && text.length > 200)
    return bad('"search" is longer than 200 characters.')
  const offsetChars = offset ?? 0
  if (typeof offsetChars !== 'number' || !Number.isInteger(offsetChars) || offsetChars < 0) {
    return bad('"offsetChars" must be a whole number of at least 0.')
  }
  return {
    id,
    offsetChars,
    ...(typeof pointer === 'string' && pointer !== '' && { pointer }),
    ...(typeof text === 'string' && text !== '' && { search: text }),
  }
}

function fieldsOf(request: unknown): unknown[] {
  if (typeof request !== 'object' || request === null) return []
  try {
    return ['id', 'pointer', 'search', 'offsetChars'].map((key) =>
      Object.hasOwn(request, key) ? Reflect.get(request, key) : undefined,
    )
  } catch {
    // A request that throws when it is read asks for nothing.
    return []
  }
}

function bad(message: string): Nothing {
  return nothing('bad-request', message)
}

function nothing(reason: Nothing['reason'], message: string): Nothing {
  return { kind: 'nothing', reason, message }
}

function slice(text: string, offsetChars: number, maxChars: number): RecallAnswer {
  const part = cutText(text, offsetChars, offsetChars + maxChars)
  const end = offsetChars + Math.max(part.length, 1)
  const goesOn = end < text.length
  return {
    kind: 'text',
    text: part,
    offsetChars,
    totalChars: text.length,
    ...(goesOn && { nextOffsetChars: end }),
  }
}

/** Characters shown on either side of a found text. */
const aroundChars = 120

function search(
  text: string,
  wanted: string,
  { offset, maxChars }: { offset: number; maxChars: number },
): RecallAnswer {
  const [hay, needle] = [caseless(text), caseless(wanted)]
  const matches: { offsetChars: number; text: string }[] = []
  let left = maxChars
  let at = hay.indexOf(needle, offset)
  while (at !== -1) {
    const end = at + needle.length + aroundChars
    const part = cutText(text, at - aroundChars, end)
    const labelled = matchLabel(at).length + part.length
    if (labelled > left && matches.length > 0) break
    matches.push({ offsetChars: at, text: cutText(part, 0, left - matchLabel(at).length) })
    left -= labelled
    at = hay.indexOf(needle, end)
  }
  return {
    kind: 'matches',
    matches,
    totalChars: text.length,
    ...(at !== -1 && { nextOffsetChars: at }),
  }
}

/**
 * A text without the difference of capital and small letters, each character where it was. Of all
 * letters only İ becomes longer when it is made small, and only Σ depends on where it stands.
 */
function caseless(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase().replaceAll('ς', 'σ')
}

function valueAt(text: string, pointer: string, maxChars: number): string | Nothing {
  if (!pointer.startsWith('/')) return bad('"pointer" must begin with "/", as in "/rows/3".')
  const parsed = parseExactly(text)
  if (parsed === undefined) {
    return nothing(
      'not-json',
      'The result cannot be read as JSON. Read it by offsetChars or search.',
    )
  }
  let { value } = parsed
  for (const escaped of pointer.slice(1).split('/')) {
    // In this order: `~01` is `~1`, and no slash.
    const token = escaped.replaceAll('~1', '/').replaceAll('~0', '~')
    const step = stepInto(value, token)
    if (step === undefined) return noSuchValue(value, token, maxChars)
    value = step.value
  }
  try {
    return JSON.stringify(value)
  } catch {
    return nothing('no-such-value', 'The value is nested too deeply. Ask for a part of it.')
  }
}

function stepInto(value: unknown, token: string): { value: unknown } | undefined {
  if (!isComposite(value)) return undefined
  if (Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(token)) return undefined
  return Object.hasOwn(value, token) ? { value: Reflect.get(value, token) } : undefined
}

function noSuchValue(value: unknown, token: string, maxChars: number): Nothing {
  const message = `There is no ${quoted(token, 80)}. ${choices(value)}`
  return nothing('no-such-value', cutText(message, 0, Math.max(maxChars, 200)))
}

function choices(value: unknown): string {
  if (Array.isArray(value)) {
    const { length } = value
    return length === 0
      ? 'It is an empty list.'
      : `It is a list of ${length}: use 0 to ${length - 1}.`
  }
  if (!isComposite(value)) return 'What comes before it is no object or list.'
  const keys = Object.keys(value)
  if (keys.length === 0) return 'It is an object without keys.'
  const shown = keys.slice(0, 12).map((key) => quoted(key, 40))
  return `Keys are ${shown.join(', ')}${keys.length > 12 ? ` and ${keys.length - 12} more` : ''}.`
}
