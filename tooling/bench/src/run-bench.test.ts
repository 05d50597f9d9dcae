import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runBench } from './run-bench.ts'
import type { ComputedSuite, Suite } from './suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'bench-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** One bound that nothing can miss and one that everything does, even work that no clock has seen. */
const suites: Suite[] = ['a/kept', 'b/missed'].map((name) => ({
  name,
  prepare: () => ({
    contenders: [{ name: 'ours', units: 1, work: () => 1 }],
    comparisons: [{ name: 'ours', ours: 'ours', theirs: 1, bound: name === 'a/kept' ? 1e9 : -1 }],
  }),
}))

/** A bound that is kept and one that is missed, without a clock. */
const computed: ComputedSuite = {
  name: 'c/computed',
  compute: () => ({
    text: 'what it says',
    ratios: [
      { name: 'kept', ratio: 0.5, bound: 1 },
      { name: 'missed', ratio: 2, bound: 1 },
    ],
  }),
}

async function bench(...argv: string[]) {
  return benchOf(suites, argv)
}

async function benchOf(some: readonly (Suite | ComputedSuite)[], argv: readonly string[]) {
  const printed: string[] = []
  const told: string[] = []
  const code = await runBench(
    [...argv, '--rounds', '1'],
    some,
    { turnMs: 0, warmUpMs: 0 },
    {
      print: (text) => printed.push(text),
      tell: (text) => told.push(text),
    },
  )
  return { code, printed: printed.join('\n'), told }
}

describe('the bench', () => {
  it('shows a missed bound and ends well all the same', async () => {
    const { code, printed } = await bench()
    expect(printed).toMatch(/^a\/kept .*ok/m)
    expect(printed).toMatch(/^b\/missed .*missed/m)
    expect(printed).toContain('1 of 2 bounds hold, 1 missed')
    expect(code).toBe(0)
  })

  it.each([
    { argv: ['--strict'], code: 1 },
    { argv: ['--strict', '--suite', 'b/missed'], code: 1 },
    { argv: ['--strict', '--suite', 'a/kept'], code: 0 },
  ])('ends with $code for $argv', async ({ argv, code }) => {
    expect((await bench(...argv)).code).toBe(code)
  })

  it('runs the one suite that is asked for', async () => {
    const { printed, told } = await bench('--suite', 'a/kept')
    expect(told).toEqual(['a/kept'])
    expect(printed).not.toContain('b/missed')
  })

  it('prints what a computed suite says, and counts its bounds with the others', async () => {
    const { code, printed } = await benchOf([...suites, computed], ['--strict'])
    expect(printed).toMatch(/^b\/missed .*missed$/m)
    expect(printed).toMatch(/^what it says$/m)
    expect(printed).toMatch(/^c\/computed {2}kept +0\.500 {2}bound 1 {2}ok$/m)
    expect(printed).toContain('2 of 4 bounds hold, 2 missed')
    expect(code).toBe(1)
  })

  it('prints no table of times where nothing was timed', async () => {
    const { printed } = await benchOf([...suites, computed], ['--suite', 'c/computed'])
    expect(printed).toMatch(/^what it says\n/)
    expect(printed).toContain('1 of 2 bounds hold, 1 missed')
  })

  it('writes the rows as JSON', async () => {
    const file = join(folder, 'rows.json')
    await bench('--json', file)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual([
      { suite: 'a/kept', name: 'ours', ratio: expect.any(Number), bound: 1e9, lowerIsBetter: true },
      {
        suite: 'b/missed',
        name: 'ours',
        ratio: expect.any(Number),
        bound: -1,
        lowerIsBetter: true,
      },
    ])
  })

  it('runs nothing when a flag is unknown, says so and ends with 2', async () => {
    const { code, printed, told } = await bench('--sweet')
    expect(code).toBe(2)
    expect(printed).toBe('')
    expect(told).toEqual([expect.stringContaining('--sweet')])
  })
})
