import { evaluatePredicate, type StatePredicate } from '@symfonic/predicates'
import type { PathKeys, PathPart } from './path-keys.ts'
import { valueTexts } from './value-texts.ts'

/** One value in the state, and all that a set of predicates demands of it. */
export interface Place {
  /**
   * The path that leads here, as the first predicate on it is written, or else the first one that
   * leads through it; `''` at the top.
   */
  readonly path: string
  /** The family of the last segment; `''` at the top. */
  readonly family: string
  /** Keys that lead here in a state in which nothing is spelled in two ways. */
  readonly keys: readonly string[]
  /** The predicates on this very place. */
  readonly predicates: readonly StatePredicate[]
  /**
   * The values it may have, by canonical text, when `eq` or `in` leaves only some. The predicates
   * further within are already taken into account; an empty map means that nothing fits.
   */
  readonly allowed: ReadonlyMap<string, unknown> | undefined
  /** Canonical texts of the values that `neq` rules out here. */
  readonly excluded: ReadonlySet<string>
  /** The places one key further in; `placeWithin` finds one of them. */
  readonly within: ReadonlyMap<string, Place>
}

/**
 * Sorts predicates that must all hold by the value they speak of.
 *
 * Two spellings of a segment are one place when one of them has no key of its own to fall back on:
 * it resolves only where the other resolves to the same value. `pageContext` and `page_context` are
 * one place; `pageContext` and `PageContext` may be two keys of one state, and stay two places.
 *
 * @returns The place of the state itself.
 */
export function placesOf(predicates: readonly StatePredicate[], pathKeys: PathKeys): Place {
  const entries = predicates.map((predicate) => ({ predicate, path: pathKeys(predicate.path) }))
  return place(entries, { path: '', family: '', keys: [] })
}

interface Entry {
  readonly predicate: StatePredicate
  readonly path: readonly PathPart[]
}

function place(
  entries: readonly Entry[],
  { path: prefix, family, keys }: Pick<Place, 'path' | 'family' | 'keys'>,
): Place {
  const depth = keys.length
  const predicates: StatePredicate[] = []
  const excluded = new Set<string>()
  for (const { predicate, path } of entries) {
    if (path.length !== depth) continue
    predicates.push(predicate)
    if (predicate.op === 'neq') for (const text of valueTexts(predicate).keys()) excluded.add(text)
  }
  const within = new Map<string, Place>()
  if (predicates.length < entries.length) {
    for (const [id, { family, key, members }] of branches(entries, depth)) {
      const inner = members[0]?.predicate.path.split('.', depth + 1).join('.') ?? ''
      within.set(id, place(members, { path: inner, family, keys: [...keys, key] }))
    }
  }
  const allowed = allowedHere(predicates)
  if (allowed !== undefined) {
    for (const text of excluded) allowed.delete(text)
    const further = within.size === 0 ? [] : predicatesWithin(within)
    if (further.length > 0) {
      for (const [text, value] of allowed) {
        if (!further.every(holdsAt(keys, value))) allowed.delete(text)
      }
    }
  }
  const path = predicates[0]?.path ?? prefix
  return { path, family, keys, predicates, allowed, excluded, within }
}

interface Branch {
  readonly family: string
  readonly key: string
  readonly members: Entry[]
}

/** The entries that lead further in, by the place they lead to. */
function branches(entries: readonly Entry[], depth: number): Map<string, Branch> {
  const merged = new Set<string>()
  for (const { path } of entries) {
    const segment = path[depth]
    if (segment !== undefined && segment.written === undefined) merged.add(segment.family)
  }
  const found = new Map<string, Branch>()
  for (const entry of entries) {
    const segment = entry.path[depth]
    if (segment === undefined) continue
    const { family, snake, written } = segment
    const isOwn = written !== undefined && !merged.has(family)
    const id = isOwn ? `${family}.${written}` : family
    const branch = found.get(id)
    if (branch === undefined)
      found.set(id, { family, key: isOwn ? written : snake, members: [entry] })
    else branch.members.push(entry)
  }
  return found
}

/**
 * The place that a segment is certain to lead to from here.
 *
 * @returns undefined when the predicates do not make sure that the segment resolves.
 */
export function placeWithin(place: Place, segment: PathPart): Place | undefined {
  const shared = place.within.get(segment.family)
  if (shared !== undefined || segment.written === undefined) return shared
  return place.within.get(`${segment.family}.${segment.written}`)
}

/** What `eq` and `in` leave of all values, by canonical text; undefined when they say nothing. */
export function allowedHere(
  predicates: readonly StatePredicate[],
): Map<string, unknown> | undefined {
  let allowed: Map<string, unknown> | undefined
  for (const predicate of predicates) {
    if (predicate.op !== 'eq' && predicate.op !== 'in') continue
    const texts = valueTexts(predicate)
    if (allowed === undefined) allowed = new Map(texts)
    else for (const text of allowed.keys()) if (!texts.has(text)) allowed.delete(text)
  }
  return allowed
}

/** The predicates on places further in. */
export function predicatesWithin(within: ReadonlyMap<string, Place>): readonly StatePredicate[] {
  const found: StatePredicate[] = []
  const open = [...within.values()]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const predicate of next.predicates) found.push(predicate)
    for (const further of next.within.values()) open.push(further)
  }
  return found
}

/** Asks a predicate of a state that has the value under these keys and nothing else. */
export function holdsAt(
  keys: readonly string[],
  value: unknown,
): (predicate: StatePredicate) => boolean {
  const state = keys.reduceRight((inner, key) => Object.fromEntries([[key, inner]]), value)
  return (predicate) => evaluatePredicate(predicate, state)
}

/** Whether some value here, and with it some state, satisfies everything at once. */
export function isPossible(place: Place): boolean {
  if (place.allowed !== undefined) return place.allowed.size > 0
  for (const further of place.within.values()) if (!isPossible(further)) return false
  return true
}
