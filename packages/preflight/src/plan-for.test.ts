import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defineSkill } from './define-skill.ts'
import { indexByActionTool, judgeCall } from './gate.ts'
import { planFor } from './plan-for.ts'
import { filterSkillsByStatePredicates } from './select-skills.ts'
import type { SkillSource } from './skill.ts'
import { type HistoryEntry, toolsCalledThisTurn } from './tool-history.ts'

const skills = [
  { label: 'Read first', actionTool: 'cancel', precondition: ['read'] },
  { label: 'Know who', actionTool: 'read', precondition: ['find_user'] },
  { label: 'Ask', actionTool: 'cancel', precondition: ['find_user', 'confirm'] },
  {
    label: 'Slack',
    actionTool: 'format',
    precondition: ['read', { state: { path: 'platform', op: 'eq', value: 'slack' } }],
  },
].map((source) => defineSkill(source as SkillSource))

const done = (toolName: string): HistoryEntry => ({ type: 'tool-result', toolName, failed: false })

describe('planFor', () => {
  it.each<[string, string, unknown, HistoryEntry[], [string, string[]][]]>([
    ['needs no step for a tool that no skill is about', 'other', {}, [], []],
    [
      'puts each step before what needs it and says which skills demand it',
      'cancel',
      {},
      [],
      [
        ['find_user', ['Know who', 'Ask']],
        ['read', ['Read first']],
        ['confirm', ['Ask']],
      ],
    ],
    [
      'leaves out what has been called',
      'cancel',
      {},
      [done('read'), done('find_user')],
      [['confirm', ['Ask']]],
    ],
    ['has no step left when all have been called', 'read', {}, [done('find_user')], []],
    [
      'counts only the current turn',
      'read',
      {},
      [done('find_user'), { type: 'user' }],
      [['find_user', ['Know who']]],
    ],
    ['knows no rule of a skill that takes no part', 'format', { platform: 'web' }, [], []],
    [
      'knows the rule of a skill that takes part',
      'format',
      { platform: 'slack' },
      [done('find_user')],
      [['read', ['Slack']]],
    ],
  ])('%s', (_, tool, state, history, steps) => {
    expect(planFor(tool, skills, state, history)).toEqual({
      reachable: true,
      steps: steps.map(([toolName, labels]) => ({ toolName, skills: labels })),
    })
  })

  it.each<[string, SkillSource[], [string, string[]][]]>([
    [
      'around two tools',
      [
        { label: 'A', actionTool: 'a', precondition: ['b'] },
        { label: 'B', actionTool: 'b', precondition: ['a'] },
      ],
      [
        ['a', ['B']],
        ['b', ['A']],
      ],
    ],
    ['around the tool alone', [{ label: 'A', actionTool: 'a', precondition: 'a' }], [['a', ['A']]]],
    [
      'behind the tool',
      [
        { label: 'A', actionTool: 'a', precondition: ['x', 'b'] },
        { label: 'B', actionTool: 'b', precondition: ['c'] },
        { label: 'C', actionTool: 'c', precondition: ['b'] },
        { label: 'C too', actionTool: 'c', precondition: ['b'] },
      ],
      [
        ['b', ['C', 'C too']],
        ['c', ['B']],
      ],
    ],
  ])('names the circle %s, and who closes it', (_, sources, circle) => {
    expect(planFor('a', sources.map(defineSkill), {}, [])).toEqual({
      reachable: false,
      circle: circle.map(([toolName, labels]) => ({ toolName, skills: labels })),
    })
  })

  it('is frozen throughout', () => {
    const plan = planFor('cancel', skills, {}, [])
    const steps = plan.reachable ? plan.steps : []
    expect(
      [plan, steps, ...steps, ...steps.map((step) => step.skills)].every(Object.isFrozen),
    ).toBe(true)
    expect(steps).toHaveLength(3)
  })

  it.each([[''], [undefined], [null], [{}]])('asks for a tool when given %j', (name) => {
    expect(() => planFor(name as string, skills, {}, [])).toThrow(
      expect.objectContaining({ code: 'PREFLIGHT_TOOL_NAME_REQUIRED' }),
    )
  })

  it('refuses what is no history, rather than taking it for an empty one', () => {
    expect(() => planFor('cancel', skills, {}, null as never)).toThrow(
      expect.objectContaining({ code: 'PREFLIGHT_HISTORY_UNREADABLE' }),
    )
  })

  it('leads there: each step is allowed in its turn, and so is the tool, unless there is a circle', () => {
    fc.assert(
      fc.property(skillSets, states, histories, tools, (all, state, history, tool) => {
        const plan = planFor(tool, all, state, history)
        const gate = indexByActionTool(filterSkillsByStatePredicates(all, state).active)
        const called = toolsCalledThisTurn(history)
        if (!plan.reachable) {
          expect(judgeCall(gate, tool, called).allowed).toBe(false)
          expect(plan.circle.length).toBeGreaterThan(0)
          return
        }
        for (const { toolName, skills: demanding } of plan.steps) {
          expect(judgeCall(gate, toolName, called).allowed).toBe(true)
          expect(demanding.length).toBeGreaterThan(0)
          called.add(toolName)
        }
        expect(judgeCall(gate, tool, called).allowed).toBe(true)
      }),
    )
  })

  it('is minimal: without any one step, the rest does not lead there', () => {
    fc.assert(
      fc.property(skillSets, states, histories, tools, (all, state, history, tool) => {
        const plan = planFor(tool, all, state, history)
        const steps = plan.reachable ? plan.steps.map((step) => step.toolName) : []
        const gate = indexByActionTool(filterSkillsByStatePredicates(all, state).active)
        for (const omitted of steps) {
          const called = toolsCalledThisTurn(history)
          const others = [...steps.filter((step) => step !== omitted), tool]
          const leads = others.every((step) => {
            const isAllowed = judgeCall(gate, step, called).allowed
            called.add(step)
            return isAllowed
          })
          expect(leads).toBe(false)
        }
      }),
    )
  })

  it('says that there is a circle only where no order of calls leads there', () => {
    fc.assert(
      fc.property(skillSets, states, histories, tools, (all, state, history, tool) => {
        const plan = planFor(tool, all, state, history)
        const gate = indexByActionTool(filterSkillsByStatePredicates(all, state).active)
        const called = toolsCalledThisTurn(history)
        // Calling whatever is allowed can only help, so what it never opens, nothing opens.
        for (let before = -1; before < called.size; ) {
          before = called.size
          for (const other of names) if (judgeCall(gate, other, called).allowed) called.add(other)
        }
        expect(judgeCall(gate, tool, called).allowed).toBe(plan.reachable)
      }),
    )
  })
})

const names = ['a', 'b', 'c', 'd', 'e', '__proto__']
const tools = fc.constantFrom(...names)
const entries = fc.oneof(
  { weight: 4, arbitrary: tools },
  {
    weight: 1,
    arbitrary: fc.constantFrom('slack', 'web').map((value) => ({
      state: { path: 'platform', op: 'eq' as const, value },
    })),
  },
)
const skillSets = fc.array(
  fc
    .record({ label: tools, actionTool: tools, precondition: fc.array(entries, { maxLength: 3 }) })
    .map(defineSkill),
  { maxLength: 7 },
)
const states = fc.record({ platform: fc.constantFrom('slack', 'web', 'mail') })
const histories = fc.array(
  fc.oneof(
    fc.constant<HistoryEntry>({ type: 'user' }),
    fc
      .tuple(tools, fc.boolean())
      .map(([toolName, failed]): HistoryEntry => ({ type: 'tool-result', toolName, failed })),
  ),
  { maxLength: 6 },
)
