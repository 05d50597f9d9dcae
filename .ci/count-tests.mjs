// Reads vitest's JSON report and prints the closing line of .ci/run: `N passed, N failed[, N skipped]`.
// Before it, on standard error, stands what failed: whoever has the end of the output has the names.
// Plain JavaScript, because it must also speak on a machine where the install failed.
//
//   node .ci/count-tests.mjs <report.json>
//
// Exits 1 when anything failed, when nothing ran, or when there is no readable report.

import { readFileSync } from 'node:fs'

const report = read(process.argv[2])
const counts = report === undefined ? undefined : count(report)

if (counts === undefined) {
  console.error('No readable test report: the run ended before vitest could write one.')
  finish({ passed: 0, failed: 1, skipped: 0 })
} else if (counts.passed + counts.failed + counts.skipped === 0) {
  console.error('The test report holds no test: a run of nothing proves nothing.')
  finish({ passed: 0, failed: 1, skipped: 0 })
} else {
  if (report.success === false && counts.failed === 0) {
    console.error(
      'vitest calls the run failed though no test is: see the errors outside of tests above.',
    )
    counts.failed = 1
  }
  for (const line of failures(report).slice(0, 50)) console.error(line)
  finish(counts)
}

/** The parsed report, or undefined when the file is absent, cut short or of another shape. */
function read(path) {
  try {
    const parsed = JSON.parse(readFileSync(path, 'utf8'))
    return Array.isArray(parsed?.testResults) ? parsed : undefined
  } catch {
    return undefined
  }
}

/**
 * Counts every test case. A test file that could not be loaded has no cases and is one failure.
 * Skipped, pending, todo and disabled cases are all "skipped": none of them proved anything.
 */
function count({ testResults }) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const file of testResults) {
    const statuses = (file.assertionResults ?? []).map(({ status }) => status)
    for (const status of statuses) {
      counts[status === 'passed' || status === 'failed' ? status : 'skipped'] += 1
    }
    if (file.status === 'failed' && !statuses.includes('failed')) counts.failed += 1
  }
  return counts
}

/** A line for each case that failed, and for each file that failed without one: where, which, why. */
function failures({ testResults }) {
  return testResults.flatMap((file) => {
    const failed = (file.assertionResults ?? []).filter(({ status }) => status === 'failed')
    const cases = failed.map(({ fullName, failureMessages }) => [fullName, failureMessages?.[0]])
    if (file.status === 'failed' && failed.length === 0) cases.push(['(the file)', file.message])
    return cases.map(([name, message]) => {
      const why = String(message ?? '').slice(0, 500)
      return `FAILED ${file.name}: ${name}: ${why.split('\n', 1)[0]}`
    })
  })
}

/** Prints the line and leaves with the matching exit code. */
function finish({ passed, failed, skipped }) {
  const tail = skipped > 0 ? `, ${skipped} skipped` : ''
  console.log(`${passed} passed, ${failed} failed${tail}`)
  process.exitCode = failed > 0 ? 1 : 0
}
