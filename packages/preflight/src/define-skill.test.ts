import { describe, expect, it } from 'vitest'
import { defineSkill, parseSkills } from './define-skill.ts'
import { PreflightError } from './errors.ts'

describe('defineSkill', () => {
  it('gives a skill of only a label its defaults', () => {
    expect(defineSkill({ label: 'bare' })).toEqual({
      label: 'bare',
      precondition: { tools: [], predicates: [] },
      importance: 0,
      steps: [],
    })
  })

  it('keeps what was written and sorts the precondition into its two channels', () => {
    const skill = defineSkill({
      label: 'Remember for Slack users',
      content: 'Read before you write.',
      actionTool: 'memory_write',
      precondition: [
        'memory_read_user_context',
        { tool: 'get_status' },
        { state: { path: 'page_context.platform', op: 'eq', value: 'slack' } },
        { state: { path: 'page_context.slack_user_name', op: 'exists' } },
      ],
      importance: 7.5,
      steps: ['read', 'write'],
      sourceTag: 'authored:slack',
    })
    expect(skill).toMatchObject({
      content: 'Read before you write.',
      actionTool: 'memory_write',
      importance: 7.5,
      steps: ['read', 'write'],
      sourceTag: 'authored:slack',
    })
    expect(skill.precondition.tools).toEqual(['memory_read_user_context', 'get_status'])
    expect(skill.precondition.predicates.map(({ op }) => op)).toEqual(['eq', 'exists'])
  })

  it('is frozen and shares nothing with its source', () => {
    const source = { label: 'x', steps: ['one'], precondition: ['a'] }
    const skill = defineSkill(source)
    source.steps.push('two')
    source.precondition.push('b')
    expect(skill.steps).toEqual(['one'])
    expect(skill.precondition.tools).toEqual(['a'])
    const parts = [skill, skill.steps, skill.precondition, skill.precondition.tools]
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true)
  })

  it('takes a tool that requires itself; the gate then refuses it for good', () => {
    expect(defineSkill({ label: 'x', actionTool: 'a', precondition: 'a' }).actionTool).toBe('a')
  })

  it('throws one typed error with every fault', () => {
    // @ts-expect-error a label is required, and importance is a number
    const error = thrownBy(() => defineSkill({ importance: 'high' }))
    expect(error.code).toBe('PREFLIGHT_SKILL_INVALID')
    expect(error.details['faults']).toHaveLength(2)
  })
})

describe('parseSkills', () => {
  it('reads keys as the wire spells them and as code does', () => {
    const skills = parseSkills([
      { label: 'wire', action_tool: 'a', source_tag: 'authored:x' },
      { label: 'code', actionTool: 'a', sourceTag: 'authored:x' },
    ])
    expect(skills.map(({ actionTool, sourceTag }) => [actionTool, sourceTag])).toEqual([
      ['a', 'authored:x'],
      ['a', 'authored:x'],
    ])
  })

  it('takes null for absent on every key but the label', () => {
    const [skill] = parseSkills([
      {
        label: 'x',
        content: null,
        action_tool: null,
        precondition: null,
        importance: null,
        steps: null,
        source_tag: null,
      },
    ])
    expect(skill).toEqual(defineSkill({ label: 'x' }))
  })

  it('reads back what defineSkill was given, after a trip through JSON', () => {
    const source = {
      label: 'x',
      actionTool: 'a',
      precondition: ['b', { state: { path: 'p', op: 'in' as const, value: [1, 2] } }],
      importance: 2,
    }
    expect(parseSkills(JSON.parse(JSON.stringify([source])))).toEqual([defineSkill(source)])
  })

  it('gives a frozen list in the order given, empty for an empty one', () => {
    const skills = parseSkills([{ label: 'b' }, { label: 'a' }])
    expect(skills.map(({ label }) => label)).toEqual(['b', 'a'])
    expect(Object.isFrozen(skills)).toBe(true)
    expect(parseSkills([])).toEqual([])
  })

  it('refuses the whole list for one bad skill, and lists every fault of every skill', () => {
    const error = thrownBy(() =>
      parseSkills([
        { label: 'fine' },
        { label: 'bad', importance: 'x', extra: 1 },
        null,
        { label: 'worse', precondition: [{ state: { path: 'a', op: 'in', value: 'slackweb' } }] },
      ]),
    )
    expect(error.code).toBe('PREFLIGHT_SKILL_INVALID')
    expect(error.details['faults']).toMatchObject([
      { index: 1, label: 'bad', keyPath: 'extra', code: 'PREFLIGHT_UNKNOWN_KEY' },
      { index: 1, label: 'bad', keyPath: 'importance', code: 'PREFLIGHT_VALUE_INVALID' },
      { index: 2, keyPath: '', code: 'PREFLIGHT_OBJECT_REQUIRED' },
      {
        index: 3,
        label: 'worse',
        keyPath: 'precondition[0].state.value',
        code: 'PREDICATE_LIST_REQUIRED',
      },
    ])
    expect(error.message).toContain('skill 3 (worse), precondition[0].state.value: ')
  })

  it('keeps its message short and on its own lines, whatever the skills are called', () => {
    const bad = Array.from({ length: 5_000 }, () => ({
      label: `\n# ${'x'.repeat(9_000)}`,
      nope: 1,
    }))
    const error = thrownBy(() => parseSkills(bad))
    expect(error.details['faults']).toHaveLength(5_000)
    expect(error.message.length).toBeLessThan(2_000)
    expect(
      error.message
        .split('\n')
        .slice(1)
        .every((line) => line.startsWith('- ')),
    ).toBe(true)
  })

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'undefined'],
    ['one skill outside a list', { label: 'x' }, 'an object'],
    ['a mapping with a skills key', { skills: [] }, 'an object'],
    ['a text', '[]', 'a text'],
    ['a proxy that throws', revokedList(), 'something that throws when it is read'],
  ])('refuses %s by name', (_, source, received) => {
    const error = thrownBy(() => parseSkills(source))
    expect(error.code).toBe('PREFLIGHT_LIST_REQUIRED')
    expect(error.details).toEqual({ received })
  })

  it('refuses the hole of a sparse list like any other thing that is no skill', () => {
    const sparse = [{ label: 'x' }]
    sparse.length = 2
    expect(thrownBy(() => parseSkills(sparse)).details['faults']).toMatchObject([{ index: 1 }])
  })
})

function thrownBy(action: () => unknown): PreflightError {
  try {
    action()
  } catch (error) {
    if (error instanceof PreflightError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

function revokedList(): unknown {
  const { proxy, revoke } = Proxy.revocable([], {})
  revoke()
  return proxy
}
