import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluatePrecondition, evaluatePredicate } from './evaluate.ts'
import { resolvePath } from './path.ts'
import { parsePrecondition, type StatePredicate } from './precondition.ts'

const predicate = (path: string, op: string, value?: unknown): StatePredicate => {
  const [parsed] = parsePrecondition([{ state: { path, op, value } }]).predicates
  if (parsed === undefined) throw new Error('a state entry parses to one predicate')
  return parsed
}

describe('evaluatePredicate', () => {
  // Columns: what the state holds under "key"; then eq 'x', neq 'x', in ['x', null], exists.
  it.each<[string, unknown, boolean, boolean, boolean, boolean]>([
    ['the value', { key: 'x' }, true, false, true, true],
    ['another value', { key: 'y' }, false, true, false, true],
    ['null', { key: null }, false, true, true, true],
    ['false', { key: false }, false, true, false, true],
    ['zero', { key: 0 }, false, true, false, true],
    ['empty text', { key: '' }, false, true, false, true],
    ['an empty list', { key: [] }, false, true, false, true],
    ['an empty record', { key: {} }, false, true, false, true],
    ['NaN', { key: Number.NaN }, false, true, false, true],
    ['a list with the value', { key: ['x'] }, false, true, false, true],
    ['a Date', { key: new Date() }, false, true, false, true],
    ['a function', { key: () => 1 }, false, true, false, true],
    ['undefined', { key: undefined }, false, false, false, false],
    ['nothing', {}, false, false, false, false],
    ['no record', 'x', false, false, false, false],
    ['null as the whole state', null, false, false, false, false],
    ['undefined as the whole state', undefined, false, false, false, false],
  ])('answers each operator for %s', (_, state, eq, neq, isIn, exists) => {
    expect({
      eq: evaluatePredicate(predicate('key', 'eq', 'x'), state),
      neq: evaluatePredicate(predicate('key', 'neq', 'x'), state),
      in: evaluatePredicate(predicate('key', 'in', ['x', null]), state),
      exists: evaluatePredicate(predicate('key', 'exists'), state),
    }).toEqual({ eq, neq, in: isIn, exists })
  })

  it('fails every operator on a missing path, neq included', () => {
    for (const op of ['eq', 'neq', 'in', 'exists']) {
      expect(evaluatePredicate(predicate('a.b', op, [1]), { a: {} })).toBe(false)
      expect(evaluatePredicate(predicate('a.b', op, [1]), { a: [1] })).toBe(false)
      expect(evaluatePredicate(predicate('a.b', op, [1]), {})).toBe(false)
    }
  })

  it('never holds for an empty list of members', () => {
    expect(evaluatePredicate(predicate('a', 'in', []), { a: [] })).toBe(false)
  })

  it('lets UPPER_SNAKE win over snake_case, and both over the segment as written', () => {
    const state = { TENANT_ID: 'upper', tenant_id: 'snake', tenantId: 'written' }
    expect(evaluatePredicate(predicate('tenantId', 'eq', 'upper'), state)).toBe(true)
    expect(evaluatePredicate(predicate('tenantId', 'eq', 'snake'), state)).toBe(false)
  })

  it('fails to its safe side when the state throws: no operator holds', () => {
    const thrower = {
      get key(): unknown {
        throw new Error('no')
      },
    }
    const deepThrower = { key: { inner: 1, bad: new Proxy({}, { ownKeys: refuse, get: refuse }) } }
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    for (const [op, value] of [
      ['eq', 1],
      ['neq', 1],
      ['in', [1]],
      ['exists', undefined],
    ] as const) {
      expect(evaluatePredicate(predicate('key', op, value), thrower)).toBe(false)
      expect(evaluatePredicate(predicate('key', op, value), revoked.proxy)).toBe(false)
      expect(evaluatePredicate(predicate('key.x', op, value), { key: revoked.proxy })).toBe(false)
    }
    const expected = { inner: 1, bad: { a: 1 } }
    expect(evaluatePredicate(predicate('key', 'eq', expected), deepThrower)).toBe(false)
    expect(evaluatePredicate(predicate('key', 'neq', expected), deepThrower)).toBe(false)
  })

  it('answers about cyclic and very deep states', () => {
    const cyclic: Record<string, unknown> = { name: 'x' }
    cyclic['self'] = cyclic
    expect(evaluatePredicate(predicate('self.self.self.self.name', 'eq', 'x'), cyclic)).toBe(true)
    expect(evaluatePredicate(predicate('self', 'eq', { self: { self: 1 } }), cyclic)).toBe(false)
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level += 1) deep = { a: deep }
    expect(evaluatePredicate(predicate('a.a', 'neq', { a: { a: 1 } }), deep)).toBe(true)
  })

  it('sees the state as it is now, not as it was', () => {
    const state = { page: { platform: 'web' } }
    const slack = predicate('page.platform', 'eq', 'slack')
    expect(evaluatePredicate(slack, state)).toBe(false)
    state.page.platform = 'slack'
    expect(evaluatePredicate(slack, state)).toBe(true)
  })

  it('does not change a state, and works on a frozen one', () => {
    const state = Object.freeze({ a: Object.freeze({ b: Object.freeze(['x']) }) })
    expect(evaluatePredicate(predicate('a.b', 'eq', ['x']), state)).toBe(true)
  })

  it.each([
    ['a source', { path: 'a', op: 'exists' }],
    ['a copy through JSON', JSON.parse(JSON.stringify(predicate('a', 'exists')))],
    ['nothing', undefined],
  ])('refuses %s instead of guessing', (_, forged) => {
    expect(() => Reflect.apply(evaluatePredicate, undefined, [forged, { a: 1 }])).toThrow(
      expect.objectContaining({ name: 'PredicateError', code: 'PREDICATE_NOT_PARSED' }),
    )
  })

  describe('obeys these laws', () => {
    const json = fc.jsonValue({ maxDepth: 3 })

    it('eq is reflexive on JSON, and in finds a member', () => {
      fc.assert(
        fc.property(json, fc.array(json, { maxLength: 20 }), fc.nat(), (value, others, at) => {
          const state = { key: JSON.parse(JSON.stringify(value)) }
          const list = others.toSpliced(at % (others.length + 1), 0, value)
          expect(evaluatePredicate(predicate('key', 'eq', value), state)).toBe(true)
          expect(evaluatePredicate(predicate('key', 'in', list), state)).toBe(true)
        }),
      )
    })

    it('neq is the negation of eq exactly when the path is found', () => {
      const path = fc.constantFrom('key', 'key.inner', 'other', 'key.inner.most')
      const state = fc.record({ key: fc.oneof(json, fc.record({ inner: json })) })
      fc.assert(
        fc.property(path, json, state, (at, value, anyState) => {
          const eq = evaluatePredicate(predicate(at, 'eq', value), anyState)
          const neq = evaluatePredicate(predicate(at, 'neq', value), anyState)
          const { found } = resolvePath(at, anyState)
          expect(neq).toBe(found && !eq)
          expect(evaluatePredicate(predicate(at, 'exists'), anyState)).toBe(found)
        }),
      )
    })

    it('in is the disjunction of eq over its members', () => {
      fc.assert(
        fc.property(json, fc.array(json, { maxLength: 25 }), (key, list) => {
          const some = list.some((value) =>
            evaluatePredicate(predicate('key', 'eq', value), { key }),
          )
          expect(evaluatePredicate(predicate('key', 'in', list), { key })).toBe(some)
        }),
      )
    })
  })

  // In a process of its own: elsewhere the states of other tests decide what the engine makes of
  // these functions, and what it compiles meanwhile is counted, too. In a single thread, since what
  // other threads of the engine need comes and goes with the load of the machine.
  it('allocates nothing', () => {
    const rounds = 50_000
    const measure = `
      import { evaluatePrecondition } from '${new URL('evaluate.ts', import.meta.url).href}'
      import { parsePrecondition } from '${new URL('precondition.ts', import.meta.url).href}'
      const state = { page: { platform: 'web', user: { plan: 'pro', tags: ['a', 'b'] } } }
      const precondition = parsePrecondition([
        { state: { path: 'page.user.plan', op: 'eq', value: 'pro' } },
        { state: { path: 'page.platform', op: 'neq', value: 'slack' } },
        { state: { path: 'page.user.tags', op: 'eq', value: ['a', 'b'] } },
        { state: { path: 'page.platform', op: 'in', value: ['slack', 'web'] } },
        { state: { path: 'page.user', op: 'eq', value: state.page.user } },
        { state: { path: 'page.user.plan', op: 'exists' } },
      ])
      const absent = parsePrecondition([{ state: { path: 'page.absent.key', op: 'exists' } }])
      const growth = () => {
        globalThis.gc()
        const before = process.memoryUsage().heapUsed
        let held = 0
        for (let round = 0; round < ${rounds}; round += 1) {
          if (evaluatePrecondition(precondition, state)) held += 1
          if (evaluatePrecondition(absent, state)) held += 1
        }
        const bytes = process.memoryUsage().heapUsed - before
        if (held !== ${rounds}) throw new Error('every predicate is asked in each round')
        return bytes
      }
      console.log(Math.min(...Array.from({ length: 12 }, growth)))`
    const printed = execFileSync(
      process.execPath,
      ['--expose-gc', '--single-threaded', '--input-type=module', '--eval', measure],
      { encoding: 'utf8', stdio: 'pipe' },
    )
    // The smallest of several runs: the first ones also hold what the engine compiles. Later ones
    // need nothing. One object of two words for each round alone would come to 800,000 bytes.
    expect(printed).toMatch(/^-?\d+\n$/)
    expect(Number(printed)).toBeLessThan(rounds)
  })
})

describe('evaluatePrecondition', () => {
  const both = parsePrecondition([
    'a_tool',
    { state: { path: 'a', op: 'eq', value: 1 } },
    { state: { path: 'b', op: 'exists' } },
  ])

  it.each([
    [{ a: 1, b: 2 }, true],
    [{ a: 1 }, false],
    [{ b: 2 }, false],
    [{}, false],
  ])('is the conjunction of its predicates: %j gives %j', (state, holds) => {
    expect(evaluatePrecondition(both, state)).toBe(holds)
  })

  it('holds when there is no state predicate, whatever tools are required', () => {
    expect(evaluatePrecondition(parsePrecondition(null), undefined)).toBe(true)
    expect(evaluatePrecondition(parsePrecondition([]), {})).toBe(true)
    expect(evaluatePrecondition(parsePrecondition(['a_tool']), {})).toBe(true)
  })
})

function refuse(): never {
  throw new Error('no')
}
