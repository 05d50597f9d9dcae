import { parsePrecondition } from '@symfonic/predicates'
import { describe, expect, it } from 'vitest'
import { exampleState } from './example-state.ts'
import { createPathKeys } from './path-keys.ts'
import { placesOf } from './places.ts'

const eq = (path: string, value: unknown) => ({ path, op: 'eq', value })
const neq = (path: string, value: unknown) => ({ path, op: 'neq', value })
const exists = (path: string) => ({ path, op: 'exists' })

describe('an example of a state', () => {
  it.each<[string, object[], unknown]>([
    ['nothing for no predicates', [], {}],
    [
      'the value that is asked for',
      [eq('page.platform', 'slack')],
      { page: { platform: 'slack' } },
    ],
    [
      'the first value of a list that nothing rules out',
      [{ path: 'a', op: 'in', value: [1, 2, 3] }, neq('a', 1)],
      { a: 2 },
    ],
    ['something where something must be', [exists('a')], { a: true }],
    ['something else', [neq('a', 'slack')], { a: 'other' }],
    ['the other of two', [neq('a', true)], { a: false }],
    ['a third for both of two', [neq('a', true), neq('a', false)], { a: 'other' }],
    ['something else still', [neq('a', 'other'), neq('a', 'other 2')], { a: 'other 3' }],
    [
      'a record that differs from one with the same values asked for',
      [neq('a', { b: 1 }), eq('a.b', 1)],
      { a: { b: 1, 'other 2 ': true } },
    ],
    ['a known record as it is', [eq('a', { b: 1 }), exists('a.b')], { a: { b: 1 } }],
    ['one key for two spellings', [exists('aB'), neq('A_B', 1)], { a_b: 'other' }],
    ['a key for each spelling that has one', [eq('aB', 1), eq('AB', 2)], { aB: 1, ab: 2 }],
    [
      'an own key of a name that objects have',
      [eq('__proto__.x', 1)],
      JSON.parse('{"__proto__":{"x":1}}'),
    ],
  ])('has %s', (_, states, expected) => {
    const { predicates } = parsePrecondition(states.map((state) => ({ state })))
    const state = exampleState(placesOf(predicates, createPathKeys()))
    expect(JSON.stringify(state)).toBe(JSON.stringify(expected))
    expect(Object.isFrozen(state)).toBe(true)
  })
})
