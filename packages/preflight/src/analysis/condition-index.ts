import { canonicalJson } from './canonical-json.ts'
import type { Condition, Conditions } from './conditions.ts'
import type { PathKeys } from './path-keys.ts'
import type { Place } from './places.ts'

/** Items by their conditions, so that those implied by another are found without trying all. */
export interface ConditionIndex<Item> {
  /** Every item whose condition this one implies, and some others. */
  maybeImpliedBy(condition: Condition): Iterable<Item>
}

/**
 * Files each item under one predicate of its condition, as a text that says what another condition
 * must fix in order to imply it. Of several predicates the most telling one is taken.
 */
export function indexByCondition<Item>(
  items: readonly Item[],
  conditionOf: (item: Item) => Condition,
  { conditions, pathKeys }: { conditions: Conditions; pathKeys: PathKeys },
): ConditionIndex<Item> {
  const drawers = new Map<string, Set<Item>>()
  for (const item of items) {
    for (const text of wanted(conditionOf(item), conditions, pathKeys)) {
      const drawer = drawers.get(text) ?? new Set()
      drawers.set(text, drawer.add(item))
    }
  }
  return {
    maybeImpliedBy(condition) {
      const found = new Set(drawers.get(unconditional))
      const granted = grantedBy(conditions.placeOf(condition), '')
      if (granted === everything) return items
      for (const choices of granted) {
        for (const item of smallest(choices.map((text) => drawers.get(text)))) found.add(item)
      }
      return found
    },
  }
}

const unconditional = ''

/** What has to be granted for one predicate of a condition: any one of these. */
function wanted(condition: Condition, conditions: Conditions, pathKeys: PathKeys): string[] {
  const order = ['eq', 'in', 'neq', 'exists']
  const [telling] = conditions
    .predicatesOf(condition)
    .toSorted((one, other) => order.indexOf(one.op) - order.indexOf(other.op))
  if (telling === undefined) return [unconditional]
  const { path, op, value } = telling
  const place = pathKeys(path)
    .map(({ family }) => `/${family}`)
    .join('')
  if (op === 'exists') return [place]
  if (op === 'neq') return [`${place} not ${canonicalJson(value)}`, `${place} not`]
  const values = op === 'eq' ? [value] : (value as readonly unknown[])
  return values.map((one) => `${place} is ${canonicalJson(one)}`)
}

const everything = Symbol('everything')

/**
 * What a condition grants at each place, as lists: an item is worth a look when it is filed under
 * one of the texts of a list, and under all of them when it can be filed under several.
 */
function grantedBy(
  { allowed, excluded, within }: Place,
  name: string,
): string[][] | typeof everything {
  const granted: string[][] = name === '' ? [] : [[name]]
  if (allowed !== undefined) {
    // Whatever is asked of a record that is known as a whole may be in it.
    for (const value of allowed.values())
      if (typeof value === 'object' && value !== null) return everything
    granted.push([...allowed.keys()].map((text) => `${name} is ${text}`))
  }
  if (allowed !== undefined || within.size > 0) granted.push([`${name} not`])
  for (const text of excluded) granted.push([`${name} not ${text}`])
  for (const further of within.values()) {
    const inner = grantedBy(further, `${name}/${further.family}`)
    if (inner === everything) return everything
    granted.push(...inner)
  }
  return granted
}

/** Of drawers that all hold what is looked for, the one with the least in it. */
function smallest<Item>(drawers: readonly (ReadonlySet<Item> | undefined)[]): ReadonlySet<Item> {
  let least: ReadonlySet<Item> | undefined
  for (const drawer of drawers) {
    if (drawer === undefined) return new Set()
    if (least === undefined || drawer.size < least.size) least = drawer
  }
  return least ?? new Set()
}
