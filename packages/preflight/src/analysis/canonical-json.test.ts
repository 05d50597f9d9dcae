import { evaluatePredicate, parsePrecondition } from '@symfonic/predicates'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

describe('canonicalJson', () => {
  it.each<[unknown, string]>([
    [{ b: 1, a: [2, { d: null, c: 'x' }] }, '{"a":[2,{"c":"x","d":null}],"b":1}'],
    [-0, '0'],
    ['\ud800"', '"\\ud800\\""'],
    [JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
  ])('of %j is %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  it('is the same for two values exactly when a predicate takes one for the other', () => {
    const scalar = fc.constantFrom(0, -0, 1, '1', '', true, null)
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 2 },
        scalar,
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), tie('value'), {
          maxKeys: 2,
          noNullPrototype: true,
        }),
      ),
    })).value
    fc.assert(
      fc.property(value, value, (one, other) => {
        const source = [{ state: { path: 'p', op: 'eq', value: one } }]
        const [predicate] = parsePrecondition(source).predicates
        expect(predicate && evaluatePredicate(predicate, { p: other })).toBe(
          canonicalJson(one) === canonicalJson(other),
        )
      }),
      { numRuns: 2_000 },
    )
  })
})
