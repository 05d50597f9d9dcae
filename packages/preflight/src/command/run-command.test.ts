import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exitCodes, runCommand } from './run-command.ts'
import { memoryIo } from './testing/memory-io.ts'

const rules = `
- label: Read first
  action_tool: cancel
  precondition: [read]
- label: Know who
  action_tool: read
  precondition: [find_user]
- label: Slack
  action_tool: format
  precondition: [{ state: { path: page.platform, op: eq, value: slack } }]
- label: Tone
`

const circle = `
- { label: A, action_tool: a, precondition: [b] }
- { label: B, action_tool: b, precondition: [a] }
`

const skillFile = `---
name: cancel-booking
metadata:
  symfonic:
    action_tool: cancel
    precondition: [cancel]
---
Read it first.
`

const files = {
  'rules.yaml': rules,
  'rules.json': '[{ "label": "Read first", "action_tool": "cancel", "precondition": ["read"] }]',
  'circle.yaml': circle,
  'broken.yaml': '- label: A\n  action_tool: [a]\n- labl: B\n- label: C\n  action_tool: c\n',
  'syntax.yaml': '- label: "A\n',
  'almost.json': '[{ label: Read first }] # YAML',
  'empty.yaml': '# none yet\n',
  'skills/one/SKILL.md': skillFile,
  'skills/two/SKILL.md': '---\nname: two\n---\nNothing of ours.\n',
  'none/readme.txt': '',
  'slack.json': '{ "page": { "platform": "slack" } }',
  'state.json': '{}',
  'tools.json': '{ "tools": [{ "name": "cancel" }, { "name": "read" }] }',
}

async function run(args: string[], more: Record<string, string> = {}, isColoured = false) {
  const io = memoryIo({ ...files, ...more }, { isColoured })
  const code = await runCommand(args, io)
  return { code, output: io.output(), errors: io.errors() }
}

describe('preflight lint', () => {
  it.each<[string, string[], number]>([
    ['for a sound file', ['circle.yaml', 'rules.yaml'].slice(1), exitCodes.success],
    ['for warnings alone', ['rules.yaml'], exitCodes.success],
    ['for warnings when strict', ['rules.yaml', '--strict'], exitCodes.findings],
    ['for a JSON file', ['rules.json', '--strict'], exitCodes.success],
    ['for an error of rules', ['circle.yaml'], exitCodes.findings],
    ['for a fault of shape', ['broken.yaml'], exitCodes.findings],
    ['for a fault of syntax', ['syntax.yaml'], exitCodes.findings],
    ['for a .json file that is only YAML', ['almost.json'], exitCodes.findings],
    ['for no skills at all', ['empty.yaml', '--strict'], exitCodes.success],
    ['for unknown tools', ['rules.yaml', '--tools', 'tools.json'], exitCodes.findings],
    [
      'for known tools',
      ['rules.yaml', '--tools', 'cancel,read,find_user,format'],
      exitCodes.success,
    ],
    ['for a folder', ['skills/'], exitCodes.findings],
    ['for a file that is not there', ['gone.yaml'], exitCodes.problem],
    ['for a folder without skill files', ['none/'], exitCodes.problem],
    ['for tools that are not there', ['rules.yaml', '--tools', 'gone.json'], exitCodes.problem],
    ['for tools given twice', ['rules.yaml', '--tools=a', '--tools=b'], exitCodes.problem],
    ['for nothing', [], exitCodes.problem],
  ])('ends right %s: %j with %i', async (_, args, code) => {
    const result = await run(['lint', ...args])
    expect(result.code).toBe(code)
    expect(result.errors === '').toBe(code !== exitCodes.problem)
    expect(result.output === '').toBe(code === exitCodes.problem)
    // The same with --json, whose whole answer is on the standard output.
    const json = await run(['lint', ...args, '--json'])
    expect(json).toMatchObject({ code, errors: '' })
    expect(JSON.parse(json.output).ok).toBe(code === exitCodes.success)
  })

  it('reports for people, each finding at its place', async () => {
    expect((await run(['lint', 'circle.yaml', 'broken.yaml'])).output).toBe(
      [
        'circle.yaml:2:46 error CIRCLE',
        '  Skills "A", "B": `a` needs `b` needs `a`. None of these tools can ever be called. Remove one of the requirements.',
        '  see circle.yaml:3:3',
        '',
        'broken.yaml:2:16 error PREFLIGHT_VALUE_INVALID',
        '  action_tool: Got a list. Write a text.',
        '',
        'broken.yaml:3:3 error PREFLIGHT_UNKNOWN_KEY',
        '  labl: A skill has no such key. Use label, content, action_tool, precondition, importance, steps, source_tag.',
        '',
        'broken.yaml:3:3 error PREFLIGHT_VALUE_REQUIRED',
        '  label: A skill needs a label. Give it a short name.',
        '',
        '4 errors in 3 skills of 2 files.',
        '',
      ].join('\n'),
    )
  })

  it('sets off place, severity and summary', async () => {
    const { output } = await run(['lint', 'rules.yaml'], {}, true)
    expect(output).toContain('<bold:rules.yaml:11:3> <yellow:warning> <dim:BINDS_NOTHING>')
    expect(output).toContain('<green:1 warning in 4 skills of 1 file.>')
    expect((await run(['lint', 'circle.yaml'], {}, true)).output).toContain('<red:1 error in')
  })

  it('takes all files for one set, a file named twice for one', async () => {
    const first = '- { label: A, action_tool: a, precondition: [b] }'
    const second = '- { label: B, action_tool: b, precondition: [a] }'
    const more = { 'one.yaml': first, 'two.yaml': second }
    expect((await run(['lint', 'one.yaml'], more)).code).toBe(exitCodes.success)
    const both = await run(['lint', 'one.yaml', 'two.yaml', 'one.yaml', '--json'], more)
    expect(JSON.parse(both.output)).toEqual({
      command: 'lint',
      ok: false,
      errors: 1,
      warnings: 0,
      files: ['one.yaml', 'two.yaml'],
      skills: 2,
      findings: [
        {
          code: 'CIRCLE',
          severity: 'error',
          file: 'one.yaml',
          line: 1,
          column: 46,
          message: expect.stringContaining('`a` needs `b` needs `a`'),
          tools: ['a', 'b'],
          skills: [
            { label: 'A', file: 'one.yaml', line: 1, column: 3 },
            { label: 'B', file: 'two.yaml', line: 1, column: 3 },
          ],
        },
      ],
    })
  })

  it('still checks the rules of sound skills when others have faults', async () => {
    const { output } = await run(['lint', 'broken.yaml', 'circle.yaml', '--json'])
    expect(JSON.parse(output).findings.map(({ code }: { code: string }) => code)).toEqual([
      'PREFLIGHT_VALUE_INVALID',
      'PREFLIGHT_UNKNOWN_KEY',
      'PREFLIGHT_VALUE_REQUIRED',
      'CIRCLE',
    ])
  })

  it('names key, skill and place of a fault of shape in JSON', async () => {
    const { output } = await run(['lint', 'broken.yaml', '--json'])
    expect(JSON.parse(output).findings[0]).toEqual({
      code: 'PREFLIGHT_VALUE_INVALID',
      severity: 'error',
      file: 'broken.yaml',
      line: 2,
      column: 16,
      message: 'Got a list. Write a text.',
      key_path: 'action_tool',
      skills: [{ label: 'A', file: 'broken.yaml', line: 2, column: 16 }],
    })
  })

  it('finds the skill files of a folder, rule-bearing or not', async () => {
    const { output } = await run(['lint', 'skills/', '--json'])
    expect(JSON.parse(output)).toMatchObject({
      files: ['skills/one/SKILL.md', 'skills/two/SKILL.md'],
      skills: 1,
      findings: [{ code: 'REQUIRES_ITSELF', file: 'skills/one/SKILL.md', line: 6 }],
    })
  })

  it('reads the standard input', async () => {
    const { code, output } = await run(['lint', '-'], { '-': circle })
    expect(code).toBe(exitCodes.findings)
    expect(output).toContain('-:2:46 error CIRCLE')
  })

  it.each([
    ['a skill file', skillFile, 'REQUIRES_ITSELF'],
    ['one with a byte order mark', `\ufeff${skillFile}`, 'REQUIRES_ITSELF'],
    ['one with a list first', skillFile.replace('name:', 'tags:\n- a\nname:'), 'REQUIRES_ITSELF'],
    ['YAML after a line of dashes', `---${circle}`, 'CIRCLE'],
    [
      'two YAML documents',
      `---\n# all of them\n${circle}---\n${circle}`,
      'PREFLIGHT_YAML_DOCUMENTS',
    ],
    ['two of the other shape', '---\nskills: []\n---\nskills: []\n', 'PREFLIGHT_YAML_DOCUMENTS'],
  ])('reads %s on the standard input as what it is', async (_, input, finding) => {
    const { code, output } = await run(['lint', '-', '--json'], { '-': input })
    expect(code).toBe(exitCodes.findings)
    expect(JSON.parse(output)).toMatchObject({ findings: [{ code: finding, file: '-' }] })
  })

  it('says where a file that should be JSON stops being it', async () => {
    const { output } = await run(['lint', 'almost.json'])
    expect(output).toContain('almost.json:1:4 error PREFLIGHT_JSON_SYNTAX')
    expect(output).toContain('Correct it, or name the file .yaml.')
  })

  it('prints nothing of a hostile file or file name that a terminal would act upon', async () => {
    const evil = '\u001b[2J\u202e\u0007\u009b'
    const name = `x${evil}.yaml`
    const text = JSON.stringify([
      { label: `A\n${evil}`, action_tool: 'a', precondition: ['a'] },
      { label: `B${evil}`, [`key${evil}`]: 1 },
      { label: 'C', action_tool: evil },
      {
        label: `A\n${evil}`,
        action_tool: 'c',
        precondition: [{ state: { path: `p${evil}q`, op: 'in', value: [] } }],
      },
    ])
      .replaceAll('\u001b', '\\u001b')
      .replaceAll('\u0007', '\\u0007')
    const args = ['lint', name, '--tools', `x${evil}`]
    for (const result of [
      await run(args, { [name]: text }),
      await run([...args, '--json'], { [name]: text }),
    ]) {
      expect(result.code).toBe(exitCodes.findings)
      expect(result.output.length).toBeGreaterThan(500)
      expect(result.output).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
    }
    const missing = await run(['lint', `gone${evil}`])
    expect(missing.errors).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u)
    expect(missing.errors.split('\n')).toHaveLength(2)
  })
})

describe('preflight lint, given any text', () => {
  const pieces = [
    '- ',
    'label: ',
    'action_tool: ',
    'precondition: ',
    '[',
    ']',
    '{',
    '}',
    ',',
    '\n',
    '  ',
  ]
  const more = [
    '&a ',
    '*a',
    'state: ',
    'path: ',
    'op: ',
    'value: ',
    'a',
    '"',
    '---\n',
    '<<: ',
    '!!x ',
  ]
  const text = fc
    .array(
      fc.oneof(fc.constantFrom(...pieces, ...more), fc.string({ unit: 'binary', maxLength: 4 })),
    )
    .map((parts) => parts.join(''))

  it.each(['any.yaml', 'any.json', 'any/SKILL.md'])('ends with a report on %s', async (name) => {
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        const { code, output, errors } = await run(['lint', name, '--json'], { [name]: content })
        expect(errors).toBe('')
        const { findings } = JSON.parse(output)
        expect(code).toBe(findings.some(isError) ? exitCodes.findings : exitCodes.success)
        for (const finding of findings) expect(finding.line).toBeGreaterThan(0)
      }),
      { numRuns: 150 },
    )
  })

  const isError = ({ severity }: { severity: string }) => severity === 'error'
})

describe('preflight explain', () => {
  it('says which skills take part, and why others do not', async () => {
    const { code, output } = await run(['explain', 'rules.yaml', '--state', 'state.json'])
    expect(code).toBe(exitCodes.success)
    expect(output).toBe(
      [
        '3 of 4 skills take part in this state.',
        '  takes part  Read first: read before cancel',
        '  takes part  Know who: find_user before read',
        '  takes part  Tone (no action tool)',
        "  left out    skill `Slack` dropped this turn: state predicate `page.platform` eq `'slack'` -> False (state value: <missing>)",
        '',
        'Were a first action forced, it would be find_user.',
        '',
      ].join('\n'),
    )
  })

  it('plans the way to a tool that is refused', async () => {
    const args = ['explain', 'rules.yaml', '--state', 'slack.json', '--tool', 'cancel']
    const { output } = await run(args)
    expect(output).toContain('4 of 4 skills take part')
    expect(output).toContain('Slack: format before the answer')
    expect(output).toContain(
      'cancel is refused now. The model is told:\n  The call to `cancel` was',
    )
    expect(output).toContain(
      'in this order:\n  1. find_user (wanted by Know who)\n  2. read (wanted by Read first)\n',
    )
  })

  it.each<[string, string[], string]>([
    ['what was called', ['--tool', 'cancel', '--called', 'find_user'], 'order:\n  1. read (wanted'],
    [
      'all that was called',
      ['--tool', 'cancel', '--called', 'find_user,read'],
      'cancel is allowed now.',
    ],
    ['a tool that no skill is about', ['--tool', 'other'], 'other is allowed now.'],
  ])('takes account of %s', async (_, args, expected) => {
    const { output } = await run(['explain', 'rules.yaml', '--state', 'state.json', ...args])
    expect(output).toContain(expected)
  })

  it('names a circle', async () => {
    const { code, output } = await run([
      'explain',
      'circle.yaml',
      '--state',
      'state.json',
      '--tool',
      'a',
    ])
    expect(code).toBe(exitCodes.success)
    expect(output).toContain('each for the next:\n  - a (wanted by B)\n  - b (wanted by A)\n')
    expect(output).not.toContain('Were a first action forced')
  })

  it('answers in JSON', async () => {
    const args = ['explain', 'rules.yaml', '--state', 'state.json', '--tool', 'cancel', '--json']
    const report = JSON.parse((await run(args)).output)
    expect(report).toEqual({
      command: 'explain',
      ok: true,
      active: [
        {
          label: 'Read first',
          action_tool: 'cancel',
          requires: ['read'],
          file: 'rules.yaml',
          line: 2,
          column: 3,
        },
        {
          label: 'Know who',
          action_tool: 'read',
          requires: ['find_user'],
          file: 'rules.yaml',
          line: 5,
          column: 3,
        },
        { label: 'Tone', action_tool: null, requires: [], file: 'rules.yaml', line: 11, column: 3 },
      ],
      dropped: [
        {
          label: 'Slack',
          action_tool: 'format',
          requires: [],
          file: 'rules.yaml',
          line: 8,
          column: 3,
          predicate: { path: 'page.platform', op: 'eq', expected: 'slack', found: false },
          reason: expect.stringContaining('skill `Slack` dropped this turn'),
        },
      ],
      first_action: 'find_user',
      tool: {
        name: 'cancel',
        allowed: false,
        refusal: expect.stringContaining('The call to `cancel` was refused'),
        reachable: true,
        steps: [
          { tool: 'find_user', skills: ['Know who'] },
          { tool: 'read', skills: ['Read first'] },
        ],
      },
    })
  })

  it('answers in JSON for a circle, and without a tool', async () => {
    const args = ['explain', 'circle.yaml', '--state', '-', '--json']
    const input = { '-': '{}' }
    expect(JSON.parse((await run(args, input)).output)).toMatchObject({ first_action: null })
    expect(JSON.parse((await run([...args, '--tool', 'a'], input)).output).tool).toMatchObject({
      allowed: false,
      reachable: false,
      circle: [
        { tool: 'a', skills: ['B'] },
        { tool: 'b', skills: ['A'] },
      ],
    })
  })
})

describe('preflight render', () => {
  it('prints the very bytes that a model reads', async () => {
    const { code, output } = await run(['render', 'rules.json', '--state', 'state.json'])
    expect(code).toBe(exitCodes.success)
    expect(output).toBe(
      [
        '## ENFORCED PRE-FLIGHT RULES',
        '- YOU MUST call `read` BEFORE calling `cancel` (skill: Read first).',
        '- DO NOT call `cancel` until `read` has been called successfully since the last user message.',
        '',
      ].join('\n'),
    )
  })

  it('depends on the state', async () => {
    const [slack, other] = await Promise.all(
      ['slack.json', 'state.json'].map((state) => run(['render', 'rules.yaml', '--state', state])),
    )
    expect(slack?.output).toContain('`format` BEFORE answering (skill: Slack)')
    expect(other?.output).not.toContain('format')
  })

  it('says so, elsewhere, when there is no rule', async () => {
    expect(await run(['render', 'empty.yaml', '--state', 'state.json'])).toEqual({
      code: exitCodes.success,
      output: '',
      errors: 'preflight: no skill with an action tool takes part in this state.\n',
    })
  })

  it('answers in JSON', async () => {
    const { output } = await run(['render', 'empty.yaml', '--state', 'state.json', '--json'])
    expect(JSON.parse(output)).toEqual({ command: 'render', ok: true, block: '' })
  })
})

describe.each(['explain', 'render'])('preflight %s', (command) => {
  it('lists the faults of files instead of answering from what is left', async () => {
    const args = [command, 'broken.yaml', '--state', 'state.json']
    const { code, output } = await run(args)
    expect(code).toBe(exitCodes.findings)
    expect(output).toContain('broken.yaml:2:16 error PREFLIGHT_VALUE_INVALID')
    expect(output).not.toContain('skills take part')
    const json = JSON.parse((await run([...args, '--json'])).output)
    expect(json).toMatchObject({ command, ok: false })
    expect(json.findings).toHaveLength(3)
  })

  it.each<[string, Record<string, string>, string]>([
    [
      'is not there',
      {},
      'The state gone.json cannot be read: there is no such file. Name a JSON file.',
    ],
    ['is not JSON', { 'gone.json': '{a: 1}' }, 'The state gone.json is not JSON'],
    ['is no object', { 'gone.json': '[]' }, 'The state gone.json must be an object, got a list'],
  ])('has a problem with a state that %s', async (_, more, problem) => {
    const result = await run([command, 'rules.yaml', '--state', 'gone.json'], more)
    expect(result).toMatchObject({ code: exitCodes.problem, output: '' })
    expect(result.errors).toContain(`preflight: ${problem}`)
  })
})

describe('preflight', () => {
  it('helps', async () => {
    const { code, output, errors } = await run(['--help'])
    expect({ code, errors }).toEqual({ code: exitCodes.success, errors: '' })
    for (const word of ['lint', 'explain', 'render', '--tools', '--strict', '--json', 'NO_COLOR']) {
      expect(output).toContain(word)
    }
    expect(output.split('\n').every((line) => line.length <= 100)).toBe(true)
  })

  it('says its version', async () => {
    expect(await run(['-v'])).toEqual({ code: exitCodes.success, output: '1.2.3\n', errors: '' })
  })

  it('says what is wrong with the arguments, in JSON when that was asked for', async () => {
    expect(await run(['lnt'])).toEqual({
      code: exitCodes.problem,
      output: '',
      errors: 'preflight: There is no command "lnt". Use one of lint, explain, render.\n',
    })
    const { code, output } = await run(['lnt', '--json'])
    expect(code).toBe(exitCodes.problem)
    expect(JSON.parse(output)).toEqual({
      ok: false,
      problem: 'There is no command "lnt". Use one of lint, explain, render.',
    })
  })
})
