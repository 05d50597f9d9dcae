import { describe, expect, it } from 'vitest'
import { heapOver } from './memory-turns.ts'

describe('the memory of the process', () => {
  it('is read off while turns are hydrated, consolidated and slept over', async () => {
    const { text, ratios } = await heapOver([10, 60], { from: 10 })
    expect(text).toMatch(/after +10 turns +heap +\d+\.\d MB/)
    expect(text).toMatch(/after +60 turns/)
    expect(ratios.map(({ bound }) => bound)).toEqual([1.1, 1.1])
    for (const { ratio } of ratios) expect(ratio).toBeGreaterThan(0)
  })
})
