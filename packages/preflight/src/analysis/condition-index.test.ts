import { parsePrecondition } from '@symfonic/predicates'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indexByCondition } from './condition-index.ts'
import { createConditions } from './conditions.ts'
import { isImplied } from './implied.ts'
import { createPathKeys } from './path-keys.ts'
import { isPossible } from './places.ts'

describe('the index by condition', () => {
  it('never leaves out a condition that is implied', () => {
    let count = 0
    fc.assert(
      fc.property(fc.array(precondition, { minLength: 2, maxLength: 6 }), (sources) => {
        const { conditions, pathKeys, items, index } = indexOf(sources)
        for (const one of items) {
          const top = conditions.placeOf(one)
          if (!isPossible(top)) continue
          const found = new Set(index.maybeImpliedBy(one))
          for (const other of items) {
            const predicates = conditions.predicatesOf(other)
            if (!predicates.every((predicate) => isImplied(predicate, top, pathKeys))) continue
            if (one !== other) count += 1
            expect(found.has(other)).toBe(true)
          }
        }
      }),
      { numRuns: 1_000 },
    )
    expect(count).toBeGreaterThan(100)
  })

  it.each<[string, (at: number) => object]>([
    ['equal to', (at) => ({ path: 'p', op: 'eq', value: at })],
    ['equal to a record with', (at) => ({ path: 'p', op: 'eq', value: { q: at, r: [at] } })],
    ['different from', (at) => ({ path: 'p', op: 'neq', value: at })],
    ['among', (at) => ({ path: 'p', op: 'in', value: [at, 'shared'] })],
    ['at', (at) => ({ path: `p.q${at}`, op: 'exists' })],
  ])(
    'looks at few of many conditions that are each %s something of their own',
    (_, predicateOf) => {
      const sources = Array.from({ length: 300 }, (_, at) => [{ state: predicateOf(at) }])
      const { items, index } = indexOf(sources)
      expect(items).toHaveLength(300)
      for (const one of items) expect([...index.maybeImpliedBy(one)].length).toBeLessThan(5)
    },
  )
})

function indexOf(sources: readonly object[][]) {
  const pathKeys = createPathKeys()
  const conditions = createConditions(pathKeys)
  const items = [
    ...new Set(sources.map((source) => conditions.of(parsePrecondition(source).predicates))),
  ]
  return {
    pathKeys,
    conditions,
    items,
    index: indexByCondition(items, (item) => item, { conditions, pathKeys }),
  }
}

const value = fc.constantFrom<unknown>(1, 2, { b: 1 }, { b: 2, c: 1 }, null)
const path = fc.constantFrom('a', 'a.b', 'a.b.c', 'aB', 'a_b', 'AB')
const precondition = fc.array(
  fc
    .oneof(
      fc.record({ path, op: fc.constantFrom('eq', 'neq'), value }),
      fc.record({
        path,
        op: fc.constant('in'),
        value: fc.array(value, { minLength: 1, maxLength: 3 }),
      }),
      fc.record({ path, op: fc.constant('exists') }),
    )
    .map((state) => ({ state })),
  { maxLength: 2 },
)
