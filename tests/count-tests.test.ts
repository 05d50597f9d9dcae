import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { run } from './support/run.ts'

const folder = mkdtempSync(join(tmpdir(), 'count-tests-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const file = (status: string, ...cases: string[]) => ({
  status,
  assertionResults: cases.map((status) => ({ status })),
})

const rows: { what: string; report: unknown; line: string; status: number }[] = [
  {
    what: 'all passed',
    report: { success: true, testResults: [file('passed', 'passed'), file('passed', 'passed')] },
    line: '2 passed, 0 failed',
    status: 0,
  },
  {
    what: 'skipped, pending, todo and disabled all count as skipped',
    report: {
      success: true,
      testResults: [file('passed', 'passed', 'skipped', 'pending', 'todo', 'disabled')],
    },
    line: '1 passed, 0 failed, 4 skipped',
    status: 0,
  },
  {
    what: 'one failed',
    report: { success: false, testResults: [file('failed', 'passed', 'failed', 'skipped')] },
    line: '1 passed, 1 failed, 1 skipped',
    status: 1,
  },
  {
    what: 'a file that could not be loaded is a failure',
    report: { success: false, testResults: [file('passed', 'passed'), file('failed')] },
    line: '1 passed, 1 failed',
    status: 1,
  },
  {
    what: 'a failing hook among passed tests is a failure',
    report: { success: false, testResults: [file('failed', 'passed')] },
    line: '1 passed, 1 failed',
    status: 1,
  },
  {
    what: 'an error outside of any test is a failure',
    report: { success: false, testResults: [file('passed', 'passed')] },
    line: '1 passed, 1 failed',
    status: 1,
  },
  {
    what: 'a run without tests is a failure',
    report: { success: true, testResults: [] },
    line: '0 passed, 1 failed',
    status: 1,
  },
  { what: 'a report of another shape', report: [], line: '0 passed, 1 failed', status: 1 },
]

describe('the closing line of .ci/run', () => {
  it.each(rows)('$what: $line', async ({ report, line, status }) => {
    const path = join(folder, 'report.json')
    writeFileSync(path, JSON.stringify(report))
    const finished = await run('node', ['.ci/count-tests.mjs', path])
    expect(finished).toMatchObject({ status, stdout: `${line}\n` })
  })

  it('stands below the names of what failed, and why', async () => {
    const path = join(folder, 'failures.json')
    const failed = { status: 'failed', fullName: 'a kernel answers', failureMessages: ['No.\nat'] }
    const testResults = [
      { ...file('failed', 'passed'), name: 'hook.test.ts', message: 'The hook threw.\nat' },
      { status: 'failed', name: 'kernel.test.ts', assertionResults: [failed] },
    ]
    writeFileSync(path, JSON.stringify({ success: false, testResults }))
    const { stderr, stdout } = await run('node', ['.ci/count-tests.mjs', path])
    expect(stderr.trimEnd().split('\n')).toEqual([
      'FAILED hook.test.ts: (the file): The hook threw.',
      'FAILED kernel.test.ts: a kernel answers: No.',
    ])
    expect(stdout).toBe('1 passed, 2 failed\n')
  })

  it.each([
    { what: 'a missing report', path: join(folder, 'absent.json') },
    { what: 'a report cut short', path: cutShort() },
    { what: 'no path at all', path: undefined },
  ])('$what is a failure and is explained', async ({ path }) => {
    const args = ['.ci/count-tests.mjs', ...(path === undefined ? [] : [path])]
    const finished = await run('node', args)
    expect(finished).toMatchObject({ status: 1, stdout: '0 passed, 1 failed\n' })
    expect(finished.stderr).toContain('No readable test report')
  })
})

function cutShort(): string {
  const path = join(folder, 'cut.json')
  writeFileSync(path, '{ "testResults": [')
  return path
}
