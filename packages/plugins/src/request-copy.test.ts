import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frozenView, mutableCopy } from './request-copy.ts'

describe('copies of a request', () => {
  it('hold the same and share nothing, frozen once and writable after (PLUG-62)', () => {
    const original = { tenant: 't1', list: [{ a: 1 }], nothing: null, missing: undefined }
    const view = frozenView(original) as typeof original
    const copy = mutableCopy(view) as typeof original
    expect(view).toEqual(original)
    expect(copy).toEqual(original)
    for (const part of [view, view.list, view.list[0]]) expect(Object.isFrozen(part)).toBe(true)
    copy.list.push({ a: 2 })
    copy.tenant = 't2'
    expect([original.tenant, original.list.length, view.list.length]).toEqual(['t1', 1, 1])
    original.tenant = 't3'
    expect(view.tenant).toBe('t1')
  })

  it('copy any data value by value', () => {
    fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true, withDate: true, withMap: true, withSet: true }),
        (value) => {
          const copy = mutableCopy(frozenView(value))
          expect(copy).toEqual(structuredClone(value))
          if (typeof value === 'object' && value !== null) expect(copy).not.toBe(value)
        },
      ),
    )
  })

  it('clone dates, maps, byte arrays and instances each time', () => {
    class Reservation {
      readonly id = 'A1'
    }
    const original = { at: new Date(0), map: new Map([['k', 1]]), bytes: new Uint8Array(2) }
    const view = frozenView(original) as typeof original
    const copies = [mutableCopy(view), mutableCopy(view)] as (typeof original)[]
    copies[0]?.at.setFullYear(2000)
    copies[0]?.map.clear()
    copies[0]?.bytes.fill(9)
    expect(copies[1]).toEqual(original)
    expect(mutableCopy(frozenView(new Reservation()))).toEqual({ id: 'A1' })
  })

  it('keep cycles and parts that are shared', () => {
    const shared = { a: 1 }
    const original: Record<string, unknown> = { one: shared, two: [shared] }
    original['self'] = original
    const copy = mutableCopy(frozenView(original)) as typeof original
    expect(copy['self']).toBe(copy)
    expect((copy['two'] as unknown[])[0]).toBe(copy['one'])
  })

  it('take __proto__ for a key', () => {
    const copy = mutableCopy(frozenView(JSON.parse('{"__proto__":{"polluted":1}}'))) as object
    expect(Object.keys(copy)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it.each<[string, unknown, string]>([
    ['a function', { user: { save: () => 1 } }, '"user.save" is a function'],
    ['a symbol', [Symbol('x')], '"0" is a symbol'],
    ['a bare function', () => 1, 'the context is a function'],
  ])('are refused for %s, with its place', (_, value, message) => {
    expect(() => frozenView(value)).toThrow(message)
  })

  it.each<[string, () => unknown]>([
    ['a getter that throws', () => Object.defineProperty({}, 'x', { enumerable: true, get: fail })],
    ['a revoked proxy', revoked],
    ['a proxy that lists no keys', () => new Proxy({}, { ownKeys: fail })],
    ['a depth without end', () => JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))],
    ['a promise', () => Promise.resolve(1)],
  ])('are refused for %s', (_, make) => {
    expect(() => frozenView(make())).toThrow()
  })
})

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function fail(): never {
  throw new Error('trap')
}
