import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import picocolors from 'picocolors'
import { afterAll, describe, expect, it } from 'vitest'
import { runCommand } from './command.ts'

const folder = mkdtempSync(join(tmpdir(), 'replay-'))
afterAll(() => rmSync(folder, { recursive: true }))

const reservation = '{"reservation_id": "AB12CD"}'
const made = (id: string, name: string, content: string) => [
  {
    ...{ role: 'assistant', content: '' },
    toolCalls: [{ id, name, args: { reservation_id: 'AB12CD' } }],
  },
  { role: 'tool', content, toolCallId: id, toolName: name },
]
const careless = {
  ...{ id: 'careless', source: 'desk', domain: 'airline', reward: 0.25 },
  messages: [
    { role: 'user', content: 'hi' },
    ...made('c1', 'cancel_reservation', `${reservation}\u001b[2J`.repeat(9)),
    ...made('c2', 'update_reservation_baggages', 'Error: too late'),
    { role: 'assistant', content: '' },
  ],
}
const careful = {
  ...{ id: 'careful', source: 'bureau', domain: 'airline' },
  messages: [
    { role: 'user', content: 'hi' },
    ...made('c1', 'get_reservation_details', reservation),
    ...made('c2', 'cancel_reservation', reservation),
    { role: 'assistant', content: 'done' },
  ],
}
const violation = (callId: string, tool: string) => ({
  ...{ rule: 'A2-reservation-read-before-write', tool, callId, rejectedByEnvironment: false },
})
const verdicts = {
  id: 'careless',
  violations: [
    violation('c1', 'cancel_reservation'),
    violation('c2', 'update_reservation_baggages'),
  ],
}

function data(name: string, ...lines: unknown[]): string {
  const path = mkdtempSync(join(folder, `${name}-`))
  writeFileSync(
    join(path, 'runs.jsonl'),
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  )
  return path
}

async function run(...args: string[]) {
  const out: string[] = []
  const error: string[] = []
  const code = await runCommand(args, {
    out: (text) => out.push(text),
    error: (text) => error.push(text),
    colors: picocolors.createColors(false),
  })
  const text = out.join('\n').replace(/in \d+\.\d s$/, 'in 0.0 s')
  return { code, out: text, error: error.join('\n') }
}

describe('the command', () => {
  it('says that there is no data, and that this proves nothing', async () => {
    const absent = join(folder, 'absent')
    expect(await run('--data', absent, '--rules', 'read-before-write')).toEqual({
      code: 0,
      out: `skipped: ${absent} is not there, so nothing was replayed or proved.`,
      error: '',
    })
  })

  it('counts by source and prints what was refused beside what had been answered', async () => {
    const path = data('both', careless, careful, verdicts)
    const { code, out } = await run('--data', path, '--rules', 'read-before-write')
    expect(out).toBe(
      [
        'rules: read-before-write (Read the reservation before you cancel or change it.)',
        '',
        'source   runs  turns  steps  calls  judged  refused  differing',
        'desk        1      1      2      2       2        2          ·',
        'bureau      1      1      3      2       1        ·          ·',
        'all         2      2      5      4       3        2          ·',
        '',
        "set aside: 1 messages without text or calls, 0 of the user's own device",
        '',
        'refused, as [message.position] call id, tool, what it is about; and the record:',
        '  careless  reward 0.25',
        '    [1.0] c1  cancel_reservation AB12CD',
        `      had been done: ${`${reservation} [2J`.repeat(9).slice(0, 100)}…`,
        '    [3.0] c2  update_reservation_baggages AB12CD',
        '      had failed: Error: too late',
        '',
        'oracle: 2 violations named',
        '  2 refused here too',
        '  0 named only because it joins results by ids that the run uses again',
        '  0 refused here that it does not name',
        '',
        'every transcript equals its record, but for the results of refused calls',
        '',
        '2 runs in 0.0 s',
      ].join('\n'),
    )
    expect(code).toBe(0)
  })

  it('says of a refusal that it follows from another', async () => {
    const chained = {
      ...careless,
      messages: [
        { role: 'user', content: 'hi' },
        ...made('c1', 'cancel_reservation', reservation),
        ...made('c2', 'update_reservation_baggages', reservation),
      ],
    }
    const { out } = await run('--data', data('chain', chained), '--rules', 'read-before-write')
    expect(out.split('\n').filter((line) => line.includes('only because'))).toEqual([
      '      only because a call before it, whose result showed the same, is refused too',
    ])
  })

  it('refuses nothing without rules, and replays one run if told', async () => {
    const { code, out } = await run('--data', data('one', careless, careful), '--run', 'careful')
    expect(code).toBe(0)
    expect(out).toContain('rules: none')
    expect(out).toContain('every transcript equals its record\n')
    expect(out).toContain('1 runs in')
    expect(out).not.toContain('oracle')
  })

  it('writes the report as JSON', async () => {
    const path = data('json', careless, verdicts)
    const json = join(folder, 'report.json')
    await run('--data', path, '--rules', 'read-before-write', '--json', json)
    const report = JSON.parse(readFileSync(json, 'utf8'))
    expect(report).toMatchObject({
      rules: 'read-before-write',
      total: { runs: 1, turns: 1, steps: 2, calls: 2, judged: 2, refused: 2, differing: 0 },
      setAside: { empty: 1, ofUserDevice: 0 },
      oracle: { named: 2, agreed: 2 },
      totalMs: expect.any(Number),
    })
    expect(report.sources).toHaveLength(1)
    expect(report.refused[1]).toEqual({
      ...{ run: 'careless', reward: 0.25, messageIndex: 3, position: 0, callId: 'c2' },
      ...{ tool: 'update_reservation_baggages', subject: 'AB12CD', onlyAfterRefusal: false },
      skills: ['Read a reservation before you add bags'],
      answered: { content: 'Error: too late', isError: true },
    })
  })

  it('fails when an oracle names what was not refused, without an explanation', async () => {
    const wrong = { id: 'careful', violations: [violation('c2', 'cancel_reservation')] }
    const path = data('wrong', careful, wrong)
    const { code, out } = await run('--data', path, '--rules', 'read-before-write')
    expect(code).toBe(1)
    expect(out).toContain('1 not refused, and not explained')
  })

  it('compares rule by rule where the rules are many', async () => {
    const named = {
      id: 'careless',
      violations: ['A1-user-looked-up-before-write', 'A3-explicit-confirmation']
        .flatMap((rule) => [
          { ...violation('c1', 'cancel_reservation'), rule },
          { ...violation('c2', 'update_reservation_baggages'), rule },
        ])
        .concat(violation('c1', 'cancel_reservation')),
    }
    const path = data('many', careless, named)
    const json = join(folder, 'confusion.json')
    const { code, out } = await run('--data', path, '--rules', 'policies', '--json', json)
    expect(code).toBe(0)
    const lines = out.split('\n')
    expect(lines).toContain('      under: Know the customer first: cancel_reservation')
    expect(lines.filter((line) => line.startsWith('gate and oracle, '))).toHaveLength(2)
    const { confusion, oracle } = JSON.parse(readFileSync(json, 'utf8'))
    expect(oracle).toBeUndefined()
    expect(confusion.tables[0].rows[0]).toMatchObject({
      ...{ rule: 'A1-user-looked-up-before-write', source: 'desk', judged: 2 },
      agreed: [{ callId: 'c1' }, { callId: 'c2' }],
    })
    expect(confusion.kernel).toMatchObject({ onRecord: 2, inKernel: 2, unexplained: [] })
  })

  it('fails when a rule and the oracle of that rule differ, whatever the others say', async () => {
    const named = {
      id: 'careful',
      violations: [
        {
          ...violation('c2', 'cancel_reservation'),
          rule: 'A5-basic-economy-flights-not-modifiable',
        },
      ],
    }
    const path = data('part', careful, named)
    const { code, out } = await run('--data', path, '--rules', 'policies')
    expect(code).toBe(1)
    expect(out).toMatch(/oracle +careful +c2 +cancel_reservation/)
  })

  it('plays tasks, and refuses none of their right calls', async () => {
    const calls = ['pressBrakePedal', 'startEngine'].map((name) => ({
      ...{ name, args: { pedalPosition: 1, ignitionMode: 'START' } },
    }))
    const initialState = { VehicleControlAPI: { doorStatus: { driver: 'locked' } } }
    const task = { id: 'drive', initialState, turns: [{ user: ['go'], calls }] }
    const path = data('tasks', task)
    const { code, out } = await run('--data', path, '--rules', 'policies')
    expect(code).toBe(0)
    expect(out).toMatch(/task-unknown +1 +1 +2 +2 +1 +· +·\n/)
  })

  it('fails when a transcript differs from its record, and shows where', async () => {
    const polluted = JSON.stringify(careful).replace('{"reservation_id"', '{"__proto__"')
    const { code, out } = await run('--data', data('differs', polluted))
    expect(code).toBe(1)
    expect(out).toContain('transcripts that differ from their record:\n  careful, at message 1\n')
  })

  it.each([
    { what: 'a line that is no JSON', lines: [careful, '{'], message: 'runs.jsonl:2 is no JSON' },
    {
      what: 'a line that is no run',
      lines: [careful, '', { id: 'x', messages: [{ role: 'robot', content: '' }] }],
      message: 'runs.jsonl:3 cannot be replayed (messages.0.role)',
    },
  ])('fails at $what, and says where', async ({ lines, message }) => {
    const { code, out, error } = await run('--data', data('bad', ...lines))
    expect(code).toBe(1)
    expect(out).toBe('')
    expect(error).toContain(message)
  })

  it.each([
    { what: 'unknown rules', args: ['--rules', 'constructor'], message: 'no rules "constructor"' },
    { what: 'an unknown run', args: ['--run', 'nobody'], message: 'holds no run nobody' },
    { what: 'an unknown option', args: ['--fast'], message: "'--fast'" },
    {
      what: 'a report that cannot be written',
      args: ['--json', join(folder, 'absent', 'report.json')],
      message: 'cannot be written',
    },
    { what: 'a word too many', args: ['fast'], message: "'fast'" },
  ])('exits 2 for $what, and shows how to call it', async ({ args, message }) => {
    const { code, error } = await run('--data', data('usage', careful), ...args)
    expect(code).toBe(2)
    expect(error).toContain(message)
    expect(error).toContain('Use: npm run replay -- [--data PATH]')
  })

  it('exits 2 for a folder without runs', async () => {
    const { code, error } = await run('--data', data('empty'))
    expect(code).toBe(2)
    expect(error).toContain('holds no runs')
  })
})
