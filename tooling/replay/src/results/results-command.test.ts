import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import picocolors from 'picocolors'
import { afterAll, describe, expect, it } from 'vitest'
import { runCommand } from '../command.ts'

const folder = mkdtempSync(join(tmpdir(), 'replay-results-'))
afterAll(() => rmSync(folder, { recursive: true }))

const page = JSON.stringify(
  Array.from({ length: 300 }, (_, index) => ({ id: `row-${index}`, title: `Row ${index}` })),
)
const look = (id: string) => [
  { role: 'assistant', content: '', toolCalls: [{ id, name: 'look', args: { page: id } }] },
  { role: 'tool', toolCallId: id, toolName: 'look', content: page },
]
const run = {
  id: 'pages',
  domain: 'mcp-shop',
  policyRef: 'policies/given/shop.md',
  messages: [
    { role: 'user', content: 'Look at it.' },
    ...['p1', 'p2', 'p3'].flatMap(look),
    { role: 'assistant', content: 'Done.' },
  ],
}

/** A data folder with one file of runs, and the policy they name. */
function data(...lines: unknown[]): string {
  const path = mkdtempSync(join(folder, 'data-'))
  for (const name of ['tau-trajectories', 'policies']) mkdirSync(join(path, name))
  writeFileSync(join(path, 'policies', 'shop.md'), 'Be kind. '.repeat(600))
  writeFileSync(
    join(path, 'tau-trajectories', 'runs.jsonl'),
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  )
  return path
}

async function results(...args: string[]) {
  const [out, error]: [string[], string[]] = [[], []]
  const code = await runCommand(['results', ...args], {
    out: (text) => out.push(text),
    error: (text) => error.push(text),
    colors: picocolors.createColors(false),
  })
  return { code, out: out.join('\n'), error: error.join('\n') }
}

describe('the command for results', () => {
  it('says that there is no data, and that this proves nothing', async () => {
    const absent = join(folder, 'absent')
    const { code, out } = await results('--data', absent)
    expect(code).toBe(0)
    expect(out).toBe(`skipped: ${absent} is not there, so nothing was replayed or proved.`)
  })

  it('prints a row for each population and writes the figures', async () => {
    const json = join(folder, 'report.json')
    const { code, out } = await results('--data', data(run, { violations: [] }, ''), '--json', json)
    expect(out).toMatch(/^mcp +1 +4 /m)
    expect(out).toMatch(/^all +1 +4 /m)
    expect(code).toBe(0)
    const { policy, rows } = JSON.parse(readFileSync(json, 'utf8'))
    expect(policy).toBe('symfonic result-policy')
    expect(rows[0].saved).toBeGreaterThan(0.5)
  })

  it.each([
    { args: ['--run', 'pages'], code: 0, complaint: '' },
    { args: ['--run', 'ghost'], code: 2, complaint: 'holds no run ghost' },
    { args: ['--rules', 'none'], code: 2, complaint: "'--rules'" },
    { args: ['--json', join(folder, 'absent', 'x.json')], code: 2, complaint: 'cannot be written' },
  ])('ends with $code for $args', async ({ args, code, complaint }) => {
    const outcome = await results('--data', data(run), ...args)
    expect(outcome.code).toBe(code)
    expect(outcome.error).toContain(complaint)
    if (code === 2) expect(outcome.error).toContain('Use: npm run replay -- results')
  })

  it.each([
    { line: '{', complaint: 'runs.jsonl:1 is no JSON' },
    { line: { messages: [{ role: 'oracle' }] }, complaint: 'runs.jsonl:1 cannot be replayed' },
  ])('ends with 1 where the data is malformed: $complaint', async ({ line, complaint }) => {
    const { code, error } = await results('--data', data(line))
    expect(code).toBe(1)
    expect(error).toContain(complaint)
  })
})
