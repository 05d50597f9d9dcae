import { existsSync, readFileSync } from 'node:fs'
import { evaluatePrecondition } from '@symfonic/predicates'
import { describe, expect, it } from 'vitest'
import { parseSkills } from '../define-skill.ts'
import { PreflightError } from '../errors.ts'
import { loadSkillsFromYaml, readSkillsFromYaml } from './read-skills.ts'

const file = new URL('../../../../../shared/spec/vectors.json', import.meta.url)
const present = existsSync(file)

interface Vector {
  id: string
  kind: string
  title: string
  input: { yaml: string }
  expected: { preconditions: unknown[] }
}

const vectors = (present ? JSON.parse(readFileSync(file, 'utf8')).vectors : []) as Vector[]
const ofYaml = vectors.filter(({ kind }) => kind === 'yaml.loadSkills')

describe.skipIf(!present)('the conformance vectors of the kind yaml.loadSkills', () => {
  it('number two', () => {
    expect(ofYaml.map(({ id }) => id)).toEqual(['V-SKILL-004', 'V-SKILL-005'])
  })

  it.each(ofYaml)('$id $title', ({ input, expected }) => {
    const skills = loadSkillsFromYaml(input.yaml)
    const sources = expected.preconditions.map((precondition) => ({ label: 'x', precondition }))
    expect(skills.map(({ precondition }) => precondition)).toEqual(
      parseSkills(sources).map(({ precondition }) => precondition),
    )
  })
})

describe('the shape of a file', () => {
  const loaded = [{ label: 'one', precondition: { tools: ['a'], predicates: [] } }]

  it.each([
    ['a list', '- label: one\n  precondition: [a]\n'],
    ['a mapping with skills', 'skills:\n  - label: one\n    precondition: a\n'],
    ['a list that is not indented', 'skills:\n- label: one\n  precondition: a\n'],
    ['helper keys', '.x: &x a\n.y: {z: [1]}\nskills: [{label: one, precondition: [*x]}]\n.w: 1\n'],
    ['JSON', '{"skills": [{"label": "one", "precondition": ["a"]}]}'],
    [
      'JSON indented with tabs',
      JSON.stringify([{ label: 'one', precondition: ['a'] }], null, '\t'),
    ],
    ['a byte order mark and CRLF', '\ufeff- label: one\r\n  precondition:\r\n    - a\r\n'],
    [
      'marks around the document',
      '%YAML 1.2\n---\n# first\n- {label: one, precondition: [a]}\n...\n',
    ],
    ['a list that is an alias', '.all: &all [{label: one, precondition: a}]\nskills: *all\n'],
    ['a skill that is an alias', '.one: &one {label: one, precondition: a}\nskills: [*one]\n'],
    ['tags that change nothing', '- !!map {label: !!str one, precondition: !!seq [! a]}\n'],
  ])('may be %s', (_, text) => {
    expect(loadSkillsFromYaml(text)).toMatchObject(loaded)
  })

  it.each([
    ['nothing', ''],
    ['white space', ' \n\n'],
    ['comments', '# one\n# two\n'],
    ['a byte order mark', '\ufeff'],
    ['an empty document', '---\n...\n'],
    ['null', 'null\n'],
    ['an empty list', '[]'],
    ['an empty skills', '.a: 1\nskills:\n'],
  ])('of %s holds no skills', (_, text) => {
    expect(loadSkillsFromYaml(text)).toEqual([])
  })

  it('takes keys as on the wire and as in code', () => {
    const [wire, code] = loadSkillsFromYaml(
      [
        '- {label: a, action_tool: t, source_tag: s, content: c, importance: 2, steps: [one, two]}',
        '- {label: a, actionTool: t, sourceTag: s, content: c, importance: 2, steps: [one, two]}',
      ].join('\n'),
    )
    expect(wire).toEqual(code)
    expect(wire).toEqual({
      label: 'a',
      actionTool: 't',
      sourceTag: 's',
      content: 'c',
      importance: 2,
      steps: ['one', 'two'],
      precondition: { tools: [], predicates: [] },
    })
  })

  it('gives frozen skills in the order of the file', () => {
    const skills = loadSkillsFromYaml('- {label: b}\n- {label: a, steps: [x]}\n')
    expect(skills.map(({ label }) => label)).toEqual(['b', 'a'])
    expect([skills, ...skills, ...skills.map(({ steps }) => steps)].every(Object.isFrozen)).toBe(
      true,
    )
  })

  it.each([
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['bytes', new Uint8Array([45]), 'an object'],
    ['a number', 5, 'a number'],
    ['a list of lines', ['- label: a'], 'a list'],
    ['a text object', Object('- label: a'), 'an object'],
  ])('is a text: %s is refused by name', (_, given, received) => {
    for (const read of [loadSkillsFromYaml, readSkillsFromYaml]) {
      expect(() => read(given as string)).toThrow(
        expect.objectContaining({ code: 'PREFLIGHT_TEXT_REQUIRED', details: { received } }),
      )
    }
  })
})

describe('values are those of JSON', () => {
  it.each([
    ['yes', 'yes'],
    ['no', 'no'],
    ['on', 'on'],
    ['Off', 'Off'],
    ['y', 'y'],
    ['2024-01-31', '2024-01-31'],
    ['2024-01-31T10:00:00Z', '2024-01-31T10:00:00Z'],
    ['12:30:45', '12:30:45'],
    ['1_000', '1_000'],
    ['0x1F', 31],
    ['0o17', 15],
    ['017', 17],
    ['1e3', 1000],
    ['-0.5', -0.5],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['1e21', 1e21],
    ['true', true],
    ['False', false],
    ['~', null],
    ['"1"', '1'],
    ['!!str 1', '1'],
    ['!!int 1', 1],
    ['!!float 1.0', 1],
    ['!!null', null],
    ['{a: [1, {}]}', { a: [1, {}] }],
    ['"\\ud83d\\ude00"', '😀'],
    ['"<<"', '<<'],
  ])('%s', (written, value) => {
    const [skill] = loadSkillsFromYaml(
      `- label: a\n  precondition:\n    - state: {path: p, op: eq, value: ${written}}\n`,
    )
    expect(skill?.precondition.predicates[0]?.value).toEqual(value)
  })

  it('of several lines come as YAML folds them', () => {
    const [skill] = loadSkillsFromYaml(
      '- label: >-\n    one\n    two\n  content: |\n    a\n      b\n  steps:\n    - "x\n      y"\n',
    )
    expect(skill).toMatchObject({ label: 'one two', content: 'a\n  b\n', steps: ['x y'] })
  })
})

describe('anchors and merge keys', () => {
  it('share one predicate among skills, mixed with tool names', () => {
    const text = `
.on-slack: &on-slack
  state: { path: page_context.platform, op: eq, value: slack }
.known-user: &known-user
  state: { path: slack.user_name, op: exists }
skills:
  - label: Memory in shared channels
    action_tool: memory_write
    precondition: [memory_read, *on-slack, *known-user]
  - label: Slack links
    action_tool: format_links
    precondition: [*on-slack]
`
    const skills = loadSkillsFromYaml(text)
    const holdIn = (state: unknown) =>
      skills.map(({ precondition }) => evaluatePrecondition(precondition, state))
    expect(skills.map(({ precondition }) => precondition.tools)).toEqual([['memory_read'], []])
    expect(holdIn({ page_context: { platform: 'slack' }, slack: { user_name: 'ada' } })).toEqual([
      true,
      true,
    ])
    expect(holdIn({ page_context: { platform: 'slack' } })).toEqual([false, true])
    expect(holdIn({ page_context: { platform: 'web' } })).toEqual([false, false])
  })

  it('may be used by a thousand skills', () => {
    const uses = Array.from({ length: 1_000 }, (_, n) => `- {label: s${n}, precondition: [*p, t]}`)
    const text = `.p: &p {state: {path: a, op: eq, value: 1}}\nskills:\n${uses.join('\n')}`
    expect(loadSkillsFromYaml(text)).toHaveLength(1_000)
  })

  it('bring in what a skill does not say itself, the earlier source first', () => {
    const text = `
.base: &base { action_tool: base_tool, importance: 1, content: base }
.more: &more { importance: 2, content: more, source_tag: more }
skills:
  - { <<: *base, label: one, content: own }
  - { label: two, content: own, <<: *base }
  - { <<: [*more, *base, { steps: [x] }], label: three }
`
    expect(loadSkillsFromYaml(text)).toMatchObject([
      { label: 'one', actionTool: 'base_tool', importance: 1, content: 'own' },
      { label: 'two', actionTool: 'base_tool', importance: 1, content: 'own' },
      { actionTool: 'base_tool', importance: 2, content: 'more', sourceTag: 'more', steps: ['x'] },
    ])
  })
})

/** Rows: the text, and each fault as `line:column code keyPath`. */
const faultyFiles: [name: string, text: string, ...faults: string[]][] = [
  [
    'an operator',
    '- label: a\n  precondition: [{state: {path: p, op: is}}]',
    '2:40 PREDICATE_UNKNOWN_OPERATOR 0 precondition[0].state.op',
  ],
  [
    'a missing operator',
    '- label: a\n  precondition:\n  - x\n  - state:\n      path: p\n',
    '5:7 PREDICATE_OPERATOR_REQUIRED 0 precondition[1].state.op',
  ],
  [
    'an operator left out',
    '- label: a\n  precondition:\n  - state:\n      path: p\n      op:\n',
    '5:7 PREDICATE_UNKNOWN_OPERATOR 0 precondition[0].state.op',
  ],
  [
    'a missing list',
    '- label: a\n  precondition:\n    - state: {path: p, op: in, value: slackweb}',
    '3:39 PREDICATE_LIST_REQUIRED 0 precondition[0].state.value',
  ],
  [
    'a single entry',
    '- label: a\n  precondition: {state: {path: p, op: exists}}',
    '2:17 PREDICATE_SHAPE 0 precondition',
  ],
  [
    'an unknown key of a predicate',
    '- label: a\n  precondition: [{state: {path: p, op: exists, "no such": 1}}]',
    '2:48 PREDICATE_UNKNOWN_KEY 0 precondition[0].state["no such"]',
  ],
  ['a tool name', '- label: a\n  action_tool: " "\n', '2:16 PREDICATE_TOOL_NAME 0 action_tool'],
  ['an unknown key', '- label: a\n  when: never\n', '2:3 PREFLIGHT_UNKNOWN_KEY 0 when'],
  [
    'an unknown key that looks like a path',
    '- label: a\n  precondition: [x]\n  precondition[0]: 1\n  "": 2\n',
    '3:3 PREFLIGHT_UNKNOWN_KEY 0 ["precondition[0]"]',
    '4:3 PREFLIGHT_UNKNOWN_KEY 0 [""]',
  ],
  [
    'a key in both spellings',
    '- label: a\n  action_tool: t\n  actionTool: t\n',
    '3:3 PREFLIGHT_KEY_TWICE 0 actionTool',
  ],
  ['a missing label', '- label: a\n- content: b\n', '2:3 PREFLIGHT_VALUE_REQUIRED 1 label'],
  ['a label left out', '- label:\n  content: b\n', '1:3 PREFLIGHT_VALUE_REQUIRED 0 label'],
  ['a label that is a number', '- label: 12\n', '1:10 PREFLIGHT_VALUE_INVALID 0 label'],
  [
    'steps that are no texts',
    '- label: a\n  steps:\n    - one\n    - two: 2\n    - 3\n',
    '4:7 PREFLIGHT_VALUE_INVALID 0 steps[1]',
    '5:7 PREFLIGHT_VALUE_INVALID 0 steps[2]',
  ],
  [
    'skills that are no mappings',
    'skills:\n  - a\n  - \n  - []\n',
    '2:5 PREFLIGHT_OBJECT_REQUIRED 0 ',
    '3:5 PREFLIGHT_OBJECT_REQUIRED 1 ',
    '4:5 PREFLIGHT_OBJECT_REQUIRED 2 ',
  ],
  ['a key twice', '- label: a\n  label: b\n', '2:3 PREFLIGHT_YAML_DUPLICATE_KEY 0 label'],
  [
    'a key twice in JSON',
    '[{"label": "a",\n"precondition": [{"tool": "t", "tool": "u"}]}]',
    '2:32 PREFLIGHT_YAML_DUPLICATE_KEY 0 precondition[0].tool',
  ],
  [
    'a key twice in a helper',
    '.a: {b: 1, b: 2}\nskills: []\n',
    '1:12 PREFLIGHT_YAML_DUPLICATE_KEY - [".a"].b',
  ],
  ['skills twice', 'skills: []\nskills: []\n', '2:1 PREFLIGHT_YAML_DUPLICATE_KEY - skills'],
  [
    'a merge key twice',
    '.a: &a {importance: 1}\nskills:\n- label: x\n  <<: *a\n  <<: *a\n',
    '5:3 PREFLIGHT_YAML_DUPLICATE_KEY 0 ["<<"]',
  ],
  [
    'a merge of no mapping',
    '- label: x\n  <<: [{importance: 1}, 5]\n',
    '2:7 PREFLIGHT_YAML_MERGE 0 ["<<"]',
  ],
  ['a merge that leaves the label open', '- <<: text\n', '1:7 PREFLIGHT_YAML_MERGE 0 ["<<"]'],
  ['a merge of an unknown anchor', '- <<: *gone\n', '1:7 PREFLIGHT_YAML_ALIAS 0 ["<<"]'],
  [
    'a quoted merge key',
    '- label: a\n  "<<": {importance: 1}\n',
    '2:3 PREFLIGHT_UNKNOWN_KEY 0 ["<<"]',
  ],
  [
    'an unknown anchor',
    '- label: a\n  precondition: [x, *gone]\n',
    '2:21 PREFLIGHT_YAML_ALIAS 0 precondition[1]',
  ],
  [
    'an anchor that comes later',
    '- label: *l\n- label: &l a\n',
    '1:10 PREFLIGHT_YAML_ALIAS 0 label',
  ],
  [
    'an alias inside what it names',
    '- &a\n  label: a\n  steps: [*a]\n',
    '3:11 PREFLIGHT_YAML_ALIAS 0 steps[0]',
  ],
  ['a tag', '- label: a\n  content: !!binary aGVsbG8=\n', '2:12 PREFLIGHT_YAML_TAG 0 content'],
  ['a tag that runs code', '- label: !!js/function "() => 1"\n', '1:10 PREFLIGHT_YAML_TAG 0 label'],
  [
    'a tag on a list, after an anchor',
    '- label: a\n  steps: &s !!set\n    # here\n    [x]\n',
    '2:13 PREFLIGHT_YAML_TAG 0 steps',
  ],
  [
    'a tag that does not fit',
    '- label: a\n  importance: !!int many\n',
    '2:15 PREFLIGHT_YAML_TAG 0 importance',
  ],
  ['a date by tag', '.t: !!timestamp 2024-01-31\nskills: []\n', '1:5 PREFLIGHT_YAML_TAG - [".t"]'],
  ['a tag without a handle', '- label: !e!x a\n', '1:10 PREFLIGHT_YAML_TAG - '],
  [
    'a number that is none',
    '- label: a\n  precondition:\n  - state: {path: p, op: eq, value: .nan}\n  - state: {path: p, op: in, value: [-.inf]}\n',
    '3:37 PREFLIGHT_YAML_NUMBER 0 precondition[0].state.value',
    '4:38 PREFLIGHT_YAML_NUMBER 0 precondition[1].state.value[0]',
  ],
  [
    'a number without end',
    '- label: a\n  importance: 1e999\n',
    '2:15 PREFLIGHT_YAML_NUMBER 0 importance',
  ],
  [
    'a number with too many digits',
    '- label: a\n  precondition: [{state: {path: order_id, op: eq, value: 90071992547409931}}]\n',
    '2:58 PREFLIGHT_YAML_NUMBER 0 precondition[0].state.value',
  ],
  ['one skill', 'label: a\nprecondition: [b]\n', '1:1 PREFLIGHT_LIST_REQUIRED - '],
  ['a text', 'skills\n', '1:1 PREFLIGHT_LIST_REQUIRED - '],
  ['skills that are no list', 'skills:\n  a: 1\n', '2:3 PREFLIGHT_LIST_REQUIRED - skills'],
  ['only helper keys', '.a: 1\n', '1:1 PREFLIGHT_LIST_REQUIRED - '],
  [
    'other keys',
    'version: 1\nskills: []\nskill: []\n',
    '1:1 PREFLIGHT_UNKNOWN_KEY - version',
    '3:1 PREFLIGHT_UNKNOWN_KEY - skill',
  ],
  ['a second document', '- label: a\n---\n- label: b\n', '2:1 PREFLIGHT_YAML_DOCUMENTS - '],
  ['a second document without content', '- label: a\n---\n', '2:1 PREFLIGHT_YAML_DOCUMENTS - '],
  [
    'keys of the prototype',
    '- label: a\n  __proto__: {importance: 5}\n  constructor: x\n',
    '2:3 PREFLIGHT_UNKNOWN_KEY 0 __proto__',
    '3:3 PREFLIGHT_UNKNOWN_KEY 0 constructor',
  ],
  [
    'a prototype in place of a value',
    '- __proto__: {label: a}\n',
    '1:3 PREFLIGHT_UNKNOWN_KEY 0 __proto__',
    '1:3 PREFLIGHT_VALUE_REQUIRED 0 label',
  ],
  [
    'a line after a byte order mark and CRLF',
    '\ufeff- label: 1\r\n- label: 2\r\n',
    '1:10 PREFLIGHT_VALUE_INVALID 0 label',
    '2:10 PREFLIGHT_VALUE_INVALID 1 label',
  ],
  [
    'a column after a wide character',
    '- {label: "😀", importance: x}',
    '1:29 PREFLIGHT_VALUE_INVALID 0 importance',
  ],
]

describe('faults', () => {
  it.each(faultyFiles)('%s has a line, a column, a code and a key path', (_, text, ...expected) => {
    const found = readSkillsFromYaml(text).faults.map(
      ({ line, column, code, index, keyPath }) =>
        `${line}:${column} ${code} ${index ?? '-'} ${keyPath}`,
    )
    expect(found).toEqual(expected)
  })

  it('all come at once, whatever their kind, in the order of the lines', () => {
    const text = `
.bad: &bad { state: { path: p, op: eqq } }
skills:
  - label: one
    precondition: [*bad, *gone]
  - label: two
    label: three
    importance: high
  - label: four
    content: !!binary aGk=
    wrong: 1
other: 1
`
    const { faults, skills } = readSkillsFromYaml(text)
    expect(faults.map(({ line, column, label }) => [`${line}:${column}`, label])).toEqual([
      ['2:36', 'one'],
      ['5:26', 'one'],
      ['7:5', 'two'],
      ['8:17', 'two'],
      ['10:14', 'four'],
      ['11:5', 'four'],
      ['12:1', undefined],
    ])
    expect(skills).toEqual([])
    expect(Object.isFrozen(faults) && faults.every(Object.isFrozen)).toBe(true)
  })

  it('inside an aliased value point there, and say where each skill uses it', () => {
    const text =
      '.p: &p\n  state: {path: a, op: eqq}\nskills:\n- {label: a, precondition: [*p]}\n- <<: {precondition: [*p]}\n  label: b\n'
    expect(readSkillsFromYaml(text).faults).toMatchObject([
      { line: 2, column: 24, index: 0, usedAt: { line: 4, column: 29 } },
      { line: 2, column: 24, index: 1, usedAt: { line: 5, column: 23 } },
    ])
  })

  it('of what a merge key brought in say where it did', () => {
    const text = '.d: &d {importance: x}\nskills:\n- label: a\n  <<: *d\n'
    expect(readSkillsFromYaml(text).faults).toMatchObject([
      { line: 1, column: 21, keyPath: 'importance', usedAt: { line: 4, column: 7 } },
    ])
  })

  it('of one skill leave the others readable, with their places', () => {
    const { skills, positions, faults } = readSkillsFromYaml(
      '- label: a\n- label: 1\n- label: c\n  importance: !!int x\n- label: d\n',
    )
    expect(skills.map(({ label }) => label)).toEqual(['a', 'd'])
    expect(positions).toMatchObject([
      { index: 0, line: 1, column: 3 },
      { index: 3, line: 5, column: 3 },
    ])
    expect(faults).toHaveLength(2)
  })

  it('of a value that could not be read are not reported twice', () => {
    const text =
      '- label: *gone\n  action_tool: !!binary ""\n  importance: *gone\n  precondition: [*gone, {state: *gone}]\n'
    expect(readSkillsFromYaml(text).faults.map(({ code }) => code)).toEqual([
      'PREFLIGHT_YAML_ALIAS',
      'PREFLIGHT_YAML_TAG',
      'PREFLIGHT_YAML_ALIAS',
      'PREFLIGHT_YAML_ALIAS',
      'PREFLIGHT_YAML_ALIAS',
    ])
  })

  it('are listed to a limit, and then it is said that there are more', () => {
    const { faults } = readSkillsFromYaml('- 1\n'.repeat(3_000))
    expect(faults).toHaveLength(1_001)
    expect(faults[999]).toMatchObject({ line: 1_000, code: 'PREFLIGHT_OBJECT_REQUIRED' })
    expect(faults[1_000]).toMatchObject({ line: 1_001, code: 'PREFLIGHT_YAML_TOO_MANY_FAULTS' })
  })
})

describe('loading a file with faults', () => {
  it.each([
    ['only skills are at fault', '- label: 1\n', 'PREFLIGHT_SKILL_INVALID'],
    ['the shape is at fault', 'skill: []\n', 'PREFLIGHT_SKILL_INVALID'],
    ['there are too many faults of skills', '- 1\n'.repeat(2_000), 'PREFLIGHT_SKILL_INVALID'],
    ['the YAML is at fault as well', '- label: 1\n- label: *gone\n', 'PREFLIGHT_YAML_SYNTAX'],
    ['the syntax is broken', '- label: "a\n', 'PREFLIGHT_YAML_SYNTAX'],
    ['the file is too large', ' '.repeat(1_048_577), 'PREFLIGHT_YAML_TOO_LARGE'],
  ])('throws once, with the code for when %s', (_, text, code) => {
    const { faults } = readSkillsFromYaml(text)
    expect(() => loadSkillsFromYaml(text)).toThrow(
      expect.objectContaining({ name: 'PreflightError', code, details: { faults } }),
    )
  })

  it('says where each fault is, in a form that editors follow', () => {
    const text = '- label: Slack links\n  precondition: [{state: {path: p, op: is}}]\n- 5\n'
    const message = messageOf(() => loadSkillsFromYaml(text, { fileName: 'rules.yaml' }))
    expect(message).toBe(
      [
        'rules.yaml has 2 faults. Correct them and load the file again:',
        '- rules.yaml:2:40 skill 0 (Slack links), precondition[0].state.op: Operator "is" does not exist. Use "eq".',
        '- rules.yaml:3:3 skill 1: Got a number. Write an object with a label.',
      ].join('\n'),
    )
  })
})

function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof PreflightError) return error.message
  }
  throw new Error('expected a PreflightError')
}
