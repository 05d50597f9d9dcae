import { type KeyRead, keySite, type SegmentKeys } from './key-sites.ts'
import { predicateLimits } from './limits.ts'
import { isRecord } from './record.ts'
import { type Place, refusal } from './refusal.ts'
import { valueText } from './value-text.ts'

/** What `resolvePath` saw on its way. */
export interface Resolution {
  /** True when every segment resolved, also to `null`. */
  readonly found: boolean
  /** The live value in the state, not a copy; `undefined` when not found. */
  readonly value: unknown
  /** The keys that were taken, as the state spells them. Shorter than the path when missing. */
  readonly keys: readonly string[]
}

/** One segment of a path, ready to be looked up. */
export interface PathSegment extends SegmentKeys {
  /** Reads the segment of a node, at the place in the source that knows its key. */
  readonly read: KeyRead
}

/** A path ready to be followed. Frozen. */
export type CompiledPath = readonly PathSegment[]

/**
 * Follows a dotted path through a state and shows which keys it took. For people who debug; the
 * evaluating functions follow the same rules in compiled form.
 *
 * Each segment looks for its UPPER_SNAKE key, then its snake_case key, then the key exactly as
 * written. The first that is the record's own and does not hold `undefined` decides the segment,
 * and nothing that follows can change it. A segment resolves only inside a plain record: through
 * a list, a string, a `Map` or a class instance the path is missing, and so is a key whose getter
 * throws.
 *
 * @param path - Such as `page_context.platform`. `pageContext` and `PAGE_CONTEXT` find that too.
 * @throws PredicateError - `PREDICATE_PATH_INVALID`, `PREDICATE_TOO_LARGE` or `PREDICATE_TOO_DEEP`.
 * @see PRED-17, PRED-18, PRED-20, OPEN-PRED-2, DESIGN decision 4
 */
export function resolvePath(path: string, state: unknown): Resolution {
  const keys: string[] = []
  let value = state
  for (const segment of compilePath(path, { keyPath: [] })) {
    const step = lookUp(segment, value)
    if (step === undefined) return resolution(false, undefined, keys)
    keys.push(step.key)
    value = step.value
  }
  return resolution(true, value, keys)
}

/**
 * The keys by which each segment of a path is looked up, for tools that compare paths: two paths
 * that differ in spelling only ask a state for the same UPPER_SNAKE and snake_case keys.
 *
 * @throws PredicateError - As `resolvePath`.
 * @see PRED-18, DESIGN decision 4
 */
export function pathKeys(path: string): readonly SegmentKeys[] {
  return compilePath(path, { keyPath: [] }).map(({ upper, snake, written }) => ({
    upper,
    snake,
    written,
  }))
}

/**
 * Splits a path and derives the spellings of each segment once.
 *
 * @param place - Where the path stands in its precondition, for the error.
 * @throws PredicateError - As `resolvePath`.
 */
export function compilePath(path: unknown, place: Place): CompiledPath {
  if (typeof path !== 'string') {
    throw refusal(
      place,
      'PREDICATE_PATH_INVALID',
      `A path is dotted text, got ${valueText(path)}. Write it like "page_context.platform".`,
      { value: valueText(path) },
    )
  }
  if (path.length > predicateLimits.pathChars) {
    const limit = predicateLimits.pathChars
    throw refusal(
      place,
      'PREDICATE_TOO_LARGE',
      `A path has at most ${limit} characters, got ${path.length}. Shorten the path.`,
      { limit, actual: path.length, value: valueText(path) },
    )
  }
  const segments = path.split('.')
  if (segments.length > predicateLimits.pathSegments) {
    const limit = predicateLimits.pathSegments
    throw refusal(
      place,
      'PREDICATE_TOO_DEEP',
      `A path has at most ${limit} segments, got ${segments.length}. Keep the value nearer the top of the state.`,
      { limit, actual: segments.length, value: valueText(path) },
    )
  }
  return Object.freeze(
    segments.map((written, position) => {
      checkSegment(written, position, path, place)
      return compileSegment(written)
    }),
  )
}

function checkSegment(written: string, position: number, path: string, place: Place): void {
  if (written !== '' && written === written.trim()) return
  const fault = written === '' ? 'an empty segment' : 'white space at the edge of a segment'
  throw refusal(
    place,
    'PREDICATE_PATH_INVALID',
    path === ''
      ? 'The path is empty. Write it like "page_context.platform".'
      : `Path ${valueText(path)} has ${fault}. Name one key between dots, like "page_context.platform".`,
    { segment: position, value: valueText(path) },
  )
}

function compileSegment(written: string): PathSegment {
  const snake = snakeCase(written)
  const upper = snake.toUpperCase()
  return Object.freeze({
    upper: asPropertyKey(upper),
    snake: asPropertyKey(snake),
    written: written === upper || written === snake ? undefined : asPropertyKey(written),
    read: keySite(snake),
  })
}

// Words begin where a capital follows a small letter or a digit ("pageUrl", "oauth2Token"), and
// where the last capital of a run opens a word ("HTTPServer"). No pattern here can backtrack.
const wordStart = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu
const hyphenInWord = /(?<=[\p{L}\p{N}])-(?=[\p{L}\p{N}])/gu

/** `pageContext`, `PageContext`, `page-context` and `PAGE_CONTEXT` become `page_context`. */
function snakeCase(written: string): string {
  const joined = written.replace(hyphenInWord, '_')
  // Only mixed case marks words by capitals: TENANT1A is one word in capitals, not "tenant1_a".
  const isMixed = /\p{Ll}/u.test(joined) && /\p{Lu}/u.test(joined)
  return (isMixed ? joined.replace(wordStart, '_') : joined).toLowerCase()
}

/** The engine's own copy of a string, as property keys are kept: looking it up is then cheaper. */
function asPropertyKey(text: string): string {
  for (const key of Object.keys({ [text]: true })) return key
  return text
}

function lookUp(
  segment: PathSegment,
  node: unknown,
): { readonly key: string; readonly value: unknown } | undefined {
  try {
    if (!isRecord(node)) return undefined
    for (const key of [segment.upper, segment.snake, segment.written]) {
      if (key === undefined || !Object.hasOwn(node, key)) continue
      const value = node[key]
      if (value !== undefined) return { key, value }
    }
  } catch {
    // What cannot be read is not there.
  }
  return undefined
}

function resolution(found: boolean, value: unknown, keys: string[]): Resolution {
  return Object.freeze({ found, value, keys: Object.freeze(keys) })
}
