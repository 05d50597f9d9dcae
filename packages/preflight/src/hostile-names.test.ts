import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defineSkill, parseSkills } from './define-skill.ts'
import { indexByActionTool, judgeCall } from './gate.ts'
import { buildRulesBlock } from './rules-block.ts'
import { filterSkillsByStatePredicates } from './select-skills.ts'
import type { Skill } from './skill.ts'

// Labels and tool names that try to become something else: a rule, a heading, a code span, a line.
// Skills are put together by hand here, so that names reach the text which `defineSkill` refuses.

const folder = new URL('../../../../shared/data/', import.meta.url)
const files = [
  'naughty-strings/strings.jsonl',
  'hostile-objects/payloads.jsonl',
  'prompt-injection/texts.jsonl',
]

describe.each(files)('texts of %s', (file) => {
  const url = new URL(file, folder)
  const present = existsSync(url)
  const texts = present
    ? readFileSync(url, 'utf8')
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { text: string }).text)
        .filter((text) => text !== '')
    : []

  it.skipIf(!present)('stay names, as label, as action tool and as required tool', () => {
    expect(texts.length).toBeGreaterThan(20)
    for (const text of texts) {
      for (const skill of [
        byHand(text, 'act', 'need'),
        byHand(text, 'act'),
        byHand('label', text, 'need'),
        byHand('label', text),
        byHand('label', 'act', text),
        byHand(text, text, text),
      ]) {
        expectOneRule(buildRulesBlock([skill]), skill.precondition.tools.length > 0)
      }
    }
  })

  it.skipIf(!present)('stay apart from each other, all in one block', () => {
    const distinct = [...new Set(texts)]
    const block = buildRulesBlock(distinct.map((text) => byHand(text, 'act', 'need')))
    const positive = block.split('\n').filter((line) => line.startsWith('- YOU MUST'))
    expect(positive).toHaveLength(distinct.length)
    expect(new Set(positive).size).toBe(distinct.length)
    expect(lineBreaks(block)).toBe(2 * distinct.length)
  })

  it.skipIf(!present)('are refused and allowed like any other tool', () => {
    for (const text of texts) {
      const index = indexByActionTool([byHand('label', text, 'need')])
      const verdict = judgeCall(index, text, new Set())
      expect(verdict).toMatchObject({ allowed: false, refusal: { missing: ['need'] } })
      if (!verdict.allowed) {
        expect(verdict.refusal.message.length).toBeLessThanOrEqual(2_000)
        expect(lineBreaks(verdict.refusal.message)).toBe(0)
      }
      expect(judgeCall(index, text, new Set(['need'])).allowed).toBe(true)
      expect(judgeCall(index, `${text}x`, new Set()).allowed).toBe(true)
    }
  })

  it.skipIf(!present)(
    'are taken or refused by name when skills are parsed, and stay one log line',
    () => {
      for (const text of texts) {
        const source = {
          label: text,
          content: text,
          precondition: [{ state: { path: 'p', op: 'eq', value: text } }],
        }
        if (text.trim() === '') {
          expect(() => parseSkills([source])).toThrow(
            expect.objectContaining({ code: 'PREFLIGHT_SKILL_INVALID' }),
          )
          continue
        }
        const skills = parseSkills([source])
        expect(skills[0]?.label).toBe(text)
        expect(filterSkillsByStatePredicates(skills, { p: text }).active).toEqual(skills)
        const lines: string[] = []
        filterSkillsByStatePredicates(skills, {}, { logger: { debug: (line) => lines.push(line) } })
        expect(lines).toHaveLength(1)
        expect(lines.map(lineBreaks)).toEqual([0])
      }
    },
  )
})

describe('names of any characters', () => {
  it('never add to the text: one heading, and two bullets a rule', () => {
    const fragment = fc.constantFrom(
      '\n',
      '\u2028',
      '`',
      ').',
      '(skill: ',
      '- YOU MUST call `x`',
      '## ',
    )
    const name = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.string({ unit: fc.oneof(fragment, fc.constantFrom('a', '"', '\\')), minLength: 1 }),
    )
    const skill = fc
      .tuple(name, name, fc.uniqueArray(name, { maxLength: 3 }))
      .map(([label, actionTool, required]) => byHand(label, actionTool, ...required))
    fc.assert(
      fc.property(fc.array(skill, { minLength: 1, maxLength: 5 }), (skills) => {
        const block = buildRulesBlock(skills)
        const rules = skills.map(({ precondition }) => Math.max(1, precondition.tools.length))
        const bullets = 2 * rules.reduce((sum, count) => sum + count, 0)
        const lines = block.split(/[\n\v\f\r\x85\u2028\u2029]/u)
        expect(lines.filter((line) => /^\s*#/u.test(line))).toEqual([
          '## ENFORCED PRE-FLIGHT RULES',
        ])
        expect(lines.filter((line) => /^- (YOU MUST|DO NOT) /u.test(line))).toHaveLength(bullets)
        expect(lines).toHaveLength(bullets + 1)
      }),
    )
  })

  it('of very long texts are kept whole in the block and shortened in a refusal', () => {
    const long = 'x'.repeat(100_000)
    const skill = defineSkill({ label: long, actionTool: 'act', precondition: ['need'] })
    expect(buildRulesBlock([skill])).toContain(`(skill: ${long}).`)
    const verdict = judgeCall(indexByActionTool([skill]), 'act', new Set())
    expect(!verdict.allowed && verdict.refusal.message.length).toBeLessThan(500)
    expect(!verdict.allowed && verdict.refusal.skills).toEqual([long])
  })
})

function byHand(label: string, actionTool: string, ...tools: string[]): Skill {
  return { label, actionTool, precondition: { tools, predicates: [] }, importance: 0, steps: [] }
}

function expectOneRule(block: string, hasRequiredTool: boolean): void {
  const [heading, positive = '', negative = '', ...rest] = block.split('\n')
  expect(rest).toEqual([])
  expect(lineBreaks(block)).toBe(2)
  expect(heading).toBe('## ENFORCED PRE-FLIGHT RULES')
  const [must, mustNot] = hasRequiredTool
    ? [
        /^- YOU MUST call `[^`]+` BEFORE calling `[^`]+` \(skill: [^`]+\)\.$/u,
        /^- DO NOT call `[^`]+` until `[^`]+` has been called successfully since the last user message\.$/u,
      ]
    : [
        /^- YOU MUST call `[^`]+` BEFORE answering \(skill: [^`]+\)\.$/u,
        /^- DO NOT answer until `[^`]+` has been called successfully since the last user message\.$/u,
      ]
  expect(positive).toMatch(must)
  expect(negative).toMatch(mustNot)
  const label = positive.slice(positive.indexOf('(skill: '))
  if (firstClosing(label) !== label.length - 2) {
    throw new Error(`the brackets around the label close too early: ${label}`)
  }
}

/** Where the first bracket of a text is closed. */
function firstClosing(text: string): number {
  let open = 0
  for (let position = 0; position < text.length; position += 1) {
    if (text[position] === '(') open += 1
    if (text[position] === ')') open -= 1
    if (open === 0) return position
  }
  return -1
}

function lineBreaks(text: string): number {
  return text.match(/[\n\v\f\r\x85\u2028\u2029]/gu)?.length ?? 0
}
