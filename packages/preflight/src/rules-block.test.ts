import { describe, expect, it } from 'vitest'
import { defineSkill } from './define-skill.ts'
import { buildRulesBlock } from './rules-block.ts'
import type { Skill } from './skill.ts'

const read = defineSkill({ label: 'Read first', actionTool: 'cancel', precondition: ['read'] })
const links = defineSkill({ label: 'Links', actionTool: 'format_links' })
const silent = defineSkill({ label: 'silent', precondition: ['read'] })

describe('buildRulesBlock', () => {
  it('is a heading and the bullets, nothing else', () => {
    expect(buildRulesBlock([read, silent, links])).toBe(
      [
        '## ENFORCED PRE-FLIGHT RULES',
        '- YOU MUST call `format_links` BEFORE answering (skill: Links).',
        '- DO NOT answer until `format_links` has been called successfully since the last user message.',
        '- YOU MUST call `read` BEFORE calling `cancel` (skill: Read first).',
        '- DO NOT call `cancel` until `read` has been called successfully since the last user message.',
      ].join('\n'),
    )
  })

  it.each<[string, Skill[]]>([
    ['there are no skills', []],
    ['no skill has an action tool', [silent]],
  ])('is empty when %s', (_, skills) => {
    expect(buildRulesBlock(skills)).toBe('')
  })

  it('does not touch the list it is given', () => {
    const skills = [read, links]
    buildRulesBlock(skills)
    expect(skills).toEqual([read, links])
  })

  it('throws rather than leave out a rule it cannot read', () => {
    const broken = { ...read, precondition: { tools: [7], predicates: [] } } as unknown as Skill
    expect(() => buildRulesBlock([links, broken])).toThrow(
      expect.objectContaining({ code: 'PREFLIGHT_RULE_UNREADABLE' }),
    )
  })
})
