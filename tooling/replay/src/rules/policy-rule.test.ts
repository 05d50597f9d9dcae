import { describe, expect, it } from 'vitest'
import { type PolicyRule, rulesBehind, skillsOf } from './policy-rule.ts'

const rule = (id: string, label: string, ...tools: string[]): PolicyRule => ({
  ...{ id, label, content: `${label}.`, tools },
  precondition: ['look', { state: { path: 'seen', op: 'eq', value: false } }],
})
const rules = [rule('A', 'Look first', 'cut', 'glue'), rule('B', 'Ask first', 'cut')]

describe('skillsOf', () => {
  it('makes one skill for each tool of each rule, tagged with rule and desk', () => {
    const made = skillsOf(rules, 'bench').map(({ label, actionTool, sourceTag }) => ({
      ...{ label, actionTool, sourceTag },
    }))
    expect(made).toEqual([
      { label: 'Look first: cut', actionTool: 'cut', sourceTag: 'bench:A' },
      { label: 'Look first: glue', actionTool: 'glue', sourceTag: 'bench:A' },
      { label: 'Ask first: cut', actionTool: 'cut', sourceTag: 'bench:B' },
    ])
  })

  it('lets a skill stand at its desk only', () => {
    const [skill] = skillsOf(rules, 'bench')
    expect(skill?.precondition.tools).toEqual(['look'])
    expect(skill?.precondition.predicates).toEqual([
      expect.objectContaining({ path: 'seen', op: 'eq', value: false }),
      expect.objectContaining({ path: 'desk', op: 'eq', value: 'bench' }),
    ])
  })
})

describe('rulesBehind', () => {
  it.each([
    { what: 'no label', labels: [], expected: [] },
    {
      what: 'labels of one rule',
      labels: ['Look first: glue', 'Look first: cut'],
      expected: ['A'],
    },
    {
      what: 'labels of several',
      labels: ['Ask first: cut', 'Look first: cut'],
      expected: ['A', 'B'],
    },
    { what: 'a tool that a rule does not govern', labels: ['Ask first: glue'], expected: [] },
    { what: 'a label of something else', labels: ['Look first', 'constructor'], expected: [] },
  ])('finds the rules behind $what', ({ labels, expected }) => {
    expect(rulesBehind(rules, labels)).toEqual(expected)
  })

  it('names a rule once that is written as two', () => {
    const twice = [rule('A', 'Look first', 'cut'), rule('A', 'Look again', 'cut')]
    expect(rulesBehind(twice, ['Look first: cut', 'Look again: cut'])).toEqual(['A'])
  })
})
