import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findingSeverities } from '../analysis/finding.ts'
import { exitCodes, runCommand } from './run-command.ts'
import { memoryIo } from './testing/memory-io.ts'

const url = new URL('../../test-data/seeded-faults.yaml', import.meta.url)
const text = readFileSync(fileURLToPath(url), 'utf8')

const tools = [
  ['cancel_booking', 'change_booking', 'export_report', 'format_links', 'get_booking', 'greet'],
  ['order', 'pack', 'price', 'quote', 'read_page', 'read_plan', 'refund', 'send_mail', 'ship'],
  ['stock'],
].flat()

/** What is to be found, by what the line at fault says. */
const expected: [code: string, line: string][] = [
  ['NEVER_SELECTED_EQ_EQ', '- *on-slack'],
  ['NEVER_SELECTED_EQ_NEQ', '- state: { path: user.plan, op: eq, value: pro }'],
  ['NEVER_SELECTED_EQ_IN', '- state: { path: user.plan, op: in, value: [pro, team] }'],
  ['NEVER_SELECTED_IN_IN', '- state: { path: user.region, op: in, value: [eu, uk] }'],
  ['NEVER_SELECTED_IN_NEQ', '- state: { path: user.region, op: in, value: [eu, uk] }'],
  ['NEVER_SELECTED_IN_EMPTY', '- state: { path: user.role, op: in, value: [] }'],
  ['NEVER_SELECTED_VALUE_BLOCKS_PATH', '- state: { path: user.name, op: eq, value: Ana }'],
  ['REQUIREMENT_WITHOUT_ACTION_TOOL', 'precondition: [read_page]'],
  ['UNKNOWN_ACTION_TOOL', 'action_tool: cancel_bokking'],
  ['UNKNOWN_REQUIRED_TOOL', '- confirmed_by_user'],
  ['REQUIRES_ITSELF', '- send_mail'],
  ['CIRCLE', 'precondition: [price, *on-slack]'],
  ['REQUIRES_DEAD_TOOL', 'precondition: [read_plan, quote]'],
  ['CIRCLE_NEVER_CLOSES', '- pack'],
  ['DUPLICATE_LABEL', '- label: Know the user'],
  ['DUPLICATE_RULE', '- label: Page and plan'],
  ['SHADOWED_RULE', '- label: Read before a change on Slack'],
  ['BINDS_NOTHING', '- label: Tone'],
]

describe('the set of skills with seeded faults', () => {
  it('has exactly the findings that were seeded, each at its line', async () => {
    const io = memoryIo({ 'seeded.yaml': text })
    const args = ['lint', 'seeded.yaml', '--json', '--tools', tools.join()]
    expect(await runCommand(args, io)).toBe(exitCodes.findings)
    const report = JSON.parse(io.output())
    const lines = text.split('\n').map((line) => line.trim())
    expect(
      report.findings.map((finding: { code: string; line: number }) => [
        finding.code,
        lines[finding.line - 1],
      ]),
    ).toEqual(expected)
    // Each stands in the part of the file that is headed by its code.
    const headings = lines.map((line) => /^# ([A-Z_]+)/.exec(line)?.[1])
    for (const { code, line } of report.findings) {
      expect(headings.slice(0, line).findLast((heading) => heading !== undefined)).toBe(code)
    }
    expect(report).toMatchObject({ ok: false, errors: 13, warnings: 5, skills: 24 })
  })

  it('says where each finding was seeded', () => {
    const seeded = text.split('\n').flatMap((line) => /^ {2}# ([A-Z_]+)/.exec(line)?.[1] ?? [])
    expect(seeded).toEqual(expected.map(([code]) => code))
  })

  it('misses only what a file of a few lines cannot show', () => {
    const codes = new Set(expected.map(([code]) => code))
    const missing = Object.keys(findingSeverities).filter((code) => !codes.has(code))
    expect(missing).toEqual(['CIRCLE_UNDECIDED'])
  })

  it('has sound skills when the faults are gone', async () => {
    const sound = `- { label: Read first, action_tool: refund, precondition: [get_booking] }`
    const io = memoryIo({ 'sound.yaml': sound })
    const args = ['lint', 'sound.yaml', '--strict', '--tools', tools.join()]
    expect(await runCommand(args, io)).toBe(exitCodes.success)
    expect(io.output()).toBe('No findings in 1 skill of 1 file.\n')
  })
})
