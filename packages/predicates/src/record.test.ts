import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { isRecord } from './record.ts'

class Point {
  x = 1
}

describe('isRecord', () => {
  it.each([
    ['a literal', {}],
    ['parsed JSON', JSON.parse('{"__proto__":{"x":1}}')],
    ['an object without a prototype', Object.create(null)],
    ['an object of another realm', runInNewContext('({ a: 1 })')],
    ['a frozen object', Object.freeze({})],
    ['a proxy of a record', new Proxy({}, {})],
  ])('takes %s for a record', (_, value) => {
    expect(isRecord(value)).toBe(true)
  })

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['text', 'text'],
    ['a number', 1],
    ['a function', () => 1],
    ['a list', []],
    ['a list of another realm', runInNewContext('[1]')],
    ['a Map', new Map()],
    ['a Set', new Set()],
    ['a Date', new Date()],
    ['a RegExp', /x/],
    ['an Error', new Error('x')],
    ['a typed array', new Uint8Array(2)],
    ['a boxed string', Object('text')],
    ['a class instance', new Point()],
    ['an object that inherits from a record', Object.create({ a: 1 })],
  ])('does not take %s for a record', (_, value) => {
    expect(isRecord(value)).toBe(false)
  })
})
