import { existsSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { ourPolicy } from './our-policy.ts'
import { readConversations, recordedData } from './read-conversations.ts'
import { type PopulationRow, type ResultsReport, reportOnResults } from './results-report.ts'

// Recorded runs of coding, MCP, web and customer service agents. They are no part of the repository.
describe.skipIf(!existsSync(recordedData))('the result policy on recorded runs', () => {
  let report: ResultsReport

  beforeAll(async () => {
    report = await reportOnResults(readConversations(recordedData), ourPolicy())
  }, 30_000)

  const row = (name: string): PopulationRow => {
    const found = report.rows.find(({ population }) => population === name)
    if (found === undefined) throw new Error(`There is no population ${name}.`)
    return found
  }

  it('is measured on all of them', () => {
    expect(report.rows.map(({ population, runs }) => [population, runs])).toEqual([
      ['mcp', 8],
      ['ctf', 2],
      ['coding', 3],
      ['web-research', 5],
      ['airline', 53],
      ['retail', 26],
      ['all', 97],
    ])
  })

  it.each([
    { population: 'mcp', least: 0.4 },
    { population: 'coding', least: 0.18 },
  ])('saves at least $least of the characters of $population runs', ({ population, least }) => {
    expect(row(population).saved).toBeGreaterThan(least)
  })

  it('saves at least 0.18 of the characters of all SWE-agent runs, riddles included', () => {
    const rows = [row('coding'), row('ctf')]
    const sum = (key: 'with' | 'without') =>
      rows.reduce((all, { sentChars }) => all + sentChars[key], 0)
    expect(1 - sum('with') / sum('without')).toBeGreaterThan(0.18)
  })

  it('lets no run cost more than without, recalls counted', () => {
    expect(report.dearer).toEqual([])
    expect(row('all').dearestAsking.ratio).toBeLessThan(1 + 1e-9)
  })

  it('can recall all that a later message uses and no longer sees', () => {
    const { calls, answers } = row('all')
    expect(calls.needing).toBeGreaterThan(10)
    expect(answers.needing).toBeGreaterThan(5)
    expect(calls.answered).toBe(calls.needing)
    expect(answers.answered).toBe(answers.needing)
    expect(report.unanswered).toEqual([])
  })

  it('saves money in every population', () => {
    for (const { usd } of report.rows) expect(usd.asking.arguments).toBeLessThan(usd.without)
  })
})
