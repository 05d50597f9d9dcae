import { describe, expect, it } from 'vitest'
import { PluginError } from './errors.ts'

describe('PluginError', () => {
  it('carries a literal name, a code, frozen details, the cause and the brand', () => {
    const cause = new Error('inner')
    const details = { key: 'order' }
    const error = new PluginError('PLUGIN_CONTRIBUTION_TYPE', 'No number. Give one.', {
      details,
      cause,
    })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'PluginError', code: 'PLUGIN_CONTRIBUTION_TYPE', cause })
    expect(error.details).toEqual(details)
    expect(error.details).not.toBe(details)
    expect(Object.isFrozen(error.details)).toBe(true)
    const brand = Object.getOwnPropertyDescriptor(error, Symbol.for('symfonic.error'))
    expect(brand).toMatchObject({ value: true, enumerable: false, writable: false })
  })

  it('has empty details and no cause of its own when none is given', () => {
    const error = new PluginError('PLUGIN_NOT_A_PLUGIN', 'No plugin. Give one.')
    expect(error.details).toEqual({})
    expect(Object.hasOwn(error, 'cause')).toBe(false)
  })
})
