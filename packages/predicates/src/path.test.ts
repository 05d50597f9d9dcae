import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { predicateLimits } from './limits.ts'
import { compilePath, pathKeys, resolvePath } from './path.ts'

const spellings = (path: string) =>
  compilePath(path, { keyPath: [] }).map(({ upper, snake, written }) => [upper, snake, written])

describe('pathKeys', () => {
  it('names the keys of each segment as plain data, the same for spellings of one path', () => {
    const keys = { upper: 'PAGE_CONTEXT', snake: 'page_context' }
    expect(pathKeys('page_context')).toEqual([{ ...keys, written: undefined }])
    expect(pathKeys('pageContext.a')).toEqual([
      { ...keys, written: 'pageContext' },
      { upper: 'A', snake: 'a', written: undefined },
    ])
  })

  it('refuses what is no path', () => {
    expect(() => pathKeys('a..b')).toThrow(
      expect.objectContaining({ code: 'PREDICATE_PATH_INVALID' }),
    )
  })
})

describe('compilePath', () => {
  it.each<[string, string, string, string | undefined]>([
    ['tenant_id', 'TENANT_ID', 'tenant_id', undefined],
    ['TENANT_ID', 'TENANT_ID', 'tenant_id', undefined],
    ['tenantId', 'TENANT_ID', 'tenant_id', 'tenantId'],
    ['TenantId', 'TENANT_ID', 'tenant_id', 'TenantId'],
    ['Tenant_Id', 'TENANT_ID', 'tenant_id', 'Tenant_Id'],
    ['tenant-id', 'TENANT_ID', 'tenant_id', 'tenant-id'],
    ['tenantID', 'TENANT_ID', 'tenant_id', 'tenantID'],
    ['HTTPServerURL', 'HTTP_SERVER_URL', 'http_server_url', 'HTTPServerURL'],
    ['oauth2Token', 'OAUTH2_TOKEN', 'oauth2_token', 'oauth2Token'],
    ['TENANT1A', 'TENANT1A', 'tenant1a', undefined],
    ['line1', 'LINE1', 'line1', undefined],
    ['größe', 'GRÖSSE', 'größe', undefined],
    ['0', '0', '0', undefined],
    ['$ref', '$REF', '$ref', undefined],
    ['-1', '-1', '-1', undefined],
    ['a b', 'A B', 'a b', undefined],
    ['__proto__', '__PROTO__', '__proto__', undefined],
  ])('derives the spellings of %s', (written, upper, snake, third) => {
    expect(spellings(written)).toEqual([[upper, snake, third]])
  })

  it('derives them segment by segment and freezes what it made', () => {
    const path = compilePath('pageContext.PLATFORM', { keyPath: [] })
    expect(path.map(({ snake }) => snake)).toEqual(['page_context', 'platform'])
    expect(Object.isFrozen(path)).toBe(true)
    expect(path.every(Object.isFrozen)).toBe(true)
  })

  it.each<[string, unknown, string]>([
    ['empty text', '', 'PREDICATE_PATH_INVALID'],
    ['a lone dot', '.', 'PREDICATE_PATH_INVALID'],
    ['a leading dot', '.a', 'PREDICATE_PATH_INVALID'],
    ['a trailing dot', 'a.', 'PREDICATE_PATH_INVALID'],
    ['two dots in a row', 'a..b', 'PREDICATE_PATH_INVALID'],
    ['white space', ' ', 'PREDICATE_PATH_INVALID'],
    ['white space around a segment', 'a. b', 'PREDICATE_PATH_INVALID'],
    ['a number', 5, 'PREDICATE_PATH_INVALID'],
    ['a list', ['a', 'b'], 'PREDICATE_PATH_INVALID'],
    ['null', null, 'PREDICATE_PATH_INVALID'],
    ['too many characters', 'a'.repeat(predicateLimits.pathChars + 1), 'PREDICATE_TOO_LARGE'],
    [
      'too many segments',
      'a.'.repeat(predicateLimits.pathSegments).concat('a'),
      'PREDICATE_TOO_DEEP',
    ],
    ['ten thousand segments', 'a.'.repeat(9_999).concat('a'), 'PREDICATE_TOO_LARGE'],
  ])('refuses %s', (_, path, code) => {
    const place = { index: 4, keyPath: ['state', 'path'] }
    expect(() => compilePath(path, place)).toThrow(
      expect.objectContaining({
        name: 'PredicateError',
        code,
        details: expect.objectContaining({ index: 4, keyPath: ['state', 'path'] }),
      }),
    )
  })

  it('takes a path at the limits', () => {
    const deepest = new Array(predicateLimits.pathSegments).fill('a').join('.')
    expect(spellings(deepest)).toHaveLength(predicateLimits.pathSegments)
    expect(spellings('a'.repeat(predicateLimits.pathChars))).toHaveLength(1)
  })

  it('names the segment at fault', () => {
    expect(() => compilePath('a.b..c', { keyPath: [] })).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ segment: 2 }) }),
    )
  })
})

describe('resolvePath', () => {
  it.each<[string, string, unknown, unknown, string[]]>([
    ['UPPER_SNAKE before snake_case', 'a_b', { a_b: 1, A_B: 2 }, 2, ['A_B']],
    ['snake_case before the segment as written', 'aB', { aB: 1, a_b: 2 }, 2, ['a_b']],
    ['the segment as written last', 'aB', { aB: 1 }, 1, ['aB']],
    ['a kebab key as written', 'a-b', { 'a-b': 1 }, 1, ['a-b']],
    ['another spelling at each level', 'a_b.c_d', { A_B: { c_d: 1 } }, 1, ['A_B', 'c_d']],
    ['null', 'a', { a: null }, null, ['a']],
    ['the next spelling when UPPER_SNAKE holds undefined', 'a', { A: undefined, a: 1 }, 1, ['a']],
    ['null under UPPER_SNAKE, and stops there', 'a', { A: null, a: 1 }, null, ['A']],
    [
      'an own __proto__ key',
      '__proto__.x',
      JSON.parse('{"__proto__":{"x":1}}'),
      1,
      ['__proto__', 'x'],
    ],
    ['an own constructor key', 'constructor', { constructor: 1 }, 1, ['constructor']],
    ['a number as a key of a record', 'a.0', { a: { 0: 'x' } }, 'x', ['a', '0']],
  ])('finds %s', (_, path, state, value, keys) => {
    expect(resolvePath(path, state)).toEqual({ found: true, value, keys })
  })

  it.each<[string, string, unknown, string[]]>([
    ['an absent key', 'a', {}, []],
    ['a key holding undefined', 'a', { a: undefined }, []],
    ['camelCase that the author did not write', 'page_context', { pageContext: 1 }, []],
    ['a child only the other spelling of the parent has', 'a.b', { A: {}, a: { b: 1 } }, ['A']],
    ['a child of null, with the other parent at hand', 'a.b', { A: null, a: { b: 1 } }, ['A']],
    ['a member of a list', 'a.0', { a: ['x'] }, ['a']],
    ['the length of a list', 'a.length', { a: ['x'] }, ['a']],
    ['a character of a string', 'a.0', { a: 'x' }, ['a']],
    ['the length of a string', 'a.length', { a: 'x' }, ['a']],
    ['a property of a function', 'a.name', { a: () => 1 }, ['a']],
    ['an entry of a Map', 'a.b', { a: new Map([['b', 1]]) }, ['a']],
    ['the size of a Map', 'a.size', { a: new Map() }, ['a']],
    ['an element of a typed array', 'a.0', { a: new Uint8Array(1) }, ['a']],
    ['a field of a class instance', 'a.message', { a: new Error('x') }, ['a']],
    ['an inherited key', 'a', Object.create({ a: 1 }), []],
    ['__proto__', '__proto__', {}, []],
    ['constructor', 'constructor', {}, []],
    ['constructor.prototype', 'constructor.prototype', {}, []],
    ['toString', 'toString', {}, []],
    ['a list as the state', '0', ['x'], []],
    ['no state', 'a', undefined, []],
    ['null as the state', 'a', null, []],
    ['text as the state', 'length', 'text', []],
  ])('misses %s', (_, path, state, keys) => {
    expect(resolvePath(path, state)).toEqual({ found: false, value: undefined, keys })
  })

  it('misses what throws while it is read', () => {
    const state = {
      get a() {
        throw new Error('no')
      },
    }
    expect(resolvePath('a.b', state).found).toBe(false)
  })

  it('refuses a malformed path like the parser does', () => {
    expect(() => resolvePath('a..b', {})).toThrow(
      expect.objectContaining({ code: 'PREDICATE_PATH_INVALID' }),
    )
  })

  it('finds every key under its own name when nothing else is there', () => {
    const segment = fc
      .string({ minLength: 1, unit: 'binary' })
      .filter((text) => !text.includes('.') && text === text.trim())
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
        const state = segments.reduceRight<unknown>(
          (inner, key) => Object.fromEntries([[key, inner]]),
          'here',
        )
        expect(resolvePath(segments.join('.'), state).value).toBe('here')
      }),
    )
  })
})
