import { describe, expect, it } from 'vitest'
import { toJsonRows } from './report.ts'
import { runSuite } from './suite.ts'
import { suites } from './suites.ts'

const effort = { rounds: 2, turnMs: 0, warmUpMs: 0 }

const bounds: Record<string, (number | undefined)[]> = {
  'kernel/tool-loop': [0.6, undefined],
  'kernel/stream': [1.1, undefined],
  'kernel/gated-loop': [undefined],
  'predicates/three-part': [0.4, 0.2, 0.01],
  'preflight/select-1000': [1],
  'preflight/select-10000': [1],
  'preflight/gate-step': [1],
  'preflight/ai-sdk-loop': [1.1],
  'preflight/analyze-1000': [1],
}

describe('the suites', () => {
  it('are those whose bounds are stated', () => {
    expect(suites.map(({ name }) => name)).toEqual(Object.keys(bounds))
  })

  // Preparing a suite runs every contender once and proves that all do the same work.
  it.each(suites)(
    '$name runs and gives well-formed rows',
    async (suite) => {
      const rows = await runSuite(suite, effort)
      expect(rows.map(({ bound }) => bound)).toEqual(bounds[suite.name])
      for (const row of rows) {
        expect(row.suite).toBe(suite.name)
        expect(row.oursNs).toBeGreaterThan(0)
        expect(row.theirsNs).toBeGreaterThan(0)
        expect(row.ratio).toBeGreaterThan(0)
        expect(Number.isFinite(row.ratio)).toBe(true)
      }
      expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
      for (const row of toJsonRows(rows)) {
        expect(Object.keys(row)).toEqual(['suite', 'name', 'ratio', 'bound', 'lowerIsBetter'])
      }
    },
    30_000,
  )
})
