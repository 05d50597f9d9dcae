import { describe, expect, it } from 'vitest'
import { defineSkill } from './define-skill.ts'
import { indexByActionTool, judgeCall, type Refusal } from './gate.ts'
import type { Skill } from './skill.ts'

const rule = (label: string, actionTool: string, ...tools: string[]) =>
  defineSkill({ label, actionTool, precondition: tools })

describe('indexByActionTool', () => {
  it('holds the rules that can refuse a call, by action tool, in the order of their skills', () => {
    const index = indexByActionTool([
      rule('one', 'cancel', 'a'),
      rule('free', 'search'),
      defineSkill({ label: 'no tool', precondition: 'a' }),
      rule('two', 'cancel', 'b'),
    ])
    expect([...index.byAction.keys()]).toEqual(['cancel'])
    expect(index.byAction.get('cancel')?.map(({ label }) => label)).toEqual(['one', 'two'])
  })
})

describe('judgeCall', () => {
  it.each<[string, Skill[], string, string[]]>([
    ['no skill is active', [], 'cancel', []],
    ['no rule is about the tool', [rule('x', 'cancel', 'read')], 'search', []],
    ['the rule requires nothing', [rule('x', 'cancel')], 'cancel', []],
    ['every required tool has been called', [rule('x', 'cancel', 'a', 'b')], 'cancel', ['b', 'a']],
    ['the skill has no action tool', [defineSkill({ label: 'x', precondition: 'a' })], 'a', []],
    ['a required tool is called itself', [rule('x', 'cancel', 'read')], 'read', []],
  ])('allows a call when %s', (_, skills, toolName, called) => {
    expect(judgeCall(indexByActionTool(skills), toolName, new Set(called))).toEqual({
      allowed: true,
    })
  })

  it('refuses a call whose required tool has not been called, with everything to put it right', () => {
    const index = indexByActionTool([rule('Read first', 'cancel', 'find_user', 'read')])
    const refusal = refusalOf(index, 'cancel', ['find_user'])
    expect(refusal).toEqual({
      toolName: 'cancel',
      missing: ['read'],
      skills: ['Read first'],
      message:
        'The call to `cancel` was refused (skill: Read first). Missing, in the order to call ' +
        'them: `read`. Earlier calls of these do not count here. Call them first, then ' +
        '`cancel` again.',
    })
    const parts = [refusal, refusal.missing, refusal.skills]
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true)
  })

  it('wants every skill on one action tool satisfied, and names those that are not', () => {
    const index = indexByActionTool([
      rule('one', 'cancel', 'a', 'b'),
      rule('two', 'cancel', 'b', 'c'),
      rule('three', 'cancel', 'd'),
      rule('two', 'cancel', 'e'),
    ])
    const refusal = refusalOf(index, 'cancel', ['d'])
    expect(refusal.missing).toEqual(['a', 'b', 'c', 'e'])
    expect(refusal.skills).toEqual(['one', 'two'])
    expect(refusalOf(index, 'cancel', ['a', 'b', 'd', 'e']).skills).toEqual(['two'])
  })

  it('lists the steps behind a step, in the order to call them', () => {
    const index = indexByActionTool([
      rule('pay last', 'pay', 'confirm'),
      rule('confirm after reading', 'confirm', 'read'),
      rule('know the user', 'read', 'find_user'),
    ])
    const refusal = refusalOf(index, 'pay', [])
    expect(refusal.missing).toEqual(['find_user', 'read', 'confirm'])
    expect(refusal.skills).toEqual(['pay last'])
    expect(refusalOf(index, 'pay', ['find_user']).missing).toEqual(['read', 'confirm'])
  })

  it.each<[string, Skill[], string[]]>([
    ['itself', [rule('x', 'a', 'a')], ['a']],
    ['a tool that requires it', [rule('x', 'a', 'b'), rule('y', 'b', 'a')], ['b']],
    [
      'two tools that require each other',
      [rule('x', 'a', 'b'), rule('y', 'b', 'c'), rule('z', 'c', 'b')],
      ['c', 'b'],
    ],
  ])('refuses for good, and says so, when a tool requires %s', (_, skills, missing) => {
    const refusal = refusalOf(indexByActionTool(skills), 'a', [])
    expect(refusal.missing).toEqual(missing)
    expect(refusal.message).toContain('go in a circle')
    expect(refusal.message).toContain('Do not call `a` again')
  })

  it.each([['__proto__'], ['constructor'], ['toString'], ['hasOwnProperty']])(
    'treats a tool named %s like any other',
    (name) => {
      const free = indexByActionTool([rule('x', 'cancel', 'read')])
      expect(judgeCall(free, name, new Set()).allowed).toBe(true)
      const bound = indexByActionTool([rule('x', name, 'read'), rule('y', 'cancel', name)])
      expect(judgeCall(bound, name, new Set()).allowed).toBe(false)
      expect(judgeCall(bound, name, new Set(['read'])).allowed).toBe(true)
      expect(refusalOf(bound, 'cancel', []).missing).toEqual(['read', name])
    },
  )
})

describe('the safe side of the gate', () => {
  const index = indexByActionTool([rule('x', 'cancel', 'read')])

  it.each<[string, unknown]>([
    ['missing', undefined],
    ['null', null],
    ['a list, as JSON makes of a set', ['read']],
    ['a record', { read: true }],
    ['answering with something else than true', { has: () => 'yes' }],
    [
      'throwing',
      {
        has: () => {
          throw new Error('boom')
        },
      },
    ],
  ])('refuses a bound tool when the record of calls is %s', (_, called) => {
    const verdict = judgeCall(index, 'cancel', called as ReadonlySet<string>)
    expect(verdict).toMatchObject({ allowed: false, refusal: { missing: ['read'] } })
  })

  it.each([[undefined], [null], [''], [7], [['search']], [{ toString: () => 'search' }]])(
    'refuses a call whose tool name is %j',
    (toolName) => {
      const verdict = judgeCall(index, toolName as string, new Set(['read']))
      expect(verdict).toMatchObject({
        allowed: false,
        refusal: { toolName: '', missing: [], message: expect.stringContaining('names no tool') },
      })
    },
  )

  it.each<[string, unknown]>([
    ['a skill has lost its precondition', [{ label: 'x', actionTool: 'cancel', importance: 0 }]],
    ['a skill is null', [null]],
    ['the skills are no list', { active: [] }],
  ])('is not built at all when %s', (_, skills) => {
    expect(() => indexByActionTool(skills as Skill[])).toThrow(
      expect.objectContaining({ name: 'PreflightError' }),
    )
  })

  it('is not opened by changing a list after the skills were defined', () => {
    const tools = ['read']
    const built = indexByActionTool([
      defineSkill({ label: 'x', actionTool: 'cancel', precondition: tools }),
    ])
    tools.length = 0
    expect(judgeCall(built, 'cancel', new Set()).allowed).toBe(false)
  })

  it('judges 10,000 tools in a chain without running out of stack', () => {
    const chain = Array.from({ length: 10_000 }, (_, step) =>
      rule(`s${step}`, `t${step}`, `t${step + 1}`),
    )
    const refusal = refusalOf(indexByActionTool(chain), 't0', [])
    expect(refusal.missing).toHaveLength(10_000)
    expect(refusal.missing[0]).toBe('t10000')
    expect(refusal.message.length).toBeLessThanOrEqual(2_000)
  })
})

function refusalOf(
  index: ReturnType<typeof indexByActionTool>,
  toolName: string,
  called: string[],
): Refusal {
  const verdict = judgeCall(index, toolName, new Set(called))
  if (verdict.allowed) throw new Error('expected a refusal')
  return verdict.refusal
}
