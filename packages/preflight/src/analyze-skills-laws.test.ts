import { evaluatePrecondition, type StatePredicate } from '@symfonic/predicates'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exampleState } from './analysis/example-state.ts'
import { isImplied } from './analysis/implied.ts'
import { createPathKeys } from './analysis/path-keys.ts'
import { placesOf } from './analysis/places.ts'
import { analyzeSkills } from './analyze-skills.ts'
import { defineSkill } from './define-skill.ts'
import { firstActionTool } from './first-action.ts'
import { indexByActionTool, judgeCall } from './gate.ts'
import { planFor } from './plan-for.ts'
import { filterSkillsByStatePredicates } from './select-skills.ts'
import type { Skill, SkillSource } from './skill.ts'

// What the analysis says is held against what the gate and the filter do: on states and orders of
// calls that know nothing of it, and on states that are built to prove that something is possible.

describe('a skill that is never selected', () => {
  it('holds in no state, built from the very keys and values of its predicates', () => {
    let count = 0
    fc.assert(
      fc.property(
        skillWith(fc.array(predicates, { minLength: 2, maxLength: 5 })),
        anyState,
        (skill, state) => {
          if (!isNeverSelected(skill)) return
          count += 1
          expect(filterSkillsByStatePredicates([skill], state).active).toEqual([])
        },
      ),
      { numRuns: 2_000 },
    )
    expect(count).toBeGreaterThan(150)
  })

  it('is the only kind for which no state can be built in which it is selected', () => {
    let count = 0
    fc.assert(
      fc.property(skillWith(fc.array(predicates, { maxLength: 5 })), (skill) => {
        if (isNeverSelected(skill)) return
        count += 1
        const state = exampleState(placesOf(skill.precondition.predicates, createPathKeys()))
        expect(filterSkillsByStatePredicates([skill], state).active).toEqual([skill])
        const copy = JSON.parse(JSON.stringify(state))
        expect(filterSkillsByStatePredicates([skill], copy).active).toEqual([skill])
      }),
      { numRuns: 2_000 },
    )
    expect(count).toBeGreaterThan(150)
  })
})

describe('a predicate that others imply', () => {
  it('holds in every state in which they all hold', () => {
    const pathKeys = createPathKeys()
    let count = 0
    fc.assert(
      fc.property(
        skillWith(fc.array(predicates, { minLength: 1, maxLength: 3 })),
        skillWith(fc.tuple(predicates)),
        fc.array(anyState, { minLength: 5, maxLength: 5 }),
        (skill, other, states) => {
          const [predicate] = other.precondition.predicates as [StatePredicate]
          if (isNeverSelected(skill)) return
          const top = placesOf(skill.precondition.predicates, pathKeys)
          if (!isImplied(predicate, top, pathKeys)) return
          for (const state of [exampleState(top), ...states]) {
            if (!evaluatePrecondition(skill.precondition, state)) continue
            count += 1
            expect(evaluatePrecondition(other.precondition, state)).toBe(true)
          }
        },
      ),
      { numRuns: 2_000 },
    )
    expect(count).toBeGreaterThan(30)
  })

  it.each<[string, object[], object, boolean]>([
    ['the same', [eq('a', 1)], eq('a', 1), true],
    ['another value', [eq('a', 1)], eq('a', 2), false],
    ['one of a list', [eq('a', 1)], { path: 'a', op: 'in', value: [1, 2] }, true],
    [
      'a longer list',
      [{ path: 'a', op: 'in', value: [1] }],
      { path: 'a', op: 'in', value: [1, 2] },
      true,
    ],
    [
      'a shorter list',
      [{ path: 'a', op: 'in', value: [1, 2] }],
      { path: 'a', op: 'in', value: [1] },
      false,
    ],
    [
      'the only value left',
      [
        { path: 'a', op: 'in', value: [1, 2] },
        { path: 'a', op: 'neq', value: 2 },
      ],
      eq('a', 1),
      true,
    ],
    [
      'what it differs from',
      [{ path: 'a', op: 'neq', value: 1 }],
      { path: 'a', op: 'neq', value: 1 },
      true,
    ],
    [
      'what it may be',
      [{ path: 'a', op: 'neq', value: 1 }],
      { path: 'a', op: 'neq', value: 2 },
      false,
    ],
    ['an outer path', [eq('a.b', 1)], { path: 'a', op: 'exists' }, true],
    ['an inner path', [{ path: 'a', op: 'exists' }], { path: 'a.b', op: 'exists' }, false],
    ['an inner path of a value', [eq('a', { b: 1 })], { path: 'a.b', op: 'exists' }, true],
    ['a record that has no room', [eq('a.b', 1)], { path: 'a', op: 'neq', value: { b: 2 } }, true],
    ['a record that has room', [eq('a.b', 1)], { path: 'a', op: 'neq', value: { b: 1 } }, false],
    ['a spelling with a key of its own', [eq('aB', 1)], eq('a_b', 1), false],
    ['the same spelling with a key of its own', [eq('aB', 1)], { path: 'aB', op: 'exists' }, true],
    ['a spelling without one', [eq('a_b', 1)], eq('aB', 1), true],
    ['a key next to one without', [eq('aB', 1), { path: 'a_b', op: 'exists' }], eq('a_b', 1), true],
    ['nothing', [], { path: 'a', op: 'exists' }, false],
  ])('is decided for %s', (_, given, asked, expected) => {
    const pathKeys = createPathKeys()
    const parse = (states: object[]) =>
      defineSkill({ label: 'x', precondition: states.map((state) => ({ state })) as never })
        .precondition.predicates
    const [predicate] = parse([asked]) as [StatePredicate]
    expect(isImplied(predicate, placesOf(parse(given), pathKeys), pathKeys)).toBe(expected)
  })
})

describe('the tools that the analysis calls dead', () => {
  it('are those which in some state no order of calls reaches, and a plan reaches all others', () => {
    let dead = 0
    let alive = 0
    fc.assert(
      fc.property(toolSkills, (skills) => {
        const reported = deadTools(skills)
        for (const tool of tools) {
          const isStuck = allStates.some((state) => !canBeReached(tool, skills, state))
          expect([tool, reported.has(tool)]).toEqual([tool, isStuck])
          if (isStuck) dead += 1
          else alive += 1
        }
        for (const tool of tools.filter((name) => !reported.has(name))) {
          for (const state of allStates)
            expect(planFor(tool, skills, state, []).reachable).toBe(true)
        }
      }),
      { numRuns: 200 },
    )
    expect(Math.min(dead, alive)).toBeGreaterThan(50)
  })

  it('are stuck in the very state that a finding shows, or in every state when it shows none', () => {
    let shown = 0
    fc.assert(
      fc.property(toolSkills, (skills) => {
        for (const finding of analyzeSkills(skills)) {
          if (!deadCodes.has(finding.code)) continue
          const found = finding.skills.map(({ index }) => skills[index] as Skill)
          const states = allStates.filter(
            (state) => filterSkillsByStatePredicates(found, state).active.length === found.length,
          )
          if (finding.state !== undefined) {
            shown += 1
            states.splice(0, states.length, finding.state as never)
          }
          const stuck =
            finding.code === 'CIRCLE' ? (finding.tools ?? []) : (finding.tools ?? []).slice(0, 1)
          expect(states.length * stuck.length).toBeGreaterThan(0)
          for (const state of states) {
            for (const tool of stuck) expect(canBeReached(tool, skills, state)).toBe(false)
          }
        }
      }),
      { numRuns: 200 },
    )
    expect(shown).toBeGreaterThan(5)
  })

  it('are none of those in a circle that never closes, as far as that circle goes', () => {
    let count = 0
    fc.assert(
      fc.property(toolSkills, (skills) => {
        for (const finding of analyzeSkills(skills)) {
          if (finding.code !== 'CIRCLE_NEVER_CLOSES') continue
          count += 1
          const found = finding.skills.map(({ index }) => skills[index] as Skill)
          for (const state of allStates) {
            expect(filterSkillsByStatePredicates(found, state).dropped).not.toEqual([])
          }
        }
      }),
      { numRuns: 600 },
    )
    expect(count).toBeGreaterThan(3)
  })
})

describe('a rule that is called shadowed or a duplicate', () => {
  it('changes neither gate nor force in any state when it is taken away', () => {
    let count = 0
    fc.assert(
      fc.property(rivalSkills, fc.uniqueArray(fc.constantFrom(...tools)), (skills, past) => {
        const redundant = new Set(
          analyzeSkills(skills).flatMap(({ code, skills: [first, ...others] }) => {
            if (code === 'DUPLICATE_RULE') return others.map(({ index }) => index)
            return code === 'SHADOWED_RULE' && first ? [first.index] : []
          }),
        )
        if (redundant.size === 0) return
        count += 1
        const rest = skills.filter((_, index) => !redundant.has(index))
        const called = new Set(past)
        for (const state of allStates)
          expect(effects(rest, state, called)).toEqual(effects(skills, state, called))
      }),
      { numRuns: 200 },
    )
    expect(count).toBeGreaterThan(30)
  })
})

// Far more than anybody has: to compare each with each takes minutes, and the test is given up.
describe('the analysis of thousands of skills', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)
  const state = (path: string, op: 'eq' | 'in', value: unknown) => ({ state: { path, op, value } })
  // Spread out, and the same each time.
  const scattered = (at: number, salt: number, below: number) =>
    (Math.imul(at + salt, 2_654_435_761) >>> 8) % below

  it.each<[number, string, (at: number) => Omit<SkillSource, 'label'>, Record<string, number>]>([
    [
      10_000,
      'of which many share a tool, what it requires and when',
      (at) => ({
        actionTool: `act_${at % 300}`,
        precondition: [
          `read_${at % 97}`,
          `read_${at % 89}`,
          state('page.platform', 'eq', ['slack', 'web'][at % 2]),
          state('user.plan', 'in', ['free', 'pro', `plan ${at % 7}`]),
        ],
      }),
      { UNKNOWN_REQUIRED_TOOL: 19_822 },
    ],
    [
      10_000,
      'of one tool when a record is something',
      (at) => ({
        actionTool: 'act',
        precondition: ['read', state('account', 'eq', { id: at, plan: `plan ${at % 7}` })],
      }),
      {},
    ],
    [
      2_000,
      'of twenty predicates each',
      (at) => ({
        actionTool: `act_${at % 20}`,
        precondition: ['read', ...numbers(20).map((n) => state(`s.k${n}`, 'eq', (at * n) % 13))],
      }),
      { DUPLICATE_RULE: 260 },
    ],
    [
      10_000,
      'that require each other at random when two things hold',
      (at) => ({
        actionTool: `t${scattered(at, 1, 300)}`,
        precondition: [
          `t${scattered(at, 5_000, 300)}`,
          state(`a.k${at % 10}`, 'eq', at % 5),
          state(`b.k${at % 9}`, 'eq', at % 4),
        ],
      }),
      { CIRCLE_UNDECIDED: 1, DUPLICATE_RULE: 1_717 },
    ],
    [
      10_000,
      'of one tool when a value is in a list of fifty',
      (at) => ({
        actionTool: 'act',
        precondition: [
          'read',
          state(
            'plan',
            'in',
            numbers(50).map((n) => `plan ${at + n}`),
          ),
        ],
      }),
      {},
    ],
    [
      10_000,
      'that require fifty tools each',
      (at) => ({
        actionTool: `t${(at % 200) + 60}`,
        precondition: numbers(50).map((n) => `t${(at * 7 + n) % 260}`),
      }),
      { CIRCLE: 142, DUPLICATE_RULE: 2_600, REQUIRES_ITSELF: 1_925 },
    ],
  ])('comes to an end: %i %s', (count, _, sourceOf, expected) => {
    const skills = numbers(count).map((at) => defineSkill({ label: `S${at}`, ...sourceOf(at) }))
    const tools = numbers(300).flatMap((at) => [`t${at}`, `act_${at}`])
    const counts: Record<string, number> = {}
    for (const { code } of analyzeSkills(skills, { tools: ['act', 'read', ...tools] })) {
      counts[code] = (counts[code] ?? 0) + 1
    }
    expect(counts).toEqual(expected)
  })
})

const tools = ['a', 'b', 'c', 'd', '__proto__']
const deadCodes = new Set(['CIRCLE', 'REQUIRES_DEAD_TOOL', 'REQUIRES_ITSELF'])

function deadTools(skills: readonly Skill[]): Set<string> {
  return new Set(
    analyzeSkills(skills).flatMap(({ code, tools: [first, ...others] = [] }) => {
      expect(code).not.toBe('CIRCLE_UNDECIDED')
      if (!deadCodes.has(code) || first === undefined) return []
      return code === 'CIRCLE' ? [first, ...others] : [first]
    }),
  )
}

/** Tries every order of calls: a breadth-first walk over all sets of tools that can have been called. */
function canBeReached(tool: string, skills: readonly Skill[], state: unknown): boolean {
  const gate = indexByActionTool(filterSkillsByStatePredicates(skills, state).active)
  const open = [new Set<string>()]
  const seen = new Set<string>()
  for (const called of open) {
    if (judgeCall(gate, tool, called).allowed) return true
    for (const next of tools) {
      if (called.has(next) || !judgeCall(gate, next, called).allowed) continue
      const more = new Set([...called, next])
      const key = [...more].sort().join()
      if (!seen.has(key)) open.push(more)
      seen.add(key)
    }
  }
  return false
}

/**
 * What gate and force make of a set. The order of steps follows that of the skills and is left
 * aside, and so is which of equally important skills comes first.
 */
function effects(skills: readonly Skill[], state: unknown, called: ReadonlySet<string>) {
  const { active } = filterSkillsByStatePredicates(skills, state)
  const gate = indexByActionTool(active)
  const verdicts = tools.map((tool) => {
    const verdict = judgeCall(gate, tool, called)
    return verdict.allowed ? [] : [...verdict.refusal.missing].sort()
  })
  const byTool = active.toSorted(
    (one, other) => Number(one.actionTool === 'b') - Number(other.actionTool === 'b'),
  )
  return { verdicts, isForced: firstActionTool(byTool, called) !== undefined }
}

function isNeverSelected(skill: Skill): boolean {
  return analyzeSkills([skill]).some(({ code }) => code.startsWith('NEVER_SELECTED'))
}

function eq(path: string, value: unknown) {
  return { path, op: 'eq', value }
}

function skillWith(entries: fc.Arbitrary<object[]>): fc.Arbitrary<Skill> {
  return entries.map((states) =>
    defineSkill({
      label: 'x',
      actionTool: 'act',
      precondition: states.map((state) => ({ state })) as never,
    }),
  )
}

// Few keys in many spellings, and values that contain them, so that predicates often meet.
const segments = ['a', 'A', 'bC', 'BC', 'b_c', 'B_C', 'b-c', '__proto__', 'straße', '1']
const segment = fc.constantFrom(...segments)
const scalar = fc.constantFrom<unknown>(1, 2, 'x', null, true, -0)
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 2, arbitrary: fc.dictionary(segment, scalar, { maxKeys: 2, noNullPrototype: true }) },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 2 }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(
      segment,
      fc.dictionary(segment, scalar, { maxKeys: 2, noNullPrototype: true }),
      {
        maxKeys: 2,
        noNullPrototype: true,
      },
    ),
  },
)
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'))
const shortPath = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'a.bC', 'a.b_c', 'bC', 'b_c', 'BC') },
  { weight: 2, arbitrary: path },
)
const predicates = fc.oneof(
  { weight: 3, arbitrary: fc.record({ path: shortPath, op: fc.constant('eq'), value }) },
  { weight: 2, arbitrary: fc.record({ path: shortPath, op: fc.constant('neq'), value }) },
  {
    weight: 2,
    arbitrary: fc.record({
      path: shortPath,
      op: fc.constant('in'),
      value: fc.array(value, { maxLength: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ path: shortPath, op: fc.constant('exists') }) },
)
const anyKey = fc.constantFrom(...segments, 'bC', 'b_c', 'STRASSE')
const anyState = fc.dictionary(
  anyKey,
  fc.oneof(value, fc.dictionary(anyKey, value, { maxKeys: 4, noNullPrototype: true })),
  { maxKeys: 5, noNullPrototype: true },
)

// Conditions over two paths and two values each, so that these states are all that matter.
const condition = fc
  .tuple(fc.constantFrom('p', 'q'), fc.constantFrom('eq', 'eq', 'neq'), fc.constantFrom(1, 2))
  .map(([key, op, value]) => ({ state: { path: key, op: op as 'eq' | 'neq', value } }))
const allStates = [1, 2, 3, undefined].flatMap((p) =>
  [1, 2, 3, undefined].map((q) => ({ ...(p && { p }), ...(q && { q }) })),
)
const tool = fc.constantFrom(...tools)

function skillsOn(actionTool: fc.Arbitrary<string>, maxStates: number) {
  const source = fc.record({
    label: fc.constantFrom('one', 'two', 'three'),
    actionTool,
    importance: fc.constantFrom(0, 0, 0, 1),
    precondition: fc
      .tuple(fc.uniqueArray(tool, { maxLength: 2 }), fc.array(condition, { maxLength: maxStates }))
      .map(([required, states]) => [...required, ...states]),
  })
  return fc.array(source.map(defineSkill), { minLength: 1, maxLength: 7 })
}

const toolSkills = skillsOn(tool, 2)
const rivalSkills = skillsOn(fc.constantFrom('a', 'b'), 1)
