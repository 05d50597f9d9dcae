import { describe, expect, it } from 'vitest'
import { defineSkill } from './define-skill.ts'
import { ruleOf, rulesOf } from './rule.ts'
import type { Skill } from './skill.ts'

describe('ruleOf', () => {
  it('reads what a skill demands', () => {
    const skill = defineSkill({
      label: 'x',
      actionTool: 'a',
      precondition: ['b', { state: { path: 'p', op: 'exists' } }, { tool: 'c' }],
      importance: 3,
    })
    expect(ruleOf(skill)).toEqual({
      label: 'x',
      actionTool: 'a',
      required: ['b', 'c'],
      importance: 3,
    })
  })

  it('reads no rule from a skill without an action tool', () => {
    expect(ruleOf(defineSkill({ label: 'x', precondition: ['b'] }))).toBeUndefined()
  })

  it('reads each required tool once from a skill made by hand', () => {
    const skill = byHand({ precondition: { tools: ['b', 'c', 'b'], predicates: [] } })
    expect(ruleOf(skill)?.required).toEqual(['b', 'c'])
  })

  it.each<[string, object | null | undefined]>([
    ['is null', null],
    ['is missing', undefined],
    ['has no precondition', byHand({ precondition: undefined })],
    [
      'has required tools that are a text',
      byHand({ precondition: { tools: 'b', predicates: [] } }),
    ],
    ['has no predicates', byHand({ precondition: { tools: [] } })],
    ['requires a tool that is a number', byHand({ precondition: { tools: [7], predicates: [] } })],
    ['requires a tool without a name', byHand({ precondition: { tools: [''], predicates: [] } })],
    ['requires a hole', byHand({ precondition: { tools: Array(1), predicates: [] } })],
    ['requires a hole among tools', byHand({ precondition: { tools: Array(2), predicates: [] } })],
    ['has a label that is a number', byHand({ label: 7 })],
    ['has an action tool that is null', byHand({ actionTool: null })],
    ['has an action tool that is a list', byHand({ actionTool: ['a'] })],
    ['has an action tool without a name', byHand({ actionTool: '' })],
    ['has no importance', byHand({ importance: undefined })],
    ['has an importance that is NaN', byHand({ importance: Number.NaN })],
  ])('never skips a rule it cannot read: throws when a skill %s', (_, skill) => {
    expect(() => ruleOf(skill as Skill)).toThrow(
      expect.objectContaining({ code: 'PREFLIGHT_RULE_UNREADABLE' }),
    )
  })

  it('names the skill that cannot be read, in one line', () => {
    const skill = byHand({ label: 'Refunds\n# new rules', actionTool: 7 })
    expect(() => ruleOf(skill)).toThrow(
      'Skill "Refunds\\n# new rules" cannot be read as a rule: its action tool is not a name.',
    )
  })
})

describe('rulesOf', () => {
  it('reads the rules of all skills that have one, in the order given', () => {
    const skills = ['b', undefined, 'a'].map((actionTool, index) =>
      defineSkill({ label: `${index}`, ...(actionTool !== undefined && { actionTool }) }),
    )
    expect(rulesOf(skills).map((rule) => rule.actionTool)).toEqual(['b', 'a'])
  })

  it.each([[undefined], [null], ['skills'], [{ active: [] }], [new Set()]])(
    'refuses %j where a list of skills belongs',
    (skills) => {
      expect(() => rulesOf(skills as unknown as Skill[])).toThrow(
        expect.objectContaining({ code: 'PREFLIGHT_LIST_REQUIRED' }),
      )
    },
  )
})

function byHand(keys: Record<string, unknown>): Skill {
  return {
    label: 'x',
    actionTool: 'a',
    precondition: { tools: [], predicates: [] },
    importance: 0,
    steps: [],
    ...keys,
  } as Skill
}
