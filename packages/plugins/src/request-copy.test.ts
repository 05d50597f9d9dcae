import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frozenContext, frozenView, isPlainRecord, mutableCopy } from './request-copy.ts'

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

  it('copy dates, maps and byte arrays each time', () => {
    const original = { at: new Date(0), map: new Map([['k', 1]]), bytes: new Uint8Array(2) }
    const view = frozenView(original) as typeof original
    const copies = [mutableCopy(view), mutableCopy(view)] as (typeof original)[]
    copies[0]?.at.setFullYear(2000)
    copies[0]?.map.clear()
    copies[0]?.bytes.fill(9)
    expect(copies[1]).toEqual(original)
  })

  it.each<[string, object]>([
    ['a date', new Date(5)],
    ['a pattern', /a+/gi],
    ['an address', new URL('https://a.example/b?c=1#d')],
    ['a buffer', new Uint8Array([1, 2]).buffer],
    ['bytes', new Uint8Array([1, 2])],
    ['big numbers', new BigInt64Array([1n])],
    ['a part of a pool', Buffer.from('abc')],
    ['a map', new Map([[{ key: 1 }, new Date(1)]])],
    ['a set', new Set([[1], new Date(2)])],
    ['a record without a prototype', Object.assign(Object.create(null), { a: 1 })],
    ['a record of another realm', runInNewContext('({ a: [{ b: 1 }] })')],
    ['big integers and what is no number', { big: 1n, not: Number.NaN, none: undefined }],
  ])('show %s as it is, and another one each time', (_, value) => {
    const view = frozenView({ value }) as { value: object }
    const copies = [mutableCopy(view), mutableCopy(view)] as { value: object }[]
    expect(copies[0]?.value).toEqual(value)
    expect(copies[0]?.value).not.toBe(value)
    expect(copies[0]?.value).not.toBe(copies[1]?.value)
  })

  it('show the bytes of a Node buffer as one, and no more of its pool', () => {
    const copy = mutableCopy(frozenView(Buffer.from('abc'))) as Buffer
    expect(copy.toString('hex')).toBe('616263')
    expect(copy.buffer.byteLength).toBe(3)
  })

  it('keep cycles, and parts and instances that are shared', () => {
    const [shared, at] = [{ a: 1 }, new Date(0)]
    const map = new Map<unknown, unknown>([[shared, at]])
    const original: Record<string, unknown> = { one: shared, two: [shared], at, map }
    original['self'] = original
    map.set('self', map)
    const copy = mutableCopy(frozenView(original)) as typeof original
    expect(copy['self']).toBe(copy)
    expect((copy['two'] as unknown[])[0]).toBe(copy['one'])
    const copiedMap = copy['map'] as typeof map
    expect(copiedMap.get(copy['one'])).toBe(copy['at'])
    expect(copiedMap.get('self')).toBe(copiedMap)
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
    [
      'a function behind other parts',
      { list: [1, { a: [] }], at: new Date(), user: { id: 1, saves: [2, () => 1] } },
      '"user.saves.1" is a function',
    ],
    ['an instance', { amount: new Money(900) }, '"amount" is an instance of Money'],
    ['an instance without a class', { a: Object.create({ b: 1 }) }, '"a" is an instance'],
    [
      'what inherits from a bare record',
      { a: Object.create(bare({ role: 1 })) },
      '"a" is an instance',
    ],
    ['an instance in a map', new Map([['k', { m: new Money(1) }]]), '"m" is an instance of Money'],
    ['an instance as a key', new Map([[new Money(1), 1]]), 'is an instance of Money'],
    ['an instance in a set', { s: new Set([new Money(1)]) }, '"s" is an instance of Money'],
    ['a class of dates', { at: new (class Day extends Date {})() }, '"at" is an instance of Day'],
    ['a class of lists', { l: new (class Bag extends Array {})() }, '"l" is an instance of Bag'],
    ['a class of maps', { m: new (class Bag extends Map {})() }, '"m" is an instance of Bag'],
    ['a class of bytes', new (class Key extends Uint8Array {})(1), 'is an instance of Key'],
    ['a file', { file: new File(['x'], 'x.txt') }, '"file" is an instance of File'],
    ['an error, which has a class', [new Error('x')], '"0" is an instance of Error'],
    ['memory that others write to', { m: new SharedArrayBuffer(1) }, '"m" is an instance of'],
    ['a boxed number', { n: Object(900) }, '"n" is an instance of Number'],
    ['a class without a name', { n: new (class {})() }, '"n" is an instance'],
    [
      'an accessor',
      {
        user: {
          get role() {
            return 'guest'
          },
        },
      },
      '"user.role" is no plain property',
    ],
    ['a hidden property', { a: hidden({ b: 1 }, 'role') }, '"a.role" is no plain property'],
    ['a name that is a symbol', { a: { [Symbol('role')]: 1 } }, '"a.Symbol(role)" is no plain'],
    ['a list with a name', { l: Object.assign([1], { role: 1 }) }, '"l.role" is no plain'],
    ['a list with a gap', { l: Object.assign([], { 1: 1 }) }, '"l.1" is no plain property'],
    ['a list that is all gap', { l: new Array(2 ** 32 - 1) }, '"l.length" is no plain property'],
    ['a list with an accessor', { l: hidden([], '0') }, '"l.0" is no plain property'],
    ['a date with a name', { at: Object.assign(new Date(), { role: 1 }) }, '"at.role" is added'],
    ['a map with a name', { m: Object.assign(new Map(), { role: 1 }) }, '"m.role" is added'],
  ])('are refused for %s, with its place', (_, value, message) => {
    expect(() => frozenView(value)).toThrow(message)
  })

  it.each([
    Date.prototype,
    RegExp.prototype,
    URL.prototype,
    Map.prototype,
    Set.prototype,
    ArrayBuffer.prototype,
    Uint8Array.prototype,
    Buffer.prototype,
  ])('are refused for what only inherits from a built-in one, %#', (prototype) => {
    expect(() => frozenView(Object.create(prototype))).toThrow(TypeError)
  })

  it('of a whole context are made of plain records only, and its kind is named', () => {
    expect(frozenContext({ a: 1 })).toEqual({ a: 1 })
    expect(frozenContext(Object.create(null))).toEqual({})
    const kinds = [undefined, null, 'abc', 7, [1], new Map(), new Date(), new Money(1), () => 1]
    const messages = kinds.map((kind) => {
      try {
        return frozenContext(kind)
      } catch (error) {
        return (error as Error).message.replace(/;.*/, '')
      }
    })
    expect(messages).toEqual([
      'the context is undefined',
      'the context is null',
      'the context is a text',
      'the context is a number',
      'the context is a list',
      'the context is an instance of Map',
      'the context is an instance of Date',
      'the context is an instance of Money',
      'the context is a function',
    ])
  })

  it('take for a plain record what spreading takes whole, and do not throw over the rest', () => {
    expect([{}, { a: new Money(1) }, Object.create(null)].map(isPlainRecord)).toEqual([
      true,
      true,
      true,
    ])
    const rest = [undefined, null, 'a', [], new Map(), new Money(1), revoked(), hidden({}, 'a')]
    expect(rest.filter(isPlainRecord)).toEqual([])
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

/** Keeps what it is worth where no copy of its own properties finds it. */
class Money {
  readonly #amount: number
  constructor(amount: number) {
    this.#amount = amount
  }
  get amount() {
    return this.#amount
  }
}

function bare(values: object): object {
  return Object.assign(Object.create(null), values)
}

function hidden<T extends object>(target: T, key: string): T {
  return Object.defineProperty(target, key, { value: 1, configurable: true })
}

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function fail(): never {
  throw new Error('trap')
}
