import { describe, expect, it } from 'vitest'
import { PreflightError } from './errors.ts'

describe('PreflightError', () => {
  it('carries its code, a literal name and frozen details', () => {
    const error = new PreflightError('PREFLIGHT_SKILL_INVALID', 'Correct it.', {
      details: { faults: [] },
    })
    expect(error).toBeInstanceOf(Error)
    expect(error.name).toBe('PreflightError')
    expect(error.code).toBe('PREFLIGHT_SKILL_INVALID')
    expect(error.details).toEqual({ faults: [] })
    expect(Object.isFrozen(error.details)).toBe(true)
  })

  it('carries the family brand where it does not get in the way', () => {
    const error = new PreflightError('PREFLIGHT_LIST_REQUIRED', 'Pass a list.')
    const brand = Symbol.for('symfonic.error')
    expect(Reflect.get(error, brand)).toBe(true)
    expect(Object.getOwnPropertyDescriptor(error, brand)?.enumerable).toBe(false)
  })

  it('keeps a cause when there is one, and has none otherwise', () => {
    const cause = new Error('below')
    expect(new PreflightError('PREFLIGHT_LIST_REQUIRED', 'x', { cause }).cause).toBe(cause)
    expect(Object.hasOwn(new PreflightError('PREFLIGHT_LIST_REQUIRED', 'x'), 'cause')).toBe(false)
  })

  it('does not take details along that are changed later', () => {
    const details: Record<string, unknown> = { received: 'null' }
    const error = new PreflightError('PREFLIGHT_LIST_REQUIRED', 'x', { details })
    details['received'] = 'changed'
    expect(error.details).toEqual({ received: 'null' })
  })
})
