import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { defineSkill } from '../define-skill.ts'
import { loadSkillFrontMatter, readSkillFrontMatter } from './read-skill-file.ts'

const ruled = `---
name: cancel-booking
description: "How to cancel a booking: read it first."
license: Apache-2.0
allowed-tools: Read Bash(git:*)
metadata:
  author: someone
  version: "1.0"
  symfonic:
    action_tool: cancel_booking
    precondition:
      - get_booking
      - state: { path: page_context.platform, op: in, value: [web, slack] }
    importance: 5
    steps: [read it, cancel it]
    source_tag: authored:bookings
---

# Cancelling

Read the booking.
`

describe('a skill file', () => {
  it('gives its front matter, its body and its skill', () => {
    const file = loadSkillFrontMatter(ruled)
    expect(file.frontMatter).toMatchObject({
      name: 'cancel-booking',
      license: 'Apache-2.0',
      metadata: { author: 'someone', version: '1.0' },
    })
    expect(file.body).toBe('\n# Cancelling\n\nRead the booking.\n')
    expect(file.skill).toEqual(
      defineSkill({
        label: 'cancel-booking',
        content: '# Cancelling\n\nRead the booking.',
        actionTool: 'cancel_booking',
        precondition: [
          'get_booking',
          { state: { path: 'page_context.platform', op: 'in', value: ['web', 'slack'] } },
        ],
        importance: 5,
        steps: ['read it', 'cancel it'],
        sourceTag: 'authored:bookings',
      }),
    )
  })

  it('is the same with a byte order mark, CRLF and white space after the fences', () => {
    const windows = `\ufeff${ruled.replaceAll('---\n', '--- \t\n').replaceAll('\n', '\r\n')}`
    const { frontMatter, skill } = loadSkillFrontMatter(windows)
    expect(frontMatter).toEqual(loadSkillFrontMatter(ruled).frontMatter)
    expect(skill?.precondition).toEqual(loadSkillFrontMatter(ruled).skill?.precondition)
  })

  it('says where its skill stands', () => {
    expect(readSkillFrontMatter(ruled).position).toEqual({
      index: 0,
      line: 10,
      column: 5,
      label: { line: 2, column: 7 },
      actionTool: { line: 10, column: 18 },
      tools: [{ line: 12, column: 9 }],
      predicates: [{ line: 13, column: 9 }],
    })
  })

  it.each([
    ['no metadata', 'name: a\ndescription: b\n'],
    ['other metadata', 'name: a\nmetadata: {version: "1.0"}\n'],
    ['metadata that is a text', 'name: a\nmetadata: none\n'],
    ['an empty place for it', 'name: a\nmetadata: {symfonic: }\n'],
    ['common words at the top', 'name: a\nsteps: [x]\nimportance: high\nlabel: [b]\ncontent: 1\n'],
  ])('with %s carries no skill', (_, yaml) => {
    const file = loadSkillFrontMatter(`---\n${yaml}---\nbody`)
    expect(Object.keys(file)).toEqual(['frontMatter', 'body'])
    expect(file.frontMatter['name']).toBe('a')
  })

  it.each([
    ['nothing between the fences', '---\n---\nbody'],
    ['a comment between the fences', '---\n# later\n---\nbody'],
  ])('with %s has empty front matter', (_, text) => {
    expect(loadSkillFrontMatter(text)).toEqual({ frontMatter: {}, body: 'body' })
  })

  it('with an empty body has a skill without content', () => {
    const text = '---\nname: a\nmetadata: {symfonic: {precondition: b}}\n---\n\n'
    expect(loadSkillFrontMatter(text).skill).not.toHaveProperty('content')
  })

  it('is frozen', () => {
    const file = loadSkillFrontMatter(ruled)
    const { metadata } = file.frontMatter
    expect([file, file.frontMatter, metadata, file.skill].every(Object.isFrozen)).toBe(true)
  })
})

/** Rows: the front matter, and each fault as `line:column code keyPath`. */
const faultyFiles: [name: string, yaml: string, ...faults: string[]][] = [
  [
    'a bad operator',
    'name: a\nmetadata:\n  symfonic:\n    precondition:\n      - state: {path: p, op: is}\n',
    '6:30 PREDICATE_UNKNOWN_OPERATOR metadata.symfonic.precondition[0].state.op',
  ],
  ['no name', 'metadata:\n  symfonic: {action_tool: t}\n', '3:13 PREFLIGHT_VALUE_REQUIRED name'],
  [
    'a name that is no text',
    'name: 5\nmetadata:\n  symfonic: {action_tool: t}\n',
    '2:7 PREFLIGHT_VALUE_INVALID name',
  ],
  [
    'a label and content of its own',
    'name: a\nmetadata: {symfonic: {label: b, content: c}}\n',
    '3:23 PREFLIGHT_UNKNOWN_KEY metadata.symfonic.label',
    '3:33 PREFLIGHT_UNKNOWN_KEY metadata.symfonic.content',
  ],
  [
    'an unknown key',
    'name: a\nmetadata: {symfonic: {tool: b}}\n',
    '3:23 PREFLIGHT_UNKNOWN_KEY metadata.symfonic.tool',
  ],
  [
    'a text in place of a skill',
    'name: a\nmetadata: {symfonic: "yes"}\n',
    '3:22 PREFLIGHT_OBJECT_REQUIRED metadata.symfonic',
  ],
  [
    'a list in place of a skill',
    'name: a\nmetadata: {symfonic: [b]}\n',
    '3:22 PREFLIGHT_OBJECT_REQUIRED metadata.symfonic',
  ],
  [
    'a rule at the top',
    'name: a\naction_tool: b\nprecondition: [c]\n',
    '3:1 PREFLIGHT_UNKNOWN_KEY action_tool',
    '4:1 PREFLIGHT_UNKNOWN_KEY precondition',
  ],
  [
    'a rule at the top, in camel case',
    'actionTool: b\nsymfonic: {}\n',
    '2:1 PREFLIGHT_UNKNOWN_KEY actionTool',
    '3:1 PREFLIGHT_UNKNOWN_KEY symfonic',
  ],
  [
    'a rule under metadata',
    'name: a\nmetadata:\n  precondition: [c]\n',
    '4:3 PREFLIGHT_UNKNOWN_KEY metadata.precondition',
  ],
  ['broken syntax', 'name: a\ndescription: b: c\n', '3:14 PREFLIGHT_YAML_SYNTAX '],
  ['a key twice', 'name: a\nname: b\n', '3:1 PREFLIGHT_YAML_DUPLICATE_KEY name'],
  ['a number without end', 'name: a\nversion: .inf\n', '3:10 PREFLIGHT_YAML_NUMBER version'],
  [
    'a date by tag',
    'name: a\nmetadata:\n  created: !!timestamp 2026-04-19\n',
    '4:12 PREFLIGHT_YAML_TAG metadata.created',
  ],
  [
    'an unknown alias as skill',
    'name: a\nmetadata: {symfonic: *gone}\n',
    '3:22 PREFLIGHT_YAML_ALIAS metadata.symfonic',
  ],
  ['a list', '- name: a\n', '2:1 PREFLIGHT_FRONT_MATTER_REQUIRED '],
  ['a text', 'name\n', '2:1 PREFLIGHT_FRONT_MATTER_REQUIRED '],
]

describe('faults of a skill file', () => {
  it.each(faultyFiles)('%s has a line, a column, a code and a key path', (_, yaml, ...expected) => {
    const reading = readSkillFrontMatter(`---\n${yaml}---\nbody`)
    expect(
      reading.faults.map(
        ({ line, column, code, keyPath }) => `${line}:${column} ${code} ${keyPath}`,
      ),
    ).toEqual(expected)
    expect(reading.skill).toBeUndefined()
    expect(reading.body).toBe('body')
  })

  it('leave front matter readable when it is the skill that is at fault', () => {
    const text = '---\nname: a\nmetadata: {symfonic: {tool: b}}\n---\n'
    expect(readSkillFrontMatter(text).frontMatter).toMatchObject({ name: 'a' })
    expect(readSkillFrontMatter('---\nname: *gone\n---\n').frontMatter).toBeUndefined()
  })

  it('inside an aliased skill point there, and say where it is used', () => {
    const text = '---\n.s: &s {action_tool: 5}\nname: a\nmetadata: {symfonic: *s}\n---\n'
    expect(readSkillFrontMatter(text).faults).toMatchObject([
      {
        line: 2,
        column: 22,
        keyPath: 'metadata.symfonic.action_tool',
        usedAt: { line: 4, column: 22 },
      },
    ])
  })

  it.each([
    ['no front matter', 'body only\n', 'PREFLIGHT_FRONT_MATTER_REQUIRED', 'Make it the first line'],
    [
      'a blank line first',
      '\n---\nname: a\n---\n',
      'PREFLIGHT_FRONT_MATTER_REQUIRED',
      'first line',
    ],
    ['no end', '---\nname: a\n', 'PREFLIGHT_FRONT_MATTER_REQUIRED', 'Close it with a line of ---'],
    ['a list', '---\n- a\n---\n', 'PREFLIGHT_FRONT_MATTER_REQUIRED', 'got a list'],
    ['broken syntax', '---\na: [\n---\n', 'PREFLIGHT_YAML_SYNTAX', 'skill.md:'],
    [
      'a bad skill',
      '---\nname: a\nmetadata: {symfonic: 5}\n---\n',
      'PREFLIGHT_SKILL_INVALID',
      'A skill is a mapping',
    ],
    [
      'a huge file',
      `---\nname: a\n---\n${' '.repeat(1_048_576)}`,
      'PREFLIGHT_YAML_TOO_LARGE',
      'Split it',
    ],
  ])('throw once: %s', (_, text, code, words) => {
    expect(() => loadSkillFrontMatter(text, { fileName: 'skill.md' })).toThrow(
      expect.objectContaining({
        code,
        message: expect.stringContaining(words),
        details: { faults: readSkillFrontMatter(text).faults, fileName: 'skill.md' },
      }),
    )
  })

  it.each([undefined, null, 5, ['---'], {}])(
    'begin with a text: %j is refused by name',
    (given) => {
      for (const read of [loadSkillFrontMatter, readSkillFrontMatter]) {
        expect(() => read(given as unknown as string)).toThrow(
          expect.objectContaining({ code: 'PREFLIGHT_TEXT_REQUIRED' }),
        )
      }
    },
  )
})

const data = new URL('../../../../../shared/data/skill-files/skills.jsonl', import.meta.url)
const present = existsSync(data)

interface RecordedFile {
  id: string
  frontMatterRaw: string
  frontMatter: Record<string, unknown>
  bodyHead: string
}

const files = (present ? readFileSync(data, 'utf8').trim().split('\n') : []).map(
  (line) => JSON.parse(line) as RecordedFile,
)

describe.skipIf(!present)('skill files that people have published', () => {
  it('all load, and carry what another YAML reader found in them', () => {
    expect(files.length).toBeGreaterThan(0)
    console.log(`skill files: the front matter of ${files.length} is read`)
    for (const { id, frontMatterRaw, frontMatter, bodyHead } of files) {
      for (const lineEnd of ['\n', '\r\n']) {
        const text = `---\n${frontMatterRaw}\n---\n${bodyHead}`.replaceAll(/\r?\n/g, lineEnd)
        const file = loadSkillFrontMatter(text, { fileName: id })
        expect(withoutLastLineBreaks(file.frontMatter), id).toEqual(
          withoutLastLineBreaks(frontMatter),
        )
        expect(file.skill, id).toBeUndefined()
        expect(file.body, id).toBe(bodyHead.replaceAll(/\r?\n/g, lineEnd))
      }
    }
  })

  it('all become rules when one is added under metadata', () => {
    for (const { id, frontMatter } of files) {
      const metadata = {
        ...(frontMatter['metadata'] as object),
        symfonic: { action_tool: 'act', precondition: ['look'] },
      }
      // JSON is YAML, so this is front matter too.
      const text = `---\n${JSON.stringify({ ...frontMatter, metadata }, null, 2)}\n---\nbody`
      const { skill } = loadSkillFrontMatter(text, { fileName: id })
      expect(skill, id).toMatchObject({
        label: frontMatter['name'],
        actionTool: 'act',
        precondition: { tools: ['look'] },
      })
    }
  })
})

/** The other reader was not given the line break before the closing fence. */
function withoutLastLineBreaks(frontMatter: object): object {
  return Object.fromEntries(
    Object.entries(frontMatter).map(([key, value]) => [
      key,
      typeof value === 'string' ? value.trimEnd() : value,
    ]),
  )
}
