import { describe, expect, it } from 'vitest'
import { deepFreeze } from './deep-freeze.ts'

describe('deepFreeze', () => {
  it('freezes plain objects and lists at every depth, and gives the same value back', () => {
    const value = { list: [{ deep: { deeper: [] } }], bare: Object.assign(Object.create(null), {}) }
    expect(deepFreeze(value)).toBe(value)
    const parts = [value, value.list, value.list[0], value.list[0]?.deep.deeper, value.bare]
    expect(parts.every(Object.isFrozen)).toBe(true)
  })

  it('ends at what is frozen already and at what is no plain data', () => {
    const shared = { mine: 1 }
    const date = new Date()
    const frozen = Object.freeze({ shared })
    deepFreeze({ frozen, date })
    expect(Object.isFrozen(shared)).toBe(false)
    expect(Object.isFrozen(date)).toBe(false)
  })

  it('ends on data that contains itself', () => {
    const cyclic: Record<string, unknown> = {}
    cyclic['self'] = cyclic
    expect(Object.isFrozen(deepFreeze(cyclic))).toBe(true)
  })

  it.each([undefined, null, 1, 'text', true])('leaves %s alone', (value) => {
    expect(deepFreeze(value)).toBe(value)
  })
})
