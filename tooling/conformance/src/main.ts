import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import colors from 'picocolors'
import { harnesses } from './harness.ts'
import { overruled } from './overruled.ts'
import { renderReport, tallyAll, tallyByGroup } from './report.ts'
import { runVectors } from './run-vectors.ts'
import { loadVectors } from './vectors.ts'

// `npm run conformance [-- --json FILE]`: how much of the specification holds today.
// Exits 1 when a vector fails. What is not built yet is no failure, and no success either.

const { values } = parseArgs({ options: { json: { type: 'string' } } })
const vectors = loadVectors()

if (vectors === undefined) {
  console.log('skipped: ../shared/spec/vectors.json is not there, so nothing was run or proved.')
} else {
  const results = await runVectors(vectors, { harnesses, overruled })
  const all = tallyAll(results)
  console.log(renderReport(results, colors))
  if (values.json !== undefined) {
    const report = { ...all, groups: tallyByGroup(results), results }
    writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
  }
  process.exitCode = all.failed > 0 ? 1 : 0
}
