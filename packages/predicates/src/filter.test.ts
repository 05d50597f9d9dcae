import fc from 'fast-check'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { evaluatePrecondition, evaluatePredicate } from './evaluate.ts'
import { type Dropped, filterByState } from './filter.ts'
import { parsePrecondition } from './precondition.ts'

const skill = (label: string, source: unknown) => ({
  label,
  precondition: parsePrecondition(source),
})
type Skill = ReturnType<typeof skill>
const preconditionOf = (item: Skill) => item.precondition

const skills = [
  skill('slack', [{ state: { path: 'page.platform', op: 'eq', value: 'slack' } }]),
  skill('tool only', ['get_status']),
  skill('both', [
    { state: { path: 'page.platform', op: 'in', value: ['slack', 'web'] } },
    { state: { path: 'page.user', op: 'exists' } },
    { state: { path: 'page.mode', op: 'exists' } },
  ]),
  skill('none', null),
]

describe('filterByState', () => {
  it('keeps what holds on every predicate, in order, and leaves the items alone', () => {
    const state = { page: { platform: 'slack', user: 'ana', mode: null } }
    const kept = filterByState(skills, state, { preconditionOf })
    expect(kept).toEqual(skills)
    expect(kept).not.toBe(skills)
    expect(kept[0]).toBe(skills[0])
  })

  it('drops on one failing predicate, and never for a required tool', () => {
    const kept = filterByState(skills, { page: { platform: 'web' } }, { preconditionOf })
    expect(kept.map(({ label }) => label)).toEqual(['tool only', 'none'])
  })

  it('reports each drop once, with the first predicate that failed', () => {
    const dropped: Dropped<Skill>[] = []
    filterByState(
      skills,
      { page: { platform: 'web' } },
      { preconditionOf, onDrop: (drop) => dropped.push(drop) },
    )
    expect(dropped.map(({ item, explanation }) => [item.label, explanation.path])).toEqual([
      ['slack', 'page.platform'],
      ['both', 'page.user'],
    ])
    expect(dropped[0]?.explanation).toEqual({
      path: 'page.platform',
      op: 'eq',
      expected: 'slack',
      seen: 'web',
      found: true,
      holds: false,
    })
  })

  it('does not report when nothing is dropped', () => {
    const onDrop = vi.fn()
    filterByState([skill('none', [])], undefined, { preconditionOf, onDrop })
    expect(onDrop).not.toHaveBeenCalled()
  })

  it('passes on what a listener throws', () => {
    const onDrop = () => {
      throw new Error('listener')
    }
    expect(() => filterByState(skills, {}, { preconditionOf, onDrop })).toThrow('listener')
  })

  it('drops every item with a predicate when there is no state', () => {
    expect(filterByState(skills, undefined, { preconditionOf }).map(({ label }) => label)).toEqual([
      'tool only',
      'none',
    ])
  })

  it('keeps exactly the items whose predicates each hold', () => {
    const value = fc.constantFrom(0, 1, null, 'x')
    const entry = fc.record({
      state: fc.record({
        path: fc.constantFrom('a', 'b', 'c.d'),
        op: fc.constantFrom('eq', 'neq', 'exists'),
        value,
      }),
    })
    const item = fc.array(entry, { maxLength: 3 }).map(parsePrecondition)
    const state = fc.record(
      { a: value, b: value, c: fc.record({ d: value }) },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.array(item, { maxLength: 8 }), state, (items, anyState) => {
        const dropped: unknown[] = []
        const kept = filterByState(items, anyState, {
          preconditionOf: (precondition) => precondition,
          onDrop: ({ item: gone }) => dropped.push(gone),
        })
        expect(kept).toEqual(
          items.filter(({ predicates }) => predicates.every((p) => evaluatePredicate(p, anyState))),
        )
        expect(kept).toEqual(items.filter((one) => evaluatePrecondition(one, anyState)))
        expect(kept.length + dropped.length).toBe(items.length)
      }),
    )
  })

  it('types what it keeps and what it drops as the items given', () => {
    expectTypeOf(filterByState(skills, {}, { preconditionOf })).toEqualTypeOf<Skill[]>()
    filterByState(
      skills,
      {},
      {
        preconditionOf,
        onDrop: ({ item }) => expectTypeOf(item).toEqualTypeOf<Skill>(),
      },
    )
  })
})
