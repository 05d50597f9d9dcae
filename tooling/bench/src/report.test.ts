import { describe, expect, it } from 'vitest'
import { type Paint, renderRatios, renderSummary, renderTable, toJsonRows } from './report.ts'
import type { Row } from './suite.ts'

const plain: Paint = (_, text) => text
const marked: Paint = (format, text) => `<${format}>${text}</>`

const row = (about: Partial<Row>): Row => ({
  suite: 'kernel/stream',
  name: 'ours / theirs',
  oursNs: 5_290_000,
  theirsNs: 14_800_000,
  ratio: 0.357,
  bound: undefined,
  aim: undefined,
  ...about,
})

const rows = [
  row({ bound: 1.1, aim: 0.4 }),
  row({ bound: 1.1, aim: 0.3 }),
  row({ name: 'ours / others', oursNs: 276, theirsNs: 30_800, ratio: 0.008961 }),
  row({ suite: 'p/q', bound: 0.01, oursNs: 15, theirsNs: 300, ratio: 0.05 }),
]

describe('the table of the bench', () => {
  it('says for each row whether its bound holds, is missed, or does not exist', () => {
    expect(renderTable(rows, plain)).toBe(
      [
        'suite          name              ours   theirs    ratio  bound',
        'kernel/stream  ours / theirs  5.29 ms  14.8 ms    0.357    1.1  ok, aim 0.4 reached',
        'kernel/stream  ours / theirs  5.29 ms  14.8 ms    0.357    1.1  ok, aim 0.3 not reached',
        'kernel/stream  ours / others   276 ns  30.8 µs  0.00896         for reference',
        'p/q            ours / theirs  15.0 ns   300 ns   0.0500   0.01  missed',
      ].join('\n'),
    )
  })

  it('shows a missed bound in red', () => {
    const [, line] = renderTable([row({ bound: 0.3 })], marked).split('\n')
    expect(line).toMatch(/ 0\.357 {4}0\.3 {2}<red>missed<\/>$/)
  })

  it('shows a ratio that could not be measured as missed', () => {
    expect(renderTable([row({ bound: 1, ratio: Number.NaN })], plain)).toMatch(/NaN +1 +missed$/)
  })
})

describe('the ratios of a computed suite', () => {
  it('say for each whether its bound holds, is missed, or does not exist', () => {
    const ratio = { suite: 'p/costs', name: 'ours / theirs', ratio: 0.357, bound: undefined }
    const rows = [ratio, { ...ratio, name: 'ours', bound: 1 }, { ...ratio, bound: 0.3 }]
    expect(renderRatios(rows, plain)).toBe(
      [
        'p/costs  ours / theirs  0.357  for reference',
        'p/costs  ours           0.357  bound 1  ok',
        'p/costs  ours / theirs  0.357  bound 0.3  missed',
      ].join('\n'),
    )
  })
})

describe('the summary of the bench', () => {
  it.each([
    { about: rows, expected: '<red>2 of 3 bounds hold, 1 missed</>' },
    { about: rows.slice(0, 3), expected: '<green>2 of 2 bounds hold</>' },
  ])('reads $expected', ({ about, expected }) => {
    expect(renderSummary(about, marked)).toBe(expected)
  })
})

describe('the JSON of the bench', () => {
  it('holds the rows with a bound, missed ones included, and no other key', () => {
    expect(toJsonRows(rows)).toEqual([
      {
        suite: 'kernel/stream',
        name: 'ours / theirs',
        ratio: 0.357,
        bound: 1.1,
        lowerIsBetter: true,
      },
      {
        suite: 'kernel/stream',
        name: 'ours / theirs',
        ratio: 0.357,
        bound: 1.1,
        lowerIsBetter: true,
      },
      { suite: 'p/q', name: 'ours / theirs', ratio: 0.05, bound: 0.01, lowerIsBetter: true },
    ])
  })
})
