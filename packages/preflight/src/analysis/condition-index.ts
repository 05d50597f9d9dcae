import { canonicalJson } from './canonical-json.ts'
import type { Demand } from './compatibility.ts'
import type { Condition, Conditions } from './conditions.ts'
import type { PathKeys, PathPart } from './path-keys.ts'
import type { Place } from './places.ts'
import { valueTexts } from './value-texts.ts'

/** Items by their conditions, so that those implied by another are found without trying all. */
export interface ConditionIndex<Item> {
  /** Every item whose condition this one implies, and some others. */
  maybeImpliedBy(condition: Condition): Iterable<Item>
}

/**
 * Files each item under one predicate of its condition, by what another condition must fix in order
 * to imply it. Of several predicates the one that fewest items share is taken.
 */
export function indexByCondition<Item>(
  items: readonly Item[],
  conditionOf: (item: Item) => Condition,
  { conditions, pathKeys }: { conditions: Conditions; pathKeys: PathKeys },
): ConditionIndex<Item> {
  const counts = new Map<unknown, number>()
  for (const item of items) {
    for (const demand of conditions.demandsOf(conditionOf(item))) {
      const key = sharedKey(demand)
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  const unconditional: Item[] = []
  const top = emptyCabinet<Item>()
  for (const item of items) {
    const demand = leastShared(conditions.demandsOf(conditionOf(item)), counts)
    if (demand === undefined) unconditional.push(item)
    else file(item, demand, cabinetAt(top, pathKeys(demand.predicate.path)))
  }
  return {
    maybeImpliedBy(condition) {
      const found = new Set(unconditional)
      if (top.within.size > 0) collect(conditions.placeOf(condition), top, found)
      return found
    },
  }
}

/** The items filed under predicates on one place. */
interface Cabinet<Item> {
  /** Those that only ask that the place exists. */
  readonly exists: Set<Item>
  /** By the canonical text of each value that they allow. */
  readonly is: Map<string, Set<Item>>
  /** By the canonical text of the value that they rule out. */
  readonly isNot: Map<string, Set<Item>>
  /** By family of the next segment. */
  readonly within: Map<string, Cabinet<Item>>
  /** By a key of a record at this place, the families of segments that look for it. */
  readonly familiesOf: Map<string, Set<string>>
}

function emptyCabinet<Item>(): Cabinet<Item> {
  return {
    exists: new Set(),
    is: new Map(),
    isNot: new Map(),
    within: new Map(),
    familiesOf: new Map(),
  }
}

function cabinetAt<Item>(top: Cabinet<Item>, path: readonly PathPart[]): Cabinet<Item> {
  let cabinet = top
  for (const { family, written } of path) {
    // A family is the two keys that it looks for, with a dot between them.
    for (const key of [...family.split('.'), written]) {
      if (key !== undefined) addTo(cabinet.familiesOf, key, family)
    }
    const further: Cabinet<Item> = cabinet.within.get(family) ?? emptyCabinet()
    cabinet.within.set(family, further)
    cabinet = further
  }
  return cabinet
}

function file<Item>(item: Item, { predicate }: Demand, cabinet: Cabinet<Item>): void {
  if (predicate.op === 'exists') cabinet.exists.add(item)
  const drawers = predicate.op === 'neq' ? cabinet.isNot : cabinet.is
  for (const text of valueTexts(predicate).keys()) addTo(drawers, text, item)
}

/** The demand that fewest items share. */
function leastShared(
  demands: readonly Demand[],
  counts: ReadonlyMap<unknown, number>,
): Demand | undefined {
  let best: Demand | undefined
  let least = Number.POSITIVE_INFINITY
  for (const demand of demands) {
    const count = counts.get(sharedKey(demand)) ?? 0
    if (count >= least) continue
    best = demand
    least = count
  }
  return best
}

/** Those who allow the same values are looked at together; of all others, those at one place. */
function sharedKey({ id, predicate: { op }, trail }: Demand): unknown {
  return op === 'eq' || op === 'in' ? id : `${op} ${trail.at(-1)}`
}

/** Adds the items that are worth a look when all predicates of a place hold. */
function collect<Item>(place: Place, cabinet: Cabinet<Item>, found: Set<Item>): void {
  const { allowed, excluded, within, keys } = place
  if (keys.length > 0) addAll(cabinet.exists, found)
  if (allowed !== undefined) {
    // Whoever is implied allows every one of the values, so it is in each of these drawers.
    addAll(smallest([...allowed.keys()].map((text) => cabinet.is.get(text))), found)
    // What holds further in holds for every value, so what one of them grants is all there can be.
    const [first] = allowed.values()
    collectInside(first, cabinet, found)
  }
  if (allowed !== undefined || within.size > 0) {
    for (const items of cabinet.isNot.values()) addAll(items, found)
  } else {
    for (const text of excluded) addAll(cabinet.isNot.get(text), found)
  }
  for (const further of within.values()) {
    const next = cabinet.within.get(further.family)
    if (next !== undefined) collect(further, next, found)
  }
}

/** Adds the items that are worth a look when the value of a place is known, which stands within. */
function collectInside<Item>(value: unknown, cabinet: Cabinet<Item>, found: Set<Item>): void {
  if (typeof value !== 'object' || value === null || cabinet.within.size === 0) return
  for (const [key, member] of Object.entries(value)) {
    for (const family of cabinet.familiesOf.get(key) ?? []) {
      const next = cabinet.within.get(family)
      if (next === undefined) continue
      addAll(next.exists, found)
      if (next.is.size > 0) addAll(next.is.get(canonicalJson(member)), found)
      for (const items of next.isNot.values()) addAll(items, found)
      collectInside(member, next, found)
    }
  }
}

/** Of drawers that all hold what is looked for, the one with the least in it. */
function smallest<Item>(
  drawers: readonly (ReadonlySet<Item> | undefined)[],
): ReadonlySet<Item> | undefined {
  let least = drawers[0]
  for (const drawer of drawers) {
    if (drawer === undefined) return undefined
    if (least === undefined || drawer.size < least.size) least = drawer
  }
  return least
}

function addTo<Key, Item>(drawers: Map<Key, Set<Item>>, key: Key, item: Item): void {
  const drawer = drawers.get(key)
  if (drawer === undefined) drawers.set(key, new Set([item]))
  else drawer.add(item)
}

function addAll<Item>(items: Iterable<Item> | undefined, found: Set<Item>): void {
  for (const item of items ?? []) found.add(item)
}
