import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseScope, partitionKey, readableScopes, type Scope, scopeOfPartition } from './scope.ts'

/** Parts that are likely to be taken for one another. */
const part = fc.oneof(
  fc.string({
    minLength: 1,
    maxLength: 6,
    unit: fc.constantFrom('a', 'A', '/', ':', '%', 'u', 'n', 't', '2', 'f', '\u0000', ' '),
  }),
  fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
)
const scopes: fc.Arbitrary<Scope> = fc.record(
  { tenantId: part, namespace: part, userId: part },
  { requiredKeys: ['tenantId'] },
)

describe('partitionKey', () => {
  it('differs whenever the scopes differ, and only then', () => {
    fc.assert(
      fc.property(scopes, scopes, (one, other) => {
        const isSame = (['tenantId', 'namespace', 'userId'] as const).every(
          (key) => one[key] === other[key],
        )
        expect(partitionKey(one) === partitionKey(other)).toBe(isSame)
      }),
      { numRuns: 2_000 },
    )
  })

  it('leads back to its scope', () => {
    fc.assert(
      fc.property(scopes, (scope) => {
        expect(scopeOfPartition(partitionKey(scope))).toEqual(scope)
      }),
    )
  })

  it('holds no control character and so can be kept anywhere', () => {
    fc.assert(
      fc.property(scopes, (scope) => {
        const codes = [...partitionKey(scope)].map((character) => character.charCodeAt(0))
        expect(codes.every((code) => code > 31 && code !== 127)).toBe(true)
      }),
    )
  })

  it.each([
    [{ tenantId: 'acme' }, 't:acme'],
    [{ tenantId: 'acme', namespace: 'travel', userId: 'ann' }, 't:acme/n:travel/u:ann'],
    [{ tenantId: 'a/u:b' }, 't:a%2fu%3ab'],
    [{ tenantId: 'a%2f' }, 't:a%252f'],
    [{ tenantId: 'a\u0000' }, 't:a%00'],
    [{ tenantId: 'Ä漢😀' }, 't:Ä漢😀'],
  ] as [Scope, string][])('of %o is %s', (scope, key) => {
    expect(partitionKey(scope)).toBe(key)
  })

  it.each(['', 'acme', 't:', 't:a/x:b', 't:a/u:b/n:c', 't:a%2', 't:a%2F', 't:a\n'])(
    'is not %j',
    (key) => {
      expect(() => scopeOfPartition(key)).toThrow(
        expect.objectContaining({ code: 'MEMORY_SCOPE_INVALID' }),
      )
    },
  )
})

describe('parseScope', () => {
  it.each([undefined, null, {}, { userId: 'ann' }, { tenantId: undefined }])(
    'throws for the missing scope %o, which is never everybody',
    (scope) => {
      expect(() => parseScope(scope)).toThrow(
        expect.objectContaining({ code: 'MEMORY_SCOPE_REQUIRED' }),
      )
    },
  )

  it.each([
    ['tenantId', { tenantId: '' }],
    ['tenantId', { tenantId: 7 }],
    ['tenantId', { tenantId: null }],
    ['tenantId', { tenantId: '*'.repeat(257) }],
    ['tenantId', { tenantId: 'a\ud800' }],
    ['userId', { tenantId: 'a', userId: '' }],
    ['namespace', { tenantId: 'a', namespace: ['b'] }],
    ['tenant_id', { tenantId: 'a', tenant_id: 'b' }],
    ['user', { tenantId: 'a', user: 'b' }],
    ['scope', 'acme'],
    ['scope', ['acme']],
  ])('refuses a malformed %s', (key, scope) => {
    expect(() => parseScope(scope)).toThrow(
      expect.objectContaining({ code: 'MEMORY_SCOPE_INVALID', details: { key } }),
    )
  })

  it('reads own parts only and gives a frozen copy', () => {
    const inherited = Object.create(
      { userId: 'ann' },
      {
        tenantId: { value: 'acme', enumerable: true },
      },
    )
    const scope = parseScope(inherited)
    expect(scope).toEqual({ tenantId: 'acme' })
    expect(Object.isFrozen(scope)).toBe(true)
    expect(Object.keys(parseScope({ tenantId: 'a', userId: undefined }))).toEqual(['tenantId'])
  })
})

describe('readableScopes', () => {
  it.each([
    [{ tenantId: 'a' }, [{ tenantId: 'a' }]],
    [{ tenantId: 'a', userId: 'u' }, [{ tenantId: 'a', userId: 'u' }, { tenantId: 'a' }]],
    [
      { tenantId: 'a', namespace: 'n', userId: 'u' },
      [
        { tenantId: 'a', namespace: 'n', userId: 'u' },
        { tenantId: 'a', namespace: 'n' },
        { tenantId: 'a' },
      ],
    ],
  ] as [Scope, Scope[]][])('of %o are itself and what holds it', (scope, readable) => {
    expect(readableScopes(scope)).toEqual(readable)
  })

  it('are never a sibling, a child or another tenant', () => {
    fc.assert(
      fc.property(scopes, (scope) => {
        const [own, ...wider] = readableScopes(scope)
        expect(own).toEqual(scope)
        for (const each of wider) {
          expect(each.tenantId).toBe(scope.tenantId)
          expect([undefined, scope.namespace]).toContain(each.namespace)
          expect(each.userId).toBeUndefined()
          expect(partitionKey(each)).not.toBe(partitionKey(scope))
        }
      }),
    )
  })
})
