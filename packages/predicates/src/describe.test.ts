import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeDrop } from './describe.ts'
import { explainPredicate } from './explain.ts'
import { parsePrecondition } from './precondition.ts'

const drop = (name: string, state: unknown, seenIn: unknown) => {
  const [predicate] = parsePrecondition([{ state }]).predicates
  if (predicate === undefined) throw new Error('a state entry parses to one predicate')
  return describeDrop(name, explainPredicate(predicate, seenIn))
}

const cyclic: Record<string, unknown> = {}
cyclic['self'] = cyclic

describe('describeDrop', () => {
  it.each<[string, unknown, unknown, string]>([
    [
      'text',
      { path: 'a.b', op: 'eq', value: 'slack' },
      { a: { b: 'web' } },
      "`a.b` eq `'slack'` -> False (state value: 'web')",
    ],
    [
      'a missing path',
      { path: 'a', op: 'eq', value: 'x' },
      {},
      "`a` eq `'x'` -> False (state value: <missing>)",
    ],
    [
      'null',
      { path: 'a', op: 'eq', value: 'x' },
      { a: null },
      "`a` eq `'x'` -> False (state value: null)",
    ],
    [
      'neq',
      { path: 'a', op: 'neq', value: true },
      { a: true },
      '`a` neq `true` -> False (state value: true)',
    ],
    [
      'a list',
      { path: 'a', op: 'in', value: ['x', 1] },
      { a: 2 },
      '`a` in `["x",1]` -> False (state value: 2)',
    ],
    [
      'exists, which expects no value',
      { path: 'a', op: 'exists' },
      {},
      '`a` exists -> False (state value: <missing>)',
    ],
    [
      'a record',
      { path: 'a', op: 'eq', value: { b: null } },
      { a: [] },
      '`a` eq `{"b":null}` -> False (state value: [])',
    ],
    [
      'a cycle',
      { path: 'a', op: 'eq', value: 1 },
      { a: cyclic },
      '`a` eq `1` -> False (state value: {"self":<cycle>})',
    ],
    [
      'a BigInt',
      { path: 'a', op: 'eq', value: 1 },
      { a: 1n },
      '`a` eq `1` -> False (state value: 1n)',
    ],
    [
      'NaN',
      { path: 'a', op: 'eq', value: 1 },
      { a: Number.NaN },
      '`a` eq `1` -> False (state value: NaN)',
    ],
  ])('shows %s', (_, predicate, state, line) => {
    expect(drop('one', predicate, state)).toBe(
      `skill \`one\` dropped this turn: state predicate ${line}`,
    )
  })

  it('cannot be made to forge a second line or to close a code span', () => {
    const line = drop(
      'x`\nskill `y',
      { path: 'a`b\u2028c', op: 'eq', value: "v'`\r" },
      { 'a`b\u2028c': "w'\u001b[0m\u202e" },
    )
    expect(line).toBe(
      'skill `x\\u0060\\nskill \\u0060y` dropped this turn: state predicate `a\\u0060b\\u2028c` eq ' +
        "`'v\\'\\u0060\\r'` -> False (state value: 'w\\'\\u001b[0m\\u202e')",
    )
  })

  it('is one bounded line for any name, path, value and state', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constant('x'.repeat(2_000)),
    )
    fc.assert(
      fc.property(text, text, fc.anything(), fc.anything(), (name, path, expected, seen) => {
        const line = describeDrop(name, {
          path,
          op: 'eq',
          expected,
          seen,
          found: true,
          holds: false,
        })
        expect(line.length).toBeLessThanOrEqual(1_100)
        expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
        expect(line.split('`')).toHaveLength(7)
      }),
    )
  })
})
