import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { describeDrop } from './describe.ts'
import { PredicateError } from './errors.ts'
import { evaluatePredicate } from './evaluate.ts'
import { explainPredicate } from './explain.ts'
import { resolvePath } from './path.ts'
import { parsePrecondition, type StatePredicate } from './precondition.ts'

const data = new URL('../../../../shared/data/', import.meta.url)
const present = existsSync(data)

interface Payload {
  id: string
  kind?: string
  text: string
  attack?: string
}

const read = (name: string): Payload[] =>
  present
    ? readFileSync(new URL(name, data), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : []

const payloads = read('hostile-objects/payloads.jsonl')
const texts = [...payloads, ...read('naughty-strings/strings.jsonl')]

describe.skipIf(!present)('hostile texts of public collections', () => {
  it('are there', () => {
    expect(payloads.length).toBeGreaterThan(0)
    expect(texts.length).toBeGreaterThan(payloads.length)
  })

  it.each(texts)('$id is harmless as a path', ({ text }) => {
    const parsed = attempt([{ state: { path: text, op: 'exists' } }])
    const segments = text.split('.')
    const isWellFormed = segments.every((segment) => segment !== '' && segment === segment.trim())
    if (!isWellFormed || segments.length > 32 || text.length > 1_024) {
      expect(parsed).toBeInstanceOf(PredicateError)
      return
    }
    const predicate = predicateOf(parsed)
    expect(evaluatePredicate(predicate, {})).toBe(false)
    const state = segments.reduceRight<unknown>(
      (inner, key) => Object.fromEntries([[key, inner]]),
      1,
    )
    expect(evaluatePredicate(predicate, state)).toBe(true)
    expect(resolvePath(text, state).keys).toEqual(segments)
    expectUnpolluted()
  })

  it.each(texts)('$id is kept byte for byte as a value and a key of a value', ({ text }) => {
    const value = Object.fromEntries([[text, [text]]])
    const parsed = attempt([
      { state: { path: 'a', op: 'eq', value } },
      { state: { path: 'b', op: 'in', value: [text] } },
    ])
    const whole = predicateOf(parsed)
    const member = predicateOf(parsed, 1)
    const state = JSON.parse(JSON.stringify({ a: value, b: text }))
    expect(evaluatePredicate(whole, state)).toBe(true)
    expect(evaluatePredicate(member, state)).toBe(true)
    expect(evaluatePredicate(member, { b: `${text}x` })).toBe(false)
    expect(evaluatePredicate(member, { b: [text] })).toBe(false)
    expect(describeDrop(text, explainPredicate(member, { b: { [`${text}x`]: text } }))).not.toMatch(
      /[\p{Cc}\p{Zl}\p{Zp}]/u,
    )
    expectUnpolluted()
  })

  it.each(texts)('$id as a tool name is kept as it is or refused by its own code', ({ text }) => {
    const parsed = attempt(text)
    if (parsed instanceof PredicateError) {
      expect(['PREDICATE_TOOL_NAME', 'PREDICATE_TOO_LARGE']).toContain(parsed.code)
      expect(
        text === text.trim() &&
          text !== '' &&
          !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text) &&
          text.length <= 256,
      ).toBe(false)
    } else {
      expect(parsed.tools).toEqual([text])
    }
  })

  it.each(texts)('$id is never an operator', ({ text }) => {
    const parsed = attempt([{ state: { path: 'a', op: text, value: 1 } }])
    expect(parsed).toMatchObject({ code: 'PREDICATE_UNKNOWN_OPERATOR' })
  })

  it.each(payloads.filter(({ kind }) => kind === 'json'))(
    '$id pollutes nothing as a source, an entry, a state predicate, a value or a state',
    ({ text }) => {
      const payload = JSON.parse(text)
      expect(attempt(payload)).toBeInstanceOf(PredicateError)
      expect(attempt([payload])).toBeInstanceOf(PredicateError)
      expect(attempt([{ state: payload }])).toBeInstanceOf(PredicateError)
      const predicate = predicateOf(attempt([{ state: { path: 'a', op: 'eq', value: payload } }]))
      expect(evaluatePredicate(predicate, { a: JSON.parse(text) })).toBe(true)
      expect(evaluatePredicate(predicate, { a: {} })).toBe(false)
      expect(evaluatePredicate(predicate, payload)).toBe(false)
      expectUnpolluted()
    },
  )

  it.each(payloads.filter(({ attack }) => attack !== undefined))(
    '$id is compared as text, never run as a pattern',
    ({ text, attack }) => {
      const predicate = predicateOf(attempt([{ state: { path: 'a', op: 'eq', value: text } }]))
      expect(evaluatePredicate(predicate, { a: attack })).toBe(false)
      expect(evaluatePredicate(predicate, { a: text })).toBe(true)
    },
  )
})

describe('a source that fights back', () => {
  const thrower = (cause: unknown) => () => {
    throw cause
  }
  const trap = new Error('trap')

  it.each<[string, () => unknown]>([
    ['a getter for tool', () => [Object.defineProperty({}, 'tool', getter())]],
    ['a getter for state', () => [Object.defineProperty({}, 'state', getter())]],
    ['a getter for path', () => [{ state: Object.defineProperty({}, 'path', getter()) }]],
    ['a getter for op', () => [{ state: Object.defineProperty({ path: 'a' }, 'op', getter()) }]],
    [
      'a getter for value',
      () => [{ state: Object.defineProperty({ path: 'a', op: 'eq' }, 'value', getter()) }],
    ],
    [
      'a getter inside a value',
      () => [{ state: { path: 'a', op: 'eq', value: Object.defineProperty({}, 'x', getter()) } }],
    ],
    ['a getter in a list', () => Object.defineProperty(['a'], 0, getter())],
    ['a proxy that lists no keys', () => [new Proxy({}, { ownKeys: thrower(trap) })]],
    [
      'a proxy without a prototype to ask',
      () => [new Proxy({}, { getPrototypeOf: thrower(trap) })],
    ],
    ['a proxied list', () => new Proxy(['a'], { get: thrower(trap) })],
    [
      'a proxied value',
      () => [
        { state: { path: 'a', op: 'eq', value: new Proxy({}, { getPrototypeOf: thrower(trap) }) } },
      ],
    ],
    [
      'a proxied list for in',
      () => [{ state: { path: 'a', op: 'in', value: new Proxy([1], { get: thrower(trap) }) } }],
    ],
  ])('gives a typed error with the cause: %s', (_, make) => {
    const error = attempt(make())
    expect(error).toMatchObject({
      name: 'PredicateError',
      code: 'PREDICATE_UNREADABLE',
      cause: trap,
    })
  })

  it.each<[string, () => unknown]>([
    ['a revoked list', () => revoked([])],
    ['a revoked entry', () => [revoked({})]],
    ['a revoked value', () => [{ state: { path: 'a', op: 'eq', value: revoked({}) } }]],
    ['a revoked list for in', () => [{ state: { path: 'a', op: 'in', value: revoked([]) } }]],
    [
      'a proxied Set',
      () => [{ state: { path: 'a', op: 'in', value: new Proxy(new Set([1]), {}) } }],
    ],
    ['a list with no number for length', () => new Proxy([], { get: () => 'many' })],
    ['a list with half an entry', () => new Proxy([], { get: () => 0.5 })],
    ['a list with fewer than no entries', () => new Proxy([], { get: () => -1 })],
  ])('gives a typed error: %s', (_, make) => {
    expect(attempt(make())).toMatchObject({ name: 'PredicateError', code: 'PREDICATE_UNREADABLE' })
  })

  it('refuses a list that claims endless entries without reading them', () => {
    const endless = new Proxy([], { get: (_, key) => (key === 'length' ? 1e12 : 'tool') })
    expect(attempt(endless)).toMatchObject({ code: 'PREDICATE_TOO_LARGE' })
    const value = endless
    expect(attempt([{ state: { path: 'a', op: 'eq', value } }])).toMatchObject({
      code: 'PREDICATE_TOO_LARGE',
    })
  })

  it('does not see keys that are inherited, hidden or symbols', () => {
    const hidden = Object.defineProperty({ tool: 'a' }, 'secret', { value: 1 })
    expect(attempt([{ [Symbol('x')]: 1, tool: 'a' }])).toMatchObject({ tools: ['a'] })
    expect(attempt([hidden])).toMatchObject({ tools: ['a'] })
    Object.defineProperty(Object.prototype, 'value', { value: 'inherited', configurable: true })
    const parsed = attempt([{ state: { path: 'a', op: 'eq' } }])
    Reflect.deleteProperty(Object.prototype, 'value')
    expect(parsed).toMatchObject({ code: 'PREDICATE_VALUE_REQUIRED' })
  })

  function getter(): PropertyDescriptor {
    return { get: thrower(trap), enumerable: true, configurable: true }
  }

  function revoked<Target extends object>(target: Target): Target {
    const { proxy, revoke } = Proxy.revocable(target, {})
    revoke()
    return proxy
  }
})

function attempt(source: unknown) {
  try {
    return parsePrecondition(source)
  } catch (error) {
    if (error instanceof PredicateError) return error
    throw error
  }
}

function predicateOf(parsed: ReturnType<typeof attempt>, position = 0): StatePredicate {
  if (parsed instanceof PredicateError) throw parsed
  const predicate = parsed.predicates[position]
  if (predicate === undefined) throw new Error('a state entry parses to one predicate')
  return predicate
}

function expectUnpolluted(): void {
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(Reflect.get({}, 'evilProperty')).toBeUndefined()
  expect(Reflect.get({}, 'foo')).toBeUndefined()
  expect(Reflect.get({}, 'status')).toBeUndefined()
}
