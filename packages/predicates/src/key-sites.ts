import { isRecord } from './record.ts'

/** The keys one segment of a path is looked up by, in this order. */
export interface SegmentKeys {
  /** UPPER_SNAKE, the plugin-render contract. */
  readonly upper: string
  /** snake_case, the runtime state. Equal to `upper` where letter case makes no difference. */
  readonly snake: string
  /** The segment as the author wrote it, when that is neither of the two. */
  readonly written: string | undefined
}

/** What a read answers for a key that does not resolve. Never leaves the package. @see PRED-20 */
export const MISSING: unique symbol = Symbol('missing')

/** Reads one segment of any object. A getter or proxy trap that throws, throws through. */
export type KeyRead = (node: Keyed, segment: SegmentKeys) => unknown

type Keyed = Readonly<Record<string, unknown>>

const { getPrototypeOf } = Object
const root: Keyed = getPrototypeOf({})

// V8 learns the keys and shapes of a property access per place in the source. One place for every
// key learns too much and falls back to a slow search, worst of all for the UPPER_SNAKE key that is
// hardly ever there; so the usual number of keys get a place each. The lines are the same on
// purpose. Measured on three predicates of two segments: 275 ns with one place, 130 ns with eight.
const sites: readonly KeyRead[] = [
  (n, s) => pick(n, s, n[s.upper], root[s.upper], n[s.snake], root[s.snake]),
  (n, s) => pick(n, s, n[s.upper], root[s.upper], n[s.snake], root[s.snake]),
  (n, s) => pick(n, s, n[s.upper], root[s.upper], n[s.snake], root[s.snake]),
  (n, s) => pick(n, s, n[s.upper], root[s.upper], n[s.snake], root[s.snake]),
  (n, s) => pick(n, s, n[s.upper], root[s.upper], n[s.snake], root[s.snake]),
  (n, s) => pick(n, s, n[s.upper], root[s.upper], n[s.snake], root[s.snake]),
  (n, s) => pick(n, s, n[s.upper], root[s.upper], n[s.snake], root[s.snake]),
  (n, s) => pick(n, s, n[s.upper], root[s.upper], n[s.snake], root[s.snake]),
]

/**
 * The first of the segment's keys that the record has of its own: UPPER_SNAKE, snake_case, as
 * written. A value is read first and then shown to be the record's own: either its prototype is
 * Object.prototype, which has nothing under that key, or the longer way round.
 */
function pick(
  node: Keyed,
  segment: SegmentKeys,
  upper: unknown,
  inheritedUpper: unknown,
  snake: unknown,
  inheritedSnake: unknown,
): unknown {
  if (getPrototypeOf(node) === root) {
    if (upper !== undefined && inheritedUpper === undefined) return upper
    if (upper === undefined && snake !== undefined && inheritedSnake === undefined) return snake
  }
  return readWithCare(node, segment)
}

function readWithCare(node: Keyed, { upper, snake, written }: SegmentKeys): unknown {
  if (!isRecord(node)) return MISSING
  let value = node[upper]
  if (value !== undefined && Object.hasOwn(node, upper)) return value
  value = node[snake]
  if (value !== undefined && Object.hasOwn(node, snake)) return value
  if (written === undefined) return MISSING
  value = node[written]
  return value !== undefined && Object.hasOwn(node, written) ? value : MISSING
}

const siteOf = new Map<string, KeyRead>()
let next = 0

/** The place where a key is read: its own for the first keys of a process, shared from then on. */
export function keySite(snake: string): KeyRead {
  const known = siteOf.get(snake)
  if (known !== undefined) return known
  const site = sites[next % sites.length] as KeyRead
  next += 1
  // Bounded: a host that parses rules for ever must not leak their keys.
  if (siteOf.size < sites.length) siteOf.set(snake, site)
  return site
}
