import { describe, expect, it } from 'vitest'
import { createOnceLatch } from './warn-once.ts'

describe('a once-only latch', () => {
  it('closes per plugin and cause, and no two latches share a thing', () => {
    const [latch, other] = [createOnceLatch(), createOnceLatch()]
    const [a, b] = [{ name: 'a' }, { name: 'a' }]
    expect([latch(a, 'x'), latch(a, 'x'), latch(a, 'y'), latch(b, 'x'), latch(a, 'y')]).toEqual([
      true,
      false,
      true,
      true,
      false,
    ])
    expect(other(a, 'x')).toBe(true)
  })
})
