import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compileCredentialPattern,
  defaultCredentialPatterns,
  scrubCredentialKeys,
} from './scrub-keys.ts'

describe('a credential pattern', () => {
  it.each([
    'password',
    'userPassword',
    'DB_PASSWD',
    'apiKey',
    'x-api-key',
    'clientSecret',
    'accessToken',
    'refresh_token',
    'token',
    'Authorization',
    'aws_secret_access_key',
    'private-key',
    'connectionString',
    'cardNumber',
    'Set-Cookie',
    'credentials',
  ])('matches the key %s by default', (key) => {
    expect(compileCredentialPattern()?.test(key)).toBe(true)
  })

  it.each(['name', 'key', 'tokens', 'max_tokens', 'keyboard', 'pass', 'author', 'cvvx', 'pwdx'])(
    'does not match the key %s by default',
    (key) => {
      expect(compileCredentialPattern()?.test(key)).toBe(false)
    },
  )

  it('is joined from its fragments, without regard to letter case', () => {
    const pattern = compileCredentialPattern(['^pin$', 'a|b'])
    expect(['PIN', 'xBx', 'pins', 'c'].map((key) => pattern?.test(key))).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it('does not exist when there is no fragment', () => {
    expect(compileCredentialPattern([])).toBeUndefined()
  })

  it.each([
    { patterns: ['ok', '('], index: 1, what: 'is no regular expression' },
    { patterns: ['a)(b'], index: 0, what: 'is no regular expression' },
    { patterns: [''], index: 0, what: 'matches every key' },
    { patterns: ['a*'], index: 0, what: 'matches every key' },
    { patterns: [7 as unknown as string], index: 0, what: 'is no text' },
  ])('refuses $patterns when it is made', ({ patterns, index, what }) => {
    const compile = () => compileCredentialPattern(patterns)
    expect(compile).toThrow(`Credential pattern ${index} ${what}.`)
    expect(compile).toThrow(
      expect.objectContaining({ code: 'MEMORY_CREDENTIAL_PATTERN', details: { index } }),
    )
  })
})

describe('scrubbing by key', () => {
  const pattern = compileCredentialPattern(['secret'])

  it('returns the value itself where there is no pattern', () => {
    const value = { secret: 1 }
    expect(scrubCredentialKeys(value, undefined)).toBe(value)
  })

  it('leaves out what matches, at any depth, in a copy', () => {
    const value = { a: 1, secret: 2, b: [{ mySecret: 3, c: null }, 'secret'], d: { SECRETS: {} } }
    expect(scrubCredentialKeys(value, pattern)).toEqual({ a: 1, b: [{ c: null }, 'secret'], d: {} })
    expect(value.secret).toBe(2)
  })

  it('leaves out what it cannot search, and never throws', () => {
    const cycle: Record<string, unknown> = { a: 1 }
    cycle['self'] = [cycle]
    const trap = {
      get bad() {
        throw new Error('read')
      },
    }
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const value = { cycle, trap, proxy, map: new Map(), date: new Date(), run: () => {}, ok: true }
    const copy = scrubCredentialKeys(value, pattern)
    expect(copy).toMatchObject({ ok: true, cycle: { a: 1 } })
    expect(Object.keys(copy as object)).toEqual(['cycle', 'ok'])
    expect(JSON.stringify(copy).length).toBeLessThan(500)
  })

  it('looks at a bounded number of values, however often one is shared', () => {
    let value: unknown = 'leaf'
    for (let depth = 0; depth < 10; depth += 1) value = Array.from({ length: 50 }, () => value)
    expect(JSON.stringify(scrubCredentialKeys(value, pattern)).length).toBeLessThan(200_000)
    let record: object = {}
    for (let depth = 0; depth < 10; depth += 1) record = { ...Array(50).fill(record) }
    expect(JSON.stringify(scrubCredentialKeys(record, pattern)).length).toBeLessThan(200_000)
  })

  it('takes __proto__ as a key like any other', () => {
    const value: unknown = JSON.parse('{"__proto__":{"secret":1,"a":2}}')
    const copy = scrubCredentialKeys(value, pattern) as object
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":2}}')
  })

  it('leaves no matching key anywhere, and JSON without one as it was', () => {
    const key = fc.constantFrom('a', 'secret', 'Secrets', 'b')
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.string(),
        fc.integer(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 3 }),
      ),
    })).value
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(scrubCredentialKeys(value, pattern))
        expect(text).not.toMatch(/secrets?":/i)
        if (!/secrets?":/i.test(JSON.stringify(value))) {
          expect(scrubCredentialKeys(value, pattern)).toEqual(value)
        }
      }),
    )
  })

  it('publishes its defaults', () => {
    expect(Object.isFrozen(defaultCredentialPatterns)).toBe(true)
    expect(defaultCredentialPatterns.length).toBeGreaterThan(10)
  })
})
