import type { StatePredicate } from '@symfonic/predicates'
import { canonicalJson } from './canonical-json.ts'

/**
 * The values that a predicate names, by canonical text: those of an `in`, else the one of an `eq` or
 * `neq`; none for `exists`. Remembered, since a predicate is asked for them many times; both the
 * predicate and its value are frozen, so the answer cannot change.
 */
export function valueTexts(predicate: StatePredicate): ReadonlyMap<string, unknown> {
  let texts = known.get(predicate)
  if (texts === undefined) {
    texts = new Map(named(predicate).map((value) => [canonicalJson(value), value]))
    known.set(predicate, texts)
  }
  return texts
}

const known = new WeakMap<StatePredicate, ReadonlyMap<string, unknown>>()

function named({ op, value }: StatePredicate): readonly unknown[] {
  if (op === 'exists') return []
  return op === 'in' ? (value as readonly unknown[]) : [value]
}
