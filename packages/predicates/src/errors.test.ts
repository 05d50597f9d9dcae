import { describe, expect, it } from 'vitest'
import { PredicateError } from './errors.ts'

describe('PredicateError', () => {
  it('carries a literal name, a code, frozen details, the cause and the brand', () => {
    const cause = new Error('inner')
    const details = { index: 3 }
    const error = new PredicateError('PREDICATE_SHAPE', 'Not a list. Write one.', {
      details,
      cause,
    })
    expect(error).toBeInstanceOf(Error)
    expect(error.name).toBe('PredicateError')
    expect(error.code).toBe('PREDICATE_SHAPE')
    expect(error.message).toBe('Not a list. Write one.')
    expect(error.cause).toBe(cause)
    expect(error.details).toEqual({ index: 3 })
    expect(error.details).not.toBe(details)
    expect(Object.isFrozen(error.details)).toBe(true)
    expect(Reflect.get(error, Symbol.for('symfonic.error'))).toBe(true)
    expect(Object.getOwnPropertySymbols(error).every((key) => !isEnumerable(error, key))).toBe(true)
  })

  it('has empty details and no cause of its own when none is given', () => {
    const error = new PredicateError('PREDICATE_SHAPE', 'Not a list. Write one.')
    expect(error.details).toEqual({})
    expect(Object.hasOwn(error, 'cause')).toBe(false)
  })
})

function isEnumerable(owner: object, key: symbol): boolean {
  return Object.prototype.propertyIsEnumerable.call(owner, key)
}
