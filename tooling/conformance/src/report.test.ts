import picocolors from 'picocolors'
import { describe, expect, it } from 'vitest'
import { renderReport, tallyAll, tallyByGroup } from './report.ts'
import type { Result } from './run-vectors.ts'

const result = (
  id: string,
  group: string,
  outcome: Result['outcome'],
  reason?: string,
): Result => ({
  id,
  group,
  kind: 'k',
  title: `title of ${id}`,
  outcome,
  ...(reason === undefined ? {} : { reason }),
})

const results = [
  result('V-PRED-001', 'PRED', 'passed'),
  result('V-PRED-002', 'PRED', 'overruled', 'decision 4'),
  result('V-PRE-001', 'PRE', 'failed', 'expected true'),
  result('V-PRED-003', 'PRED', 'passed'),
  result('V-RES-001', 'RES', 'not built yet'),
]

describe('the conformance report', () => {
  it('counts each outcome once per group and over all', () => {
    expect(tallyByGroup(results)).toEqual([
      { group: 'PRED', passed: 2, overruled: 1, notBuilt: 0, failed: 0, total: 3 },
      { group: 'PRE', passed: 0, overruled: 0, notBuilt: 0, failed: 1, total: 1 },
      { group: 'RES', passed: 0, overruled: 0, notBuilt: 1, failed: 0, total: 1 },
    ])
    expect(tallyAll(results)).toEqual({
      group: 'all',
      passed: 2,
      overruled: 1,
      notBuilt: 1,
      failed: 1,
      total: 5,
    })
  })

  it('lists the groups, the sum, and the reason of each overruled and failed vector', () => {
    expect(renderReport(results, picocolors.createColors(false))).toBe(
      [
        'group  passed  overruled  not built yet  failed    of',
        'PRED        2          1              ·       ·     3',
        'PRE         ·          ·              ·       1     1',
        'RES         ·          ·              1       ·     1',
        'all         2          1              1       1     5',
        '',
        'overruled:',
        '  V-PRED-002 title of V-PRED-002',
        '    decision 4',
        '',
        'failed:',
        '  V-PRE-001 title of V-PRE-001',
        '    expected true',
      ].join('\n'),
    )
  })

  it('says nothing of reasons when there are none', () => {
    const text = renderReport([result('V-A-001', 'A', 'passed')], picocolors.createColors(false))
    expect(text.split('\n')).toHaveLength(3)
  })
})
