import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { PreflightError } from '../errors.ts'
import { loadSkillFrontMatter } from './read-skill-file.ts'
import { loadSkillsFromYaml } from './read-skills.ts'

// Whatever a file holds, it loads or is refused by a PreflightError and changes nothing else. No time is taken,
// yet work that grew much faster than a text does would not come to its end before the test is given up.

const valid = `.on-slack: &on-slack
  state: { path: page_context.platform, op: eq, value: slack }
skills:
  - label: "Slack \\"links\\""
    action_tool: format_links
    importance: 3
    steps: [look, 'write']
    precondition: [*on-slack, get_integration_status]
  - <<: { source_tag: 'authored:team' }
    content: >-
      folded
      text
    label: |
      block
    precondition:
      - tool: memory_read
      - state:
          path: slack.user_name
          op: in
          value: [1, 2.5, null, {a: b}]
`

describe('random text', () => {
  it('loads or is refused by name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => expectTame(text)),
      { numRuns: 300 },
    )
  })

  it('of the signs of YAML loads or is refused by name', () => {
    const sign = fc.constantFrom(
      ...[
        '- ',
        ': ',
        ':',
        '? ',
        '[',
        ']',
        '{',
        '}',
        ',',
        '&a ',
        '*a',
        '!!str ',
        '!',
        '|',
        '>',
        '"',
        "'",
      ],
      ...[
        '\n',
        '\n  ',
        '\t',
        ' ',
        '#',
        '%',
        '@',
        '`',
        '---\n',
        '...\n',
        '<<',
        'a',
        'label',
        'skills',
        '\\',
      ],
      ...['\r\n', '\ufeff', '\0', '\u2028', '1', '.inf', '__proto__'],
    )
    fc.assert(
      fc.property(fc.array(sign, { maxLength: 60 }), (signs) => expectTame(signs.join(''))),
      { numRuns: 600 },
    )
  })
})

describe('a valid file', () => {
  it('loads', () => {
    expect(loadSkillsFromYaml(valid)).toHaveLength(2)
  })

  it('loads or is refused by name after any small change', () => {
    const change = fc.record({
      from: fc.nat(valid.length),
      length: fc.nat(12),
      to: fc.oneof(
        fc.string({ maxLength: 6 }),
        fc.constantFrom('\n', '  ', '*', '&x ', '"', ': ', '- ', '\t'),
      ),
    })
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        let text = valid
        for (const { from, length, to } of changes) {
          text = text.slice(0, from) + to + text.slice(from + length)
        }
        expectTame(text)
      }),
      { numRuns: 500 },
    )
  })

  it('loads or is refused by name wherever it is cut off', () => {
    for (let end = 0; end <= valid.length; end += 1) expectTame(valid.slice(0, end))
  })
})

const folder = new URL('../../../../../shared/data/', import.meta.url)

describe.each([
  'naughty-strings/strings.jsonl',
  'hostile-objects/payloads.jsonl',
  'prompt-injection/texts.jsonl',
])('texts of %s', (file) => {
  const url = new URL(file, folder)
  const present = existsSync(url)
  const texts = (present ? readFileSync(url, 'utf8').trim().split('\n') : []).map(
    (line) => (JSON.parse(line) as { text: string }).text,
  )

  it.skipIf(!present)(
    'as a file, a value, a key or an anchor, are refused by name if at all',
    () => {
      expect(texts.length).toBeGreaterThan(20)
      for (const text of texts) {
        expectTame(text)
        expectTame(`- label: ${text}\n  action_tool: t\n`)
        expectTame(`- label: a\n  ${text}: b\n`)
        expectTame(`- label: a\n  precondition: [{state: {path: p, op: eq, value: ${text}}}]\n`)
        expectTame(`.x: &${text} 1\nskills: [{label: *${text}}]\n`)
      }
    },
  )

  it.skipIf(!present)('come back as they are when they are written as YAML', () => {
    for (const text of texts.filter((text) => text.trim() !== '')) {
      const source = [
        {
          label: text,
          content: text,
          steps: [text],
          precondition: [{ state: { path: 'p', op: 'eq', value: { [text]: text } } }],
        },
      ]
      for (const written of [stringify(source), JSON.stringify(source)]) {
        const [skill] = loadSkillsFromYaml(written)
        expect(skill).toMatchObject({ label: text, content: text, steps: [text] })
        const value = skill?.precondition.predicates[0]?.value
        expect(Object.entries(value as object)).toEqual([[text, text]])
      }
    }
  })
})

describe('files made to be slow', () => {
  const bomb = (levels: number, width: number) =>
    Array.from({ length: levels }, (_, n) =>
      n === 0
        ? '.l0: &l0 lol'
        : `.l${n}: &l${n} [${Array(width)
            .fill(`*l${n - 1}`)
            .join(', ')}]`,
    ).join('\n')

  it.each([
    ['a billion laughs', `${bomb(10, 10)}\nskills: *l9\n`],
    ['more laughs', `${bomb(50, 20)}\nskills: *l49\n`],
    ['five megabytes', '- label: a\n'.repeat(500_000)],
    ['five megabytes of brackets', '['.repeat(5_000_000)],
    ['a megabyte of brackets', '['.repeat(1_000_000)],
    ['a megabyte of dashes', '- '.repeat(500_000)],
    ['a megabyte of braces', '{a: '.repeat(250_000)],
    ['many documents', '---\n'.repeat(250_000)],
  ])('such as %s are refused', (_, text) => {
    expect(failureOf(() => loadSkillsFromYaml(text))).toMatchObject({
      code: expect.stringMatching(/^PREFLIGHT_YAML_(?:TOO_LARGE|SYNTAX)$/),
    })
  })

  const lines = (count: number, line: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => line(n)).join('\n')

  it.each([
    [
      'a large mapping merged 600 times',
      `.a: &a {${lines(200, (n) => ` k${n}: ,`)} }\n.b:\n${lines(600, () => '- <<: *a')}\nskills: []`,
    ],
    [
      'a long list of conditions on 300 skills',
      `.p: &p\n${lines(100, (n) => `- { state: { path: a.b${n}, op: eq, value: ${n} } }`)}\n` +
        `skills:\n${lines(300, (n) => `- { label: L${n}, action_tool: t, precondition: *p }`)}`,
    ],
    [
      'a long chain of merges',
      `.a0: &a0 { k0: 1 }\n${lines(600, (n) => `.a${n + 1}: &a${n + 1} { <<: *a${n}, k${n}: 1 }`)}`,
    ],
  ])('such as a small one with %s are refused for their copies', (_, text) => {
    expect(text.length).toBeLessThan(25_000)
    expect(failureOf(() => loadSkillsFromYaml(text))).toMatchObject({
      code: 'PREFLIGHT_YAML_TOO_LARGE',
      message: expect.stringContaining('aliases'),
    })
  })

  it.each([
    ['keys', 'a: 1\n'.repeat(200_000)],
    ['commas', `[${','.repeat(1_000_000)}`],
    ['mistakes', `- "${'\\d'.repeat(500_000)}"`],
    ['unknown aliases', '- *a\n'.repeat(200_000)],
  ])('such as a megabyte of %s are refused in few words', (_, text) => {
    const error = failureOf(() => loadSkillsFromYaml(text))
    expect(error).toBeInstanceOf(PreflightError)
    expect((error as PreflightError).message.length).toBeLessThan(2_000)
  })

  it('such as many uses of one faulty rule are refused', () => {
    const uses = '- {label: a, precondition: *p}\n'.repeat(24)
    const text = `.p: &p [${'1, '.repeat(800)}]\nskills:\n${uses}`
    const error = failureOf(() => loadSkillsFromYaml(text))
    expect(error).toMatchObject({ code: 'PREFLIGHT_SKILL_INVALID' })
  })
})

describe('large files of honest skills', () => {
  it('may share predicates and defaults among a thousand', () => {
    const predicate = (path: string) => `{ state: { path: ${path}, op: in, value: [a, b] } }`
    const text =
      `.slack: &slack ${predicate('page.platform')}\n.plan: &plan ${predicate('account.plan')}\n` +
      '.team: &team { importance: 2, source_tag: authored, steps: [look, write] }\nskills:\n' +
      Array.from(
        { length: 1_000 },
        (_, n) =>
          `- { <<: *team, label: L${n}, action_tool: t${n}, precondition: [*slack, *plan, get] }`,
      ).join('\n')
    const skills = loadSkillsFromYaml(text)
    expect(skills).toHaveLength(1_000)
    expect(skills.at(-1)).toMatchObject({ importance: 2, label: 'L999' })
    expect(skills.at(-1)?.precondition.predicates).toHaveLength(2)
  })

  it('may be a thousand, written out as people write them', () => {
    const text = `skills:\n${Array.from(
      { length: 1_000 },
      (_, n) =>
        `  - label: Rule ${n}\n    content: Why the rule is there, in a sentence of about the usual length.\n    action_tool: tool_${n}\n    importance: ${n}\n    precondition:\n      - get_${n}\n      - state: { path: page_context.platform, op: in, value: [slack, web] }\n`,
    ).join('')}`
    expect(loadSkillsFromYaml(text)).toHaveLength(1_000)
  })
})

function expectTame(text: string): void {
  const before = Object.getOwnPropertyNames(Object.prototype).length
  for (const load of [
    () => loadSkillsFromYaml(text),
    () => loadSkillFrontMatter(text),
    () => loadSkillFrontMatter(`---\n${text}\n---\n`),
  ]) {
    const error = failureOf(load)
    if (error !== undefined && !(error instanceof PreflightError)) {
      throw new Error(`not a PreflightError for ${JSON.stringify(text)}`, { cause: error })
    }
  }
  expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(before)
}

/** What a load throws, or undefined when it succeeds. */
function failureOf(load: () => unknown): unknown {
  try {
    load()
    return undefined
  } catch (error) {
    return error
  }
}
