import { describe, expect, it } from 'vitest'
import { measureInTurn, median } from './measure.ts'

const effort = { rounds: 4, turnMs: 0, warmUpMs: 0 }

describe('measuring in turn', () => {
  it('gives each contender a figure a round, in nanoseconds per unit', async () => {
    const wait = (milliseconds: number) => () => {
      const end = performance.now() + milliseconds
      while (performance.now() < end);
    }
    const figures = await measureInTurn(
      [
        { name: 'whole', units: 1, work: wait(2) },
        { name: 'halves', units: 2, work: wait(2) },
      ],
      effort,
    )
    const whole = figures.get('whole') ?? []
    const halves = figures.get('halves') ?? []
    expect([...figures.keys()]).toEqual(['whole', 'halves'])
    expect([whole.length, halves.length]).toEqual([4, 4])
    // Waiting takes at least as long as asked for, however busy the machine is.
    expect(Math.min(...whole)).toBeGreaterThanOrEqual(2e6)
    expect(Math.min(...halves)).toBeGreaterThanOrEqual(1e6)
  })

  it('goes round, each time from the next contender on', async () => {
    const turns: string[] = []
    const contender = (name: string) => ({
      name,
      units: 1,
      work: () => {
        if (turns.at(-1) !== name) turns.push(name)
      },
    })
    await measureInTurn([contender('a'), contender('b'), contender('c')], effort)
    expect(turns.join('')).toMatch(/abcbcacababc$/)
  })

  it('waits for a promise and passes its failure on', async () => {
    let running = 0
    let most = 0
    const work = async () => {
      running += 1
      most = Math.max(most, running)
      await Promise.resolve()
      running -= 1
    }
    await measureInTurn([{ name: 'waits', units: 1, work }], effort)
    expect(most).toBe(1)

    const broken = { name: 'broken', units: 1, work: () => Promise.reject(new Error('broken')) }
    await expect(measureInTurn([broken], effort)).rejects.toThrow('broken')
  })
})

describe('the median', () => {
  it.each([
    { figures: [3], expected: 3 },
    { figures: [9, 1, 3], expected: 3 },
    { figures: [4, 1, 9, 2], expected: 3 },
    { figures: [], expected: Number.NaN },
  ])('of $figures is $expected', ({ figures, expected }) => {
    expect(median(figures)).toBe(expected)
  })
})
