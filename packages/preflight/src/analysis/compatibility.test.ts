import { parsePrecondition } from '@symfonic/predicates'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createConditions } from './conditions.ts'
import { createPathKeys } from './path-keys.ts'
import { isPossible, placesOf } from './places.ts'

const predicateOf = (path: string, op: string, value?: unknown) => ({
  state: { path, op, ...(op !== 'exists' && { value }) },
})

/** Whether these can hold together, asked of each as a condition of its own. */
function canHoldTogether(...sources: ReturnType<typeof predicateOf>[]): boolean {
  const conditions = createConditions(createPathKeys())
  return conditions.canHoldTogether(
    sources.map((source) => conditions.of(parsePrecondition([source]).predicates)),
  )
}

describe('conditions hold together', () => {
  it.each([
    [
      'on places beside each other',
      true,
      [predicateOf('a.x', 'eq', 1), predicateOf('a.y', 'eq', 2)],
    ],
    ['on one place', false, [predicateOf('a.x', 'eq', 1), predicateOf('a.x', 'eq', 2)]],
    [
      'on one place, spelled twice',
      false,
      [predicateOf('aB', 'eq', 1), predicateOf('a_b', 'eq', 2)],
    ],
    [
      'on a place and one within',
      false,
      [predicateOf('a.x.y', 'exists'), predicateOf('a', 'eq', 1)],
    ],
    [
      'with room for the one within',
      true,
      [predicateOf('a.x', 'eq', 1), predicateOf('a', 'eq', { x: 1 })],
    ],
    ['alone in an empty list', false, [predicateOf('a', 'in', [])]],
    [
      'on two own keys',
      true,
      [predicateOf('aB.c', 'eq', 1), predicateOf('AB.c', 'eq', 2), predicateOf('A-b.c', 'eq', 3)],
    ],
    [
      'on two spellings that a third makes one',
      false,
      [predicateOf('aB.c', 'eq', 1), predicateOf('A-b.c', 'eq', 2), predicateOf('a_b.d', 'exists')],
    ],
  ])('%s: %j', (_, expected, predicates) => {
    expect(canHoldTogether(...predicates)).toBe(expected)
  })

  it('as they do when all are looked at as one', () => {
    const segment = fc.constantFrom('a', 'aB', 'a_b', 'A-b', 'c')
    const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((keys) => keys.join('.'))
    const value = fc.constantFrom<unknown>(1, 2, { a: 1 }, { c: { a: 1 } }, { a_b: { c: 2 } })
    const predicate = fc.oneof(
      fc.tuple(path, fc.constantFrom('eq', 'neq'), value),
      fc.tuple(path, fc.constant('in'), fc.array(value, { maxLength: 3 })),
      fc.tuple(path, fc.constant('exists'), fc.constant(undefined)),
    )
    const condition = fc.array(predicate, { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(fc.array(condition, { minLength: 1, maxLength: 3 }), (sets) => {
        const pathKeys = createPathKeys()
        const conditions = createConditions(pathKeys)
        const parsed = sets.map(
          (set) =>
            parsePrecondition(set.map(([path, op, value]) => predicateOf(path, op, value)))
              .predicates,
        )
        expect(conditions.canHoldTogether(parsed.map(conditions.of))).toBe(
          isPossible(placesOf(parsed.flat(), pathKeys)),
        )
      }),
      { numRuns: 1_000 },
    )
  })
})
