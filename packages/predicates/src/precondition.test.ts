import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { PredicateError } from './errors.ts'
import { predicateLimits } from './limits.ts'
import type { PredicateOperator } from './operators.ts'
import {
  type Precondition,
  type PreconditionEntry,
  type PreconditionSource,
  parsePrecondition,
} from './precondition.ts'

const state = (more: Record<string, unknown>) => [{ state: { path: 'a', ...more } }]

describe('parsePrecondition', () => {
  it.each<[string, unknown, string[], { path: string; op: string; value: unknown }[]]>([
    ['undefined', undefined, [], []],
    ['null', null, [], []],
    ['an empty list', [], [], []],
    ['a bare string', 'get_status', ['get_status'], []],
    ['a list of strings', ['b', 'a'], ['b', 'a'], []],
    ['the object spelling of a tool', [{ tool: 'a' }], ['a'], []],
    ['the same tool twice, in both spellings', ['b', { tool: 'a' }, 'a', 'b'], ['b', 'a'], []],
    ['a name kept byte for byte', ['Mcp/Tool.v2 – é'], ['Mcp/Tool.v2 – é'], []],
    ['the name __proto__', ['__proto__'], ['__proto__'], []],
    ['eq with null', state({ op: 'eq', value: null }), [], [{ path: 'a', op: 'eq', value: null }]],
    ['neq', state({ op: 'neq', value: 0 }), [], [{ path: 'a', op: 'neq', value: 0 }]],
    ['in with a list', state({ op: 'in', value: [1] }), [], [{ path: 'a', op: 'in', value: [1] }]],
    [
      'in with a Set',
      state({ op: 'in', value: new Set([1]) }),
      [],
      [{ path: 'a', op: 'in', value: [1] }],
    ],
    [
      'in with an empty list',
      state({ op: 'in', value: [] }),
      [],
      [{ path: 'a', op: 'in', value: [] }],
    ],
    ['exists', state({ op: 'exists' }), [], [{ path: 'a', op: 'exists', value: undefined }]],
    [
      'exists, ignoring its value',
      state({ op: 'exists', value: () => 1 }),
      [],
      [{ path: 'a', op: 'exists', value: undefined }],
    ],
    [
      'a mixed list, in the order of the author',
      [
        { state: { path: 'x.y', op: 'exists' } },
        't1',
        ...state({ op: 'eq', value: [{}] }),
        { tool: 't2' },
      ],
      ['t1', 't2'],
      [
        { path: 'x.y', op: 'exists', value: undefined },
        { path: 'a', op: 'eq', value: [{}] },
      ],
    ],
    [
      'data of another realm',
      runInNewContext('[{ state: { path: "a", op: "in", value: ["x"] } }]'),
      [],
      [{ path: 'a', op: 'in', value: ['x'] }],
    ],
  ])('accepts %s', (_, source, tools, predicates) => {
    expect(parsePrecondition(source)).toEqual({ tools, predicates })
  })

  it('freezes all it makes and shares nothing with the source', () => {
    const value = { tags: ['a'] }
    const source = ['tool', ...state({ op: 'eq', value })]
    const parsed = parsePrecondition(source)
    value.tags.push('b')
    source.length = 0
    expect(parsed.predicates[0]?.value).toEqual({ tags: ['a'] })
    expect(parsed.tools).toEqual(['tool'])
    for (const part of [parsed, parsed.tools, parsed.predicates, parsed.predicates[0]]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
    expect(Object.isFrozen(Reflect.get(Object(parsed.predicates[0]?.value), 'tags'))).toBe(true)
  })

  it('shows only plain data: the compiled form does not print, compare or serialise', () => {
    const [predicate] = parsePrecondition(state({ op: 'eq', value: 1 })).predicates
    expect(Reflect.ownKeys(predicate ?? {}).filter((key) => typeof key === 'string')).toEqual([
      'path',
      'op',
      'value',
    ])
    expect(JSON.stringify(predicate)).toBe('{"path":"a","op":"eq","value":1}')
  })

  it('bounds the number of entries', () => {
    const entries = (length: number) => Array.from({ length }, (_, index) => `tool_${index}`)
    expect(parsePrecondition(entries(predicateLimits.entries)).tools).toHaveLength(1_000)
    expect(refusalOf(entries(predicateLimits.entries + 1)).code).toBe('PREDICATE_TOO_LARGE')
    expect(refusalOf(Object.assign([], { length: 2 ** 32 - 1 })).code).toBe('PREDICATE_TOO_LARGE')
  })

  it('bounds all the values of one precondition together', () => {
    const entry = { state: { path: 'a', op: 'in', value: new Array(600).fill(1) } }
    const error = refusalOf(new Array(20).fill(entry))
    expect(error.code).toBe('PREDICATE_TOO_LARGE')
    expect(error.details).toMatchObject({ index: 16, limit: predicateLimits.valueNodes })
  })

  it('is idempotent on what it made, written out again', () => {
    fc.assert(
      fc.property(sources(), (source) => {
        const parsed = parsePrecondition(source)
        expect(parsePrecondition(writtenOut(parsed))).toEqual(parsed)
        expect(parsePrecondition(JSON.parse(JSON.stringify(writtenOut(parsed))))).toEqual(parsed)
      }),
    )
  })

  it('either parses or throws a PredicateError, for any value at all', () => {
    const entry = fc.oneof(
      fc.anything(),
      fc.record({ tool: fc.anything() }),
      fc.record({ state: fc.anything() }),
      fc.record({
        state: fc.record(
          {
            path: fc.oneof(fc.string(), fc.anything()),
            op: fc.oneof(fc.constantFrom('eq', 'neq', 'in', 'exists'), fc.anything()),
            value: fc.anything({ withBigInt: true, withSet: true, withSparseArray: true }),
          },
          { requiredKeys: [] },
        ),
      }),
    )
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.array(entry)), (source) => {
        try {
          parsePrecondition(source)
        } catch (error) {
          expect(error).toBeInstanceOf(PredicateError)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('types its source and its result', () => {
    expectTypeOf(parsePrecondition).returns.toEqualTypeOf<Precondition>()
    expectTypeOf<{ tool: string }>().not.toExtend<PreconditionSource>()
    expectTypeOf<{ tool: string }[]>().toExtend<PreconditionSource>()
    expectTypeOf<PredicateOperator>().toEqualTypeOf<'eq' | 'neq' | 'in' | 'exists'>()
    // @ts-expect-error a deferred operator does not compile either
    const deferred: PreconditionEntry = { state: { path: 'a', op: 'regex', value: 'x' } }
    expect(() => parsePrecondition([deferred])).toThrow(PredicateError)
    // @ts-expect-error a predicate comes from parsePrecondition only
    const forged: Precondition = { tools: [], predicates: [{ path: 'a', op: 'exists', value: 1 }] }
    expect(forged.tools).toEqual([])
  })
})

function refusalOf(source: unknown): PredicateError {
  try {
    parsePrecondition(source)
  } catch (error) {
    if (error instanceof PredicateError) return error
    throw error
  }
  throw new Error('expected a refusal')
}

function writtenOut({ tools, predicates }: Precondition): PreconditionEntry[] {
  return [...tools, ...predicates.map(({ path, op, value }) => ({ state: { path, op, value } }))]
}

function sources(): fc.Arbitrary<PreconditionSource> {
  const name = fc.stringMatching(/^[A-Za-z][\w/.-]{0,20}$/)
  const path = fc.array(fc.stringMatching(/^[A-Za-z]\w{0,8}$/), { minLength: 1, maxLength: 5 })
  const value = fc.jsonValue({ maxDepth: 3 }).map((json) => JSON.parse(JSON.stringify(json)))
  const predicate = fc.tuple(
    path,
    value,
    fc.constantFrom<PredicateOperator>('eq', 'neq', 'in', 'exists'),
  )
  const entry = fc.oneof(
    name,
    name.map((tool) => ({ tool })),
    predicate.map(([segments, json, op]) => ({
      state: { path: segments.join('.'), op, value: op === 'in' ? [json, json] : json },
    })),
  )
  return fc.oneof(fc.constantFrom(null, undefined), name, fc.array(entry))
}
