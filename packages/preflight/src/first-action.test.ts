import { describe, expect, it } from 'vitest'
import { defineSkill } from './define-skill.ts'
import { firstActionTool } from './first-action.ts'
import type { Skill } from './skill.ts'

const rule = (actionTool: string, importance: number, ...tools: string[]) =>
  defineSkill({ label: actionTool, actionTool, importance, precondition: tools })
const noTool = defineSkill({ label: 'x', importance: 99, precondition: ['a'] })

describe('firstActionTool', () => {
  it.each<[string, Skill[], string[], string | undefined]>([
    ['forces nothing without skills', [], [], undefined],
    ['forces nothing for a skill without an action tool', [noTool], [], undefined],
    ['forces the action tool of the one skill', [noTool, rule('a', 0)], [], 'a'],
    ['lets the most important skill decide', [rule('a', 1), rule('b', 2)], [], 'b'],
    ['lets the first of equals decide', [rule('a', 1), rule('b', 1)], [], 'a'],
    ['takes negative importance', [rule('a', -2), rule('b', -1)], [], 'b'],
    ['releases once the action tool has been called', [rule('a', 1)], ['a'], undefined],
    [
      'does not pass the force on to the next skill',
      [rule('a', 2), rule('b', 1)],
      ['a'],
      undefined,
    ],
    ['forces a missing required tool first', [rule('a', 1, 'b', 'c')], [], 'b'],
    ['moves on as steps succeed', [rule('a', 1, 'b', 'c')], ['b'], 'c'],
    ['comes to the action tool at last', [rule('a', 1, 'b', 'c')], ['b', 'c'], 'a'],
    ['starts at the far end of a chain', [rule('a', 2, 'b'), rule('b', 1, 'c')], [], 'c'],
    ['heeds the other rules about the same tool', [rule('a', 2), rule('a', 1, 'b')], [], 'b'],
    ['forces nothing when the tool requires itself', [rule('a', 1, 'a')], [], undefined],
    [
      'forces nothing when the requirements go in a circle',
      [rule('a', 2, 'b'), rule('b', 1, 'c'), rule('c', 1, 'b')],
      [],
      undefined,
    ],
    [
      'forces nothing when only one of the requirements goes in a circle',
      [rule('a', 2, 'd', 'b'), rule('b', 1, 'a')],
      [],
      undefined,
    ],
    ['takes any name', [rule('constructor', 1, '__proto__')], [], '__proto__'],
  ])('%s', (_, active, called, expected) => {
    expect(firstActionTool(active, new Set(called))).toBe(expected)
  })

  it('forces from the start when the record of calls cannot be read', () => {
    const called = ['b'] as unknown as ReadonlySet<string>
    expect(firstActionTool([rule('a', 1, 'b')], called)).toBe('b')
  })

  it('throws rather than pass over a rule it cannot read', () => {
    const broken = { ...rule('a', 1), importance: Number.NaN }
    expect(() => firstActionTool([broken], new Set())).toThrow(
      expect.objectContaining({ code: 'PREFLIGHT_RULE_UNREADABLE' }),
    )
  })
})
