import { describe, expect, it } from 'vitest'
import { writeText } from './written-text.ts'

describe('made-up text', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(writeText(1).words(50)).toBe(writeText(1).words(50))
    expect(writeText(1).words(50)).not.toBe(writeText(2).words(50))
  })

  it('has few words often and many seldom', () => {
    const counts = new Map<string, number>()
    for (const word of writeText(3).words(20_000).split(' ')) {
      counts.set(word, (counts.get(word) ?? 0) + 1)
    }
    const sorted = [...counts.values()].sort((one, other) => other - one)
    expect(sorted.length).toBeGreaterThan(3_000)
    expect(sorted[0]).toBeGreaterThan(50)
    expect(sorted[0]).toBeLessThan(200)
    expect(sorted.filter((count) => count === 1).length).toBeGreaterThan(1_000)
  })
})
