import { describe, expect, it } from 'vitest'
import { toJsonRows } from './report.ts'
import { type ComputedSuite, runSuite, type Suite } from './suite.ts'
import { suites } from './suites.ts'

const effort = { rounds: 2, turnMs: 0, warmUpMs: 0 }

const bounds: Record<string, (number | undefined)[]> = {
  'kernel/tool-loop': [0.6, undefined],
  'kernel/stream': [1.1, undefined],
  'kernel/gated-loop': [undefined],
  'kernel/prompt-assembly': [1, undefined],
  'plugins/guards': [1, undefined],
  'predicates/three-part': [0.4, 0.2, 0.01],
  'preflight/select-1000': [1],
  'preflight/select-10000': [1],
  'preflight/gate-step': [1],
  'preflight/ai-sdk-loop': [1.1],
  'preflight/analyze-1000': [1],
  'memory/hydrate-1000': [undefined, undefined],
}

/** Suites that are too long for a test, or are computed and have tests of their own. */
const others = [
  'results/curve',
  'results/costs',
  'memory/hydrate-10000',
  'memory/hydrate-100000',
  'memory/hydrate-postgres',
  'memory/turns',
  'memory/writes',
  'memory/locomo',
  'memory/bfcl',
]

const isMeasured = (suite: Suite | ComputedSuite): suite is Suite => 'prepare' in suite

describe('the suites', () => {
  it('are those whose bounds are stated', () => {
    const named = [...Object.keys(bounds), ...others]
    expect(suites.map(({ name }) => name).sort()).toEqual(named.sort())
  })

  // Preparing a suite runs every contender once and proves that all do the same work.
  it.each(suites.filter(isMeasured).filter(({ name }) => name in bounds))(
    '$name runs and gives well-formed rows',
    async (suite) => {
      const rows = await runSuite(suite, effort)
      expect(rows.map(({ bound }) => bound)).toEqual(bounds[suite.name])
      for (const row of rows) {
        expect(row.suite).toBe(suite.name)
        // What is left of ours, less another, may be anything when so little is measured.
        expect(Number.isFinite(row.oursNs)).toBe(true)
        expect(row.theirsNs).toBeGreaterThan(0)
        expect(Number.isFinite(row.ratio)).toBe(true)
      }
      expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
      for (const row of toJsonRows(rows)) {
        expect(Object.keys(row)).toEqual(['suite', 'name', 'ratio', 'bound', 'lowerIsBetter'])
      }
    },
  )
})
