import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluatePredicate } from './evaluate.ts'
import { explainPrecondition, explainPredicate } from './explain.ts'
import { parsePrecondition } from './precondition.ts'

const parse = (state: unknown) => {
  const [predicate] = parsePrecondition([{ state }]).predicates
  if (predicate === undefined) throw new Error('a state entry parses to one predicate')
  return predicate
}

describe('explainPredicate', () => {
  const slack = parse({ path: 'page.platform', op: 'eq', value: 'slack' })

  it.each([
    ['holds', { page: { PLATFORM: 'slack' } }, 'slack', true, true],
    ['fails on another value', { page: { platform: 'web' } }, 'web', true, false],
    ['fails on null', { page: { platform: null } }, null, true, false],
    ['fails on a missing path', { page: {} }, undefined, false, false],
  ])(
    'shows path, operator, expected, seen and verdict when it %s',
    (_, state, seen, found, holds) => {
      expect(explainPredicate(slack, state)).toEqual({
        path: 'page.platform',
        op: 'eq',
        expected: 'slack',
        seen,
        found,
        holds,
      })
    },
  )

  it('shows the live value rather than a copy', () => {
    const platform = { id: 1 }
    const explanation = explainPredicate(slack, { page: { platform } })
    expect(explanation.seen).toBe(platform)
  })

  it('tells a value that could not be read from one that could not be compared', () => {
    const bad = {
      get inner(): unknown {
        throw new Error('no')
      },
    }
    const deep = parse({ path: 'bad', op: 'neq', value: { inner: 1 } })
    const shallow = parse({ path: 'bad.inner', op: 'neq', value: 1 })
    expect(explainPredicate(deep, { bad })).toMatchObject({ found: true, holds: false })
    expect(explainPredicate(shallow, { bad })).toMatchObject({ found: false, holds: false })
  })

  it('answers as evaluatePredicate does, for any predicate and state', () => {
    const key = fc.constantFrom('a', 'A', 'aB', 'a_b')
    const json = fc.jsonValue({ maxDepth: 2 })
    const op = fc.constantFrom('eq', 'neq', 'in', 'exists')
    const state = fc.dictionary(key, fc.oneof(json, fc.dictionary(key, json)))
    fc.assert(
      fc.property(
        fc.array(key, { minLength: 1, maxLength: 2 }),
        op,
        json,
        state,
        (path, o, v, s) => {
          const predicate = parse({ path: path.join('.'), op: o, value: o === 'in' ? [v] : v })
          const { holds, found } = explainPredicate(predicate, s)
          expect(holds).toBe(evaluatePredicate(predicate, s))
          if (!found) expect(holds).toBe(false)
        },
      ),
    )
  })

  it('refuses a predicate that was not parsed', () => {
    expect(() =>
      Reflect.apply(explainPredicate, undefined, [{ path: 'a', op: 'exists' }, {}]),
    ).toThrow(expect.objectContaining({ code: 'PREDICATE_NOT_PARSED' }))
  })
})

describe('explainPrecondition', () => {
  it('explains every predicate in order, also after one that fails', () => {
    const explanations = explainPrecondition(
      parsePrecondition([
        { state: { path: 'a', op: 'exists' } },
        'a_tool',
        { state: { path: 'b', op: 'eq', value: 1 } },
        { state: { path: 'c', op: 'exists' } },
      ]),
      { a: 0, c: null },
    )
    expect(explanations.map(({ path, holds }) => [path, holds])).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
    ])
  })
})
