import { describe, expect, it } from 'vitest'
import { findingSeverities, type SkillFindingCode } from './analysis/finding.ts'
import { analyzeSkills } from './analyze-skills.ts'
import { defineSkill } from './define-skill.ts'
import type { Skill, SkillSource } from './skill.ts'

/** A case of one code: sets of skills in which it is found, and sets that come close to it. */
interface Case {
  readonly found: Record<string, SkillSource[]>
  readonly spared: Record<string, SkillSource[]>
  readonly tools?: string[]
}

const cases: Record<SkillFindingCode, Case> = {
  NEVER_SELECTED_EQ_EQ: {
    found: {
      'two values of one path': [when(eq('a.b', 1), eq('a.b', 2))],
      'a text and a number': [when(eq('a', '1'), eq('a', 1))],
      'a path in two spellings': [when(eq('page_context', 1), eq('pageContext', 2))],
      'a path in capitals': [when(eq('page.context', 1), eq('PAGE.CONTEXT', 2))],
      'two records': [when(eq('a', { b: 1, c: 1 }), eq('a', { b: 1 }))],
      'two values that do not stand side by side': [when(eq('a', 1), exists('a'), eq('a', 2))],
    },
    spared: {
      'one value twice': [when(eq('a', 1), eq('a', 1))],
      'one record with its keys in another order': [
        when(eq('a', { b: 1, c: 2 }), eq('a', { c: 2, b: 1 })),
      ],
      'zero and minus zero': [when(eq('a', 0), eq('a', -0))],
      'two paths': [when(eq('a.b', 1), eq('a.c', 2))],
      'two keys that one state may both have': [when(eq('pageContext', 1), eq('PageContext', 2))],
      'two skills': [when(eq('a', 1)), when(eq('a', 2))],
    },
  },
  NEVER_SELECTED_EQ_NEQ: {
    found: {
      'one value': [when(eq('a', 'x'), neq('a', 'x'))],
      'one list': [when(neq('a', [1, 2]), eq('a', [1, 2]))],
      'one value of a path in two spellings': [when(eq('userName', 1), neq('user_name', 1))],
    },
    spared: {
      'another value': [when(eq('a', 'x'), neq('a', 'y'))],
      'the same members in another order': [when(eq('a', [1, 2]), neq('a', [2, 1]))],
    },
  },
  NEVER_SELECTED_EQ_IN: {
    found: {
      'a value that is not listed': [when(eq('a', 3), isIn('a', [1, 2]))],
      'a member of a record of the list': [when(isIn('a', [{ b: 1 }]), eq('a', 1))],
    },
    spared: { 'a value that is listed': [when(eq('a', { b: 1 }), isIn('a', [{ b: 1 }]))] },
  },
  NEVER_SELECTED_IN_IN: {
    found: {
      'two lists': [when(isIn('a', [1, 2]), isIn('a', [3]))],
      'three lists of which any two meet': [
        when(isIn('a', [1, 2]), isIn('a', [2, 3]), isIn('a', [3, 1])),
      ],
    },
    spared: { 'lists that meet': [when(isIn('a', [1, 2]), isIn('a', [2, 3]))] },
  },
  NEVER_SELECTED_IN_NEQ: {
    found: {
      'every member': [when(isIn('a', ['x', 'y']), neq('a', 'x'), neq('a', 'y'))],
      'every member that two lists share': [
        when(isIn('a', [1, 2]), isIn('a', [2, 3]), neq('a', 2)),
      ],
    },
    spared: { 'all members but one': [when(isIn('a', ['x', 'y']), neq('a', 'x'))] },
  },
  NEVER_SELECTED_IN_EMPTY: {
    found: { 'an empty list': [when(isIn('a', []))] },
    spared: { 'a list that holds an empty list': [when(isIn('a', [[]]))] },
  },
  NEVER_SELECTED_VALUE_BLOCKS_PATH: {
    found: {
      'a scalar and a path through it': [when(eq('a', 5), exists('a.b'))],
      'null and a path through it': [when(neq('a.b', 1), eq('a', null))],
      'a list and a path through it': [when(eq('a', [{ b: 1 }]), exists('a.b'))],
      'a record without the key': [when(eq('a', { c: 1 }), exists('a.b'))],
      'a record with another value under the key': [when(eq('a', { b: 1 }), eq('a.b', 2))],
      'a choice of records': [when(isIn('a', [{ b: 1 }, { b: 2 }]), eq('a.b', 3))],
      'two spellings of the path': [when(eq('page_context', 5), exists('pageContext.platform'))],
      'records, each of which fails another predicate': [
        when(
          isIn('a', [
            { b: 1, c: 1 },
            { b: 2, c: 2 },
          ]),
          eq('a.b', 1),
          eq('a.c', 2),
        ),
      ],
    },
    spared: {
      'a record with the value': [when(eq('a', { B: 1 }), eq('a.b', 1))],
      'one record of a choice': [when(isIn('a', [5, { b: 1 }]), exists('a.b'))],
      'a value that only must differ': [when(neq('a', 5), exists('a.b'))],
      'a path that only must exist': [when(exists('a'), eq('a.b', 1))],
    },
  },
  REQUIREMENT_WITHOUT_ACTION_TOOL: {
    found: { 'a tool required for nothing': [{ label: 'A', precondition: ['read'] }] },
    spared: { 'a tool required for another': [rule('act', ['read'])] },
  },
  UNKNOWN_ACTION_TOOL: {
    found: { 'an action tool that is not there': [rule('akt', ['read'])] },
    spared: { 'tools that are there': [rule('act', ['read'])] },
    tools: ['act', 'read'],
  },
  UNKNOWN_REQUIRED_TOOL: {
    found: {
      'a required tool that is not there': [rule('act', ['raed'])],
      'a tool required by a skill that is never selected': [
        { ...when(isIn('a', [])), precondition: ['raed', isIn('a', [])] },
      ],
    },
    spared: { 'tools that are there': [rule('act', ['read'])] },
    tools: ['act', 'read'],
  },
  REQUIRES_ITSELF: {
    found: { 'the action tool among the required ones': [rule('act', ['read', 'act'])] },
    spared: {
      'another tool of a similar name': [rule('act', ['Act'])],
      'the action tool in a skill that is never selected': [
        { ...rule('act', []), precondition: ['act', isIn('a', [])] },
      ],
    },
  },
  CIRCLE: {
    found: {
      'two tools': [rule('a', ['b']), rule('b', ['a'])],
      'three tools, one behind the first': [
        rule('a', ['x', 'b']),
        rule('b', ['c']),
        rule('c', ['a']),
      ],
      'skills whose states can meet': [
        rule('a', ['b', eq('p', 1)]),
        rule('b', ['a', isIn('p', [1, 2]), exists('q')]),
      ],
      'skills that meet in one state only, each listed after one that does not': [
        ...[1, 3].map((value) => rule('a', ['b', eq('p', value)])),
        ...[2, 3].map((value) => rule('b', ['c', eq('p', value)])),
        ...[4, 3].map((value) => rule('c', ['a', eq('p', value)])),
      ],
      'skills of which only some states meet': [
        rule('a', ['b', eq('p', 1)]),
        rule('a', ['b', eq('p', 2)]),
        rule('b', ['a', eq('p', 2)]),
      ],
    },
    spared: {
      'a chain': [rule('a', ['b']), rule('b', ['c'])],
      'two ways to one tool': [rule('a', ['b', 'c']), rule('b', ['d']), rule('c', ['d'])],
      'skills whose states never meet': [
        rule('a', ['b', eq('p', 1)]),
        rule('b', ['a', eq('p', 2)]),
      ],
      'three skills of which any two can meet': [
        rule('a', ['b', isIn('p', [1, 2])]),
        rule('b', ['c', isIn('p', [2, 3])]),
        rule('c', ['a', isIn('p', [3, 1])]),
      ],
      'a skill that is never selected': [rule('a', ['b', isIn('p', [])]), rule('b', ['a'])],
    },
  },
  REQUIRES_DEAD_TOOL: {
    found: {
      'a tool of a circle': [rule('act', ['a']), rule('a', ['b']), rule('b', ['a'])],
      'a tool that waits for one of a circle': [
        rule('act', ['x']),
        rule('x', ['a']),
        rule('a', ['b']),
        rule('b', ['a']),
      ],
      'a tool that requires itself': [rule('act', ['a']), rule('a', ['a'])],
      'a tool of a circle behind one that is open in the states of the skill': [
        rule('act', ['a', eq('p', 1)]),
        rule('a', ['b', eq('p', 2)]),
        rule('b', ['a']),
        rule('a', ['c']),
        rule('c', ['d']),
        rule('d', ['a']),
      ],
      'a tool that is dead in a state of the skill': [
        rule('act', ['a', eq('p', 1)]),
        rule('a', ['a', neq('p', 2)]),
      ],
    },
    spared: {
      'a tool that is dead in other states only': [
        rule('act', ['a', eq('p', 2)]),
        rule('a', ['a', neq('p', 2)]),
      ],
      'a tool of a circle that never closes': [
        rule('act', ['a']),
        rule('a', ['b', eq('p', 1)]),
        rule('b', ['a', eq('p', 2)]),
      ],
      'the tools of the circle themselves': [rule('a', ['b']), rule('b', ['a'])],
    },
  },
  CIRCLE_NEVER_CLOSES: {
    found: {
      'two skills whose states never meet': [
        rule('a', ['b', eq('p', 1)]),
        rule('b', ['a', eq('p', 2)]),
      ],
      'three skills of which any two can meet': [
        rule('a', ['b', isIn('p', [1, 2])]),
        rule('b', ['c', isIn('p', [2, 3])]),
        rule('c', ['a', isIn('p', [3, 1])]),
      ],
    },
    spared: {
      'a circle that closes': [rule('a', ['b', eq('p', 1)]), rule('b', ['a'])],
      'a circle that closes by another skill': [
        rule('a', ['b', eq('p', 1)]),
        rule('b', ['a', eq('p', 2)]),
        rule('b', ['a', eq('p', 1)]),
      ],
    },
  },
  CIRCLE_UNDECIDED: {
    found: { 'a circle with thousands of combinations, none of which holds': tangle(12) },
    spared: { 'a circle with few': tangle(3) },
  },
  DUPLICATE_LABEL: {
    found: { 'one label twice': [labelled('A', 'x', ['r']), labelled('A', 'y', ['r'])] },
    spared: {
      'labels that differ in case': [labelled('A', 'x', ['r']), labelled('a', 'y', ['r'])],
    },
  },
  DUPLICATE_RULE: {
    found: {
      'the same words': [rule('act', ['r', eq('p', 1)]), rule('act', ['r', eq('p', 1)])],
      'another order': [rule('act', ['r', 's']), rule('act', ['s', 'r'])],
      'another spelling and other words for the same states': [
        rule('act', ['r', eq('pPath', 1), exists('p_path')]),
        rule('act', ['r', isIn('P_PATH', [1])]),
      ],
      'two tools that come before the answer': [rule('act', []), rule('act', [])],
    },
    spared: {
      'another action tool': [rule('act', ['r']), rule('do', ['r'])],
      'another required tool': [rule('act', ['r']), rule('act', ['s'])],
      'another state': [rule('act', ['r', eq('p', 1)]), rule('act', ['r', eq('p', 2)])],
      'another importance': [rule('act', ['r']), { ...rule('act', ['r']), importance: 1 }],
      'a key of its own, which the other does not fall back on': [
        rule('act', ['r', eq('pPath', 1)]),
        rule('act', ['r', eq('p_path', 1)]),
      ],
    },
  },
  SHADOWED_RULE: {
    found: {
      'fewer required tools': [rule('act', ['r']), rule('act', ['s', 'r'])],
      'narrower states': [rule('act', ['r', eq('p', 1)]), rule('act', ['r'])],
      'a value that must exist anyway': [
        rule('act', ['r', eq('p.q', 1)]),
        rule('act', ['r', exists('p')]),
      ],
      'a value of a list': [rule('act', ['r', eq('p', 1)]), rule('act', ['r', isIn('p', [1, 2])])],
      'a value that differs from another': [
        rule('act', ['r', eq('p', 1)]),
        rule('act', ['r', neq('p', 2)]),
      ],
      'a value that is no record': [
        rule('act', ['r', exists('p.q')]),
        rule('act', ['r', neq('p', 'none')]),
      ],
      'a record that says it all': [
        rule('act', ['r', eq('p', { q: 1, r: { S: 2 } })]),
        rule('act', ['r', eq('p.r.s', 2), neq('p.q', 2)]),
      ],
      'less importance': [rule('act', ['r']), { ...rule('act', ['r']), importance: 1 }],
      'a spelling that the other falls back on': [
        rule('act', ['r', eq('p_path', 1)]),
        rule('act', ['r', eq('pPath', 1)]),
      ],
    },
    spared: {
      'states of which neither is narrower': [
        rule('act', ['r', eq('p', 1)]),
        rule('act', ['r', 's', eq('q', 1)]),
      ],
      'narrower states and more required tools': [
        rule('act', ['r', 's', eq('p', 1)]),
        rule('act', ['r']),
      ],
      'narrower states and more importance': [
        { ...rule('act', ['r', eq('p', 1)]), importance: 1 },
        rule('act', ['r']),
      ],
      'a tool that comes before the answer and before nothing else': [
        rule('act', []),
        rule('act', ['r']),
      ],
      'a value of which only some are listed': [
        rule('act', ['r', isIn('p', [1, 2, 3])]),
        rule('act', ['r', 's', isIn('p', [1, 2])]),
      ],
      'a spelling of another key': [
        rule('act', ['r', eq('pPath', 1)]),
        rule('act', ['r', 's', eq('PPath', 1)]),
      ],
    },
  },
  BINDS_NOTHING: {
    found: { 'no action tool': [{ label: 'A', content: 'Be brief.' }] },
    spared: { 'an action tool that comes before the answer': [rule('act', [])] },
  },
}

describe.each(Object.entries(cases))('%s', (code, { found, spared, tools }) => {
  const codesIn = (sources: SkillSource[]) =>
    analyzeSkills(sources.map(defineSkill), tools === undefined ? {} : { tools }).map(
      (finding) => finding.code,
    )

  it.each(Object.entries(found))('is found in %s', (_, sources) => {
    expect(codesIn(sources)).toContain(code)
  })

  it.each(Object.entries(spared))('is not found in %s', (_, sources) => {
    expect(codesIn(sources)).not.toContain(code)
  })
})

describe('a finding', () => {
  it.each<[string, SkillSource[], Record<string, unknown>[]]>([
    [
      'of a contradiction names skill and path as written',
      [rule('x', ['y']), { ...when(eq('PAGE.b', 1), eq('page.b', 2)), label: 'Slack' }],
      [
        {
          code: 'NEVER_SELECTED_EQ_EQ',
          severity: 'error',
          skills: [{ index: 1, label: 'Slack' }],
          path: 'PAGE.b',
          message:
            'Skill "Slack" is never selected: `PAGE.b` cannot equal both 1 and 2. Keep one of ' +
            'them, ask for either with "in", or write two skills.',
        },
      ],
    ],
    [
      'of a blocked path names the outer one',
      [when(exists('a.b.c'), eq('a.b', 5))],
      [
        {
          code: 'NEVER_SELECTED_VALUE_BLOCKS_PATH',
          path: 'a.b',
          message: expect.stringContaining('leaves no room for `a.b.c` exists'),
        },
      ],
    ],
    [
      'of a circle names its tools in the order of waiting, and its skills',
      [rule('c', ['a']), rule('a', ['b']), rule('b', ['c'])],
      [
        {
          code: 'CIRCLE',
          skills: [
            { index: 0, label: 'c after a' },
            { index: 1, label: 'a after b' },
            { index: 2, label: 'b after c' },
          ],
          tools: ['c', 'a', 'b'],
        },
      ],
    ],
    [
      'of a circle in some states only shows one of them',
      [rule('a', ['b', eq('p.q', 1)]), rule('b', ['a', neq('r', 'x')])],
      [{ code: 'CIRCLE', state: { p: { q: 1 }, r: 'other' } }],
    ],
    [
      'of a dead tool leads to the reason',
      [rule('act', ['x']), rule('x', ['a', eq('p', 1)]), rule('a', ['a'])],
      [
        {
          code: 'REQUIRES_DEAD_TOOL',
          skills: [{ index: 0, label: 'act after x' }],
          tools: ['act', 'x'],
          state: { p: 1 },
          message: expect.stringContaining('`x` needs `a` needs `a` itself'),
        },
        {
          code: 'REQUIRES_DEAD_TOOL',
          tools: ['x', 'a'],
          message: expect.stringContaining('`a` can never be called: `a` needs `a` itself'),
        },
        { code: 'REQUIRES_ITSELF', tools: ['a'] },
      ],
    ],
    [
      'of duplicates names all of them at once, in order',
      [rule('act', ['r', 's']), rule('act', ['s', 'r']), rule('act', ['r', 's'])],
      [
        { code: 'DUPLICATE_LABEL', skills: [{ index: 0 }, { index: 2 }] },
        { code: 'DUPLICATE_RULE', skills: [{ index: 0 }, { index: 1 }, { index: 2 }] },
      ],
    ],
    [
      'of a shadowed rule names what shadows it second',
      [rule('act', ['r', 's']), { ...rule('act', ['r']), label: 'Weak' }],
      [{ code: 'SHADOWED_RULE', skills: [{ index: 1, label: 'Weak' }, { index: 0 }] }],
    ],
    [
      'of a rule that several shadow names the one of these that comes first',
      [
        rule('act', ['r', 's', eq('a', 1)]),
        rule('act', ['r', 't']),
        { ...rule('act', ['r', eq('a', 1)]), label: 'Weak' },
      ],
      [{ code: 'SHADOWED_RULE', skills: [{ index: 2, label: 'Weak' }, { index: 0 }] }],
    ],
  ])('%s', (_, sources, expected) => {
    const found = analyzeSkills(sources.map(defineSkill))
    expect(found).toHaveLength(expected.length)
    expect(found).toMatchObject(expected)
  })

  it.each([
    ['get_bokings', 'Write `get_bookings` if that is meant'],
    ['getBookings', 'Write `get_bookings` if that is meant'],
    ['get_bookigns', 'Write `get_bookings` if that is meant'],
    ['get_booking', 'Write `get_bookings` if that is meant'],
    ['fetch', 'Correct the name'],
  ])('of the unknown tool %s advises: %s', (name, advice) => {
    const [first] = analyzeSkills([defineSkill(rule('act', [name]))], {
      tools: ['act', 'get_bookings'],
    })
    expect(first?.message).toContain(advice)
  })

  it('about tools that do not exist reaches what waits for them', () => {
    const skills = [rule('act', ['x']), rule('x', ['gone'])].map(defineSkill)
    expect(analyzeSkills(skills, { tools: ['act', 'x'] })).toMatchObject([
      {
        code: 'REQUIRES_DEAD_TOOL',
        message: expect.stringContaining('`x` needs `gone`, which does not exist'),
      },
      { code: 'UNKNOWN_REQUIRED_TOOL', tools: ['gone'] },
    ])
    expect(analyzeSkills(skills)).toEqual([])
  })

  it('stays on one line and in its quotes, whatever the names', () => {
    const hostile = 'x"\n- YOU MUST\u202e\u2028`)'
    const found = analyzeSkills(
      [
        byHand(hostile, hostile, [hostile, 'b'], [eq(hostile, hostile), eq(hostile, 'other')]),
        byHand(hostile, hostile, [hostile, 'b'], []),
        byHand(hostile, 'b', [hostile], []),
        byHand(hostile, undefined, [hostile], []),
      ],
      { tools: [] },
    )
    expect(new Set(found.map(({ code }) => code)).size).toBeGreaterThan(6)
    for (const { message } of found) expect(message).not.toMatch(/[\n\u2028\u202e]/)
    for (const { message } of found) expect(message).not.toContain('x"')
  })

  it('is frozen throughout', () => {
    const found = analyzeSkills([rule('a', ['a', eq('p.q', { r: [1] })])].map(defineSkill))
    expect(found.map(({ code }) => code)).toEqual(['REQUIRES_ITSELF'])
    for (const item of [found, ...found, ...found.map((one) => one.skills)]) {
      expect(Object.isFrozen(item)).toBe(true)
    }
  })
})

describe('analyzeSkills', () => {
  it('has a case for every code there is', () => {
    expect(Object.keys(cases).sort()).toEqual(Object.keys(findingSeverities).sort())
  })

  it('has nothing to say about no skills, or about a sound set', () => {
    expect(analyzeSkills([])).toEqual([])
    const sound = [rule('cancel', ['read']), rule('read', ['find', eq('a', 1)])].map(defineSkill)
    expect(analyzeSkills(sound, { tools: ['cancel', 'read', 'find'] })).toEqual([])
  })

  it('lists findings in the order of the skills, the same ones each time', () => {
    const skills = Object.values(cases)
      .flatMap(({ found }) => Object.values(found).flat())
      .map(defineSkill)
    const found = analyzeSkills(skills, { tools: ['a'] })
    const first = found.map((finding) => finding.skills[0]?.index ?? -1)
    expect(found.length).toBeGreaterThan(50)
    expect(first).toEqual(first.toSorted((one, other) => one - other))
    expect(JSON.stringify(analyzeSkills(skills, { tools: ['a'] }))).toBe(JSON.stringify(found))
  })

  it.each([[null], ['skills'], [{ length: 1 }]])('refuses %j in the place of skills', (skills) => {
    expect(() => analyzeSkills(skills as unknown as Skill[])).toThrow(
      expect.objectContaining({ code: 'PREFLIGHT_LIST_REQUIRED' }),
    )
  })

  it('refuses a set of tools in the place of their names', () => {
    expect(() => analyzeSkills([], { tools: { read: {} } as unknown as string[] })).toThrow(
      expect.objectContaining({ code: 'PREFLIGHT_LIST_REQUIRED' }),
    )
  })

  it('refuses skills made by hand that it cannot read, rather than calling them sound', () => {
    const unread = { label: 'x', actionTool: 'y', precondition: 'z', importance: 0, steps: [] }
    expect(() => analyzeSkills([unread as unknown as Skill])).toThrow(
      expect.objectContaining({ code: 'PREFLIGHT_RULE_UNREADABLE' }),
    )
    const unparsed = {
      ...unread,
      precondition: { tools: [], predicates: [{ path: 'a', op: 'eq' }] },
    }
    expect(() => analyzeSkills([unparsed as unknown as Skill])).toThrow(
      expect.objectContaining({ code: 'PREDICATE_NOT_PARSED' }),
    )
  })
})

function eq(path: string, value: unknown) {
  return { state: { path, op: 'eq' as const, value } }
}
function neq(path: string, value: unknown) {
  return { state: { path, op: 'neq' as const, value } }
}
function isIn(path: string, value: unknown[]) {
  return { state: { path, op: 'in' as const, value } }
}
function exists(path: string) {
  return { state: { path, op: 'exists' as const } }
}

type Entries = Exclude<SkillSource['precondition'], string | null | undefined>

/** A skill with conditions on state and no other finding. */
function when(...predicates: Entries): SkillSource {
  const label = `when ${JSON.stringify(predicates)}`
  return { label, actionTool: label.slice(0, 60), precondition: ['first', ...predicates] }
}

function rule(actionTool: string, precondition: Entries): SkillSource {
  const states = precondition.slice(1).map((entry) => JSON.stringify(entry))
  return {
    label: [`${actionTool} after ${String(precondition[0] ?? '')}`, ...states].join(' '),
    actionTool,
    precondition,
  }
}

function labelled(label: string, actionTool: string, precondition: Entries): SkillSource {
  return { label, actionTool, precondition }
}

/** A circle in which every step can be taken in either of two states, and no way around holds. */
function tangle(length: number): SkillSource[] {
  const steps = Array.from({ length }, (_, at) =>
    [0, 1].map((value) => rule(`t${at}`, [`t${at + 1}`, eq(`p${at}`, value)])),
  )
  return [...steps.flat(), rule(`t${length}`, ['t0', eq('p0', 2)])]
}

/** A skill with names that `defineSkill` refuses. */
function byHand(
  label: string,
  actionTool: string | undefined,
  tools: string[],
  predicates: Entries,
): Skill {
  const { precondition, ...rest } = defineSkill({ label: 'x', precondition: predicates })
  const made = { ...rest, label, precondition: { ...precondition, tools } }
  return actionTool === undefined ? made : { ...made, actionTool }
}
