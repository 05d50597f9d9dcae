import { predicateLimits } from './limits.ts'
import { isRecord } from './record.ts'
import { inside, type Place, reading, refusal } from './refusal.ts'
import { valueText } from './value-text.ts'

/** What the values of one precondition may still hold. Counted down while they are copied. */
export interface ValueBudget {
  nodes: number
  chars: number
}

/** The budget of a precondition nothing has been read of yet. */
export function fullBudget(): ValueBudget {
  return { nodes: predicateLimits.valueNodes, chars: predicateLimits.valueChars }
}

/**
 * Copies a value and freezes the copy all the way down. Only what JSON can say is accepted, and
 * every property is read once, so what was checked is what is kept.
 *
 * @param place - Where the value stands in its precondition, for the error.
 * @throws PredicateError - `PREDICATE_NOT_JSON`, `PREDICATE_TOO_DEEP`, `PREDICATE_TOO_LARGE` or
 *   `PREDICATE_UNREADABLE`.
 */
export function frozenJson(value: unknown, place: Place, budget: ValueBudget): unknown {
  return copy(value, place, budget, [])
}

/**
 * A list or a `Set` as a frozen list of JSON values; `undefined` when it is neither.
 *
 * @see PRED-15, OPEN-PRED-8
 */
export function frozenList(
  value: unknown,
  place: Place,
  budget: ValueBudget,
): readonly unknown[] | undefined {
  if (reading(place, () => Array.isArray(value))) {
    return copyList(value as readonly unknown[], place, budget, [])
  }
  if (reading(place, () => value instanceof Set)) {
    return copyList(setMembers(value as ReadonlySet<unknown>, place, budget), place, budget, [])
  }
  return undefined
}

function copy(
  value: unknown,
  place: Place,
  budget: ValueBudget,
  ancestors: readonly object[],
): unknown {
  if (typeof value === 'string') {
    spend(budget, 'nodes', 1, place)
    spend(budget, 'chars', value.length, place)
    return value
  }
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) {
    spend(budget, 'nodes', 1, place)
    return value
  }
  if (typeof value !== 'object') throw notJson(value, place)
  if (ancestors.includes(value)) {
    throw refusal(
      place,
      'PREDICATE_NOT_JSON',
      'The value contains itself. Write a value that JSON can hold, without cycles.',
      { value: '<cycle>' },
    )
  }
  if (reading(place, () => Array.isArray(value))) {
    return copyList(value as readonly unknown[], place, budget, ancestors)
  }
  if (reading(place, () => isRecord(value))) {
    return copyRecord(value as Record<string, unknown>, place, budget, ancestors)
  }
  throw notJson(value, place)
}

function copyList(
  list: readonly unknown[],
  place: Place,
  budget: ValueBudget,
  ancestors: readonly object[],
): readonly unknown[] {
  const deeper = descend(list, place, ancestors)
  const length = listLength(list, place)
  spend(budget, 'nodes', 1, place)
  // Before the first member is read: a sparse list may claim four thousand million of them.
  if (length > budget.nodes) spend(budget, 'nodes', length, place)
  const members: unknown[] = []
  for (let index = 0; index < length; index += 1) {
    const at = inside(place, index)
    members.push(
      copy(
        reading(at, () => list[index]),
        at,
        budget,
        deeper,
      ),
    )
  }
  return Object.freeze(members)
}

function copyRecord(
  record: Record<string, unknown>,
  place: Place,
  budget: ValueBudget,
  ancestors: readonly object[],
): unknown {
  const deeper = descend(record, place, ancestors)
  const keys = reading(place, () => Object.keys(record))
  spend(budget, 'nodes', 1, place)
  if (keys.length > budget.nodes) spend(budget, 'nodes', keys.length, place)
  const members: Record<string, unknown> = {}
  for (const key of keys) {
    spend(budget, 'chars', key.length, place)
    const at = inside(place, key)
    const member = copy(
      reading(at, () => record[key]),
      at,
      budget,
      deeper,
    )
    // Assigning to "__proto__" would set the prototype; defining it makes an ordinary key.
    Object.defineProperty(members, key, { value: member, enumerable: true })
  }
  return Object.freeze(members)
}

/** The length of a list, which a proxy may make up. */
export function listLength(list: readonly unknown[], place: Place): number {
  const length: unknown = reading(place, () => list.length)
  return reading(place, () => {
    if (typeof length === 'number' && Number.isInteger(length) && length >= 0) return length
    throw new TypeError('a list without a length')
  })
}

function setMembers(
  set: ReadonlySet<unknown>,
  place: Place,
  budget: ValueBudget,
): readonly unknown[] {
  const members: unknown[] = []
  // Set's own forEach: a subclass could iterate for ever.
  reading(place, () => {
    Set.prototype.forEach.call(set, (member) => {
      // One more than the budget is enough to have it refused.
      if (members.length <= budget.nodes) members.push(member)
    })
  })
  return members
}

function descend(container: object, place: Place, ancestors: readonly object[]): readonly object[] {
  const limit = predicateLimits.valueDepth
  if (ancestors.length >= limit) {
    throw refusal(
      place,
      'PREDICATE_TOO_DEEP',
      `The value is nested more than ${limit} levels deep. Compare a smaller part of the state.`,
      { limit },
    )
  }
  return [...ancestors, container]
}

function spend(budget: ValueBudget, unit: 'nodes' | 'chars', amount: number, place: Place): void {
  budget[unit] -= amount
  if (budget[unit] >= 0) return
  const [limit, what] =
    unit === 'nodes'
      ? [predicateLimits.valueNodes, 'values']
      : [predicateLimits.valueChars, 'characters of text']
  throw refusal(
    place,
    'PREDICATE_TOO_LARGE',
    `The predicates of one precondition hold at most ${limit} ${what} in all. Compare a smaller part of the state.`,
    { limit },
  )
}

function notJson(value: unknown, place: Place): Error {
  const text = valueText(value)
  const advice = reading(place, () => value instanceof Set)
    ? 'Write it as a list.'
    : typeof value === 'undefined'
      ? 'Leave the key out, or write null.'
      : 'Write a string, a finite number, a boolean, null, a list or a plain record.'
  return refusal(place, 'PREDICATE_NOT_JSON', `JSON cannot hold ${text}. ${advice}`, {
    value: text,
  })
}
