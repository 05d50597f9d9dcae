import { describe, expect, it } from 'vitest'
import { defineSkill } from './define-skill.ts'
import { filterSkillsByStatePredicates } from './select-skills.ts'
import type { Skill } from './skill.ts'

const on = (platform: string) =>
  [{ state: { path: 'page_context.platform', op: 'eq' as const, value: platform } }] as const
const slack = defineSkill({ label: 'slack_only', actionTool: 'a', precondition: on('slack') })
const web = defineSkill({ label: 'web_only', actionTool: 'b', precondition: on('web') })
const plain = defineSkill({ label: 'plain', actionTool: 'c', precondition: ['get_status'] })
const state = { page_context: { platform: 'web' } }

describe('filterSkillsByStatePredicates', () => {
  it('keeps the skills whose predicates hold, in the order given, and tells of the others', () => {
    const { active, dropped } = filterSkillsByStatePredicates([web, slack, plain], state)
    expect(active).toEqual([web, plain])
    expect(dropped).toMatchObject([
      { item: slack, explanation: { path: 'page_context.platform', seen: 'web', holds: false } },
    ])
    expect(Object.isFrozen(active) && Object.isFrozen(dropped)).toBe(true)
  })

  it.each([[undefined], [null], ['slack'], [[]], [{}]])(
    'keeps what has no state predicate and drops the rest when the state is %j',
    (empty) => {
      const { active } = filterSkillsByStatePredicates([slack, web, plain], empty)
      expect(active).toEqual([plain])
    },
  )

  it('writes one debug line per dropped skill, in order, about its first failing predicate', () => {
    const lines: string[] = []
    const both = defineSkill({ label: 'both', precondition: [...on('slack'), ...on('teams')] })
    filterSkillsByStatePredicates([slack, plain, both], state, {
      logger: { debug: (line) => lines.push(line) },
    })
    expect(lines).toEqual([
      "skill `slack_only` dropped this turn: state predicate `page_context.platform` eq `'slack'` -> False (state value: 'web')",
      "skill `both` dropped this turn: state predicate `page_context.platform` eq `'slack'` -> False (state value: 'web')",
    ])
  })

  it('cannot be made to forge a log line by a label', () => {
    const lines: string[] = []
    const forger = defineSkill({ label: 'x\nskill `y` dropped', precondition: on('slack') })
    filterSkillsByStatePredicates([forger], state, {
      logger: { debug: (line) => lines.push(line) },
    })
    expect(lines).toHaveLength(1)
    expect(lines[0]).not.toContain('\n')
  })

  it('selects the same skills when the logger throws', () => {
    const debug = () => {
      throw new Error('disk full')
    }
    const selection = filterSkillsByStatePredicates([slack, plain], state, { logger: { debug } })
    expect(selection.active).toEqual([plain])
    expect(selection.dropped).toHaveLength(1)
  })

  it.each<[string, object]>([
    ['no precondition', { label: 'x', actionTool: 'a' }],
    ['a precondition that is a text', { label: 'x', actionTool: 'a', precondition: 'b' }],
    ['a precondition that is still a list', { label: 'x', actionTool: 'a', precondition: ['b'] }],
    ['predicates that are no list', { label: 'x', precondition: { tools: [], predicates: {} } }],
  ])('throws rather than drop a skill made by hand with %s', (_, skill) => {
    expect(() => filterSkillsByStatePredicates([skill as Skill], state)).toThrow(
      expect.objectContaining({ code: 'PREFLIGHT_RULE_UNREADABLE' }),
    )
  })

  it('throws rather than drop a skill whose predicates were never parsed', () => {
    const copy = JSON.parse(JSON.stringify(slack)) as Skill
    expect(() => filterSkillsByStatePredicates([copy], state)).toThrow(
      expect.objectContaining({ code: 'PREDICATE_NOT_PARSED' }),
    )
  })

  it.each([[undefined], [null], [{}], ['skills']])('refuses %j where a list belongs', (skills) => {
    expect(() => filterSkillsByStatePredicates(skills as unknown as Skill[], state)).toThrow(
      expect.objectContaining({ code: 'PREFLIGHT_LIST_REQUIRED' }),
    )
  })
})
