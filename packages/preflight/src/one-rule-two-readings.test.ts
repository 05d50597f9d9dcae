import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defineSkill } from './define-skill.ts'
import { firstActionTool } from './first-action.ts'
import { type GateIndex, indexByActionTool, judgeCall } from './gate.ts'
import { inertText } from './inert-text.ts'
import { buildRulesBlock } from './rules-block.ts'
import { filterSkillsByStatePredicates } from './select-skills.ts'
import type { Skill, SkillSource } from './skill.ts'
import { type HistoryEntry, toolsCalledThisTurn } from './tool-history.ts'

// One skill is read twice: as text by the model, and as a rule by the gate. These laws hold the
// two readings together. The text is read back here by its wording alone, so a rule that is told
// and not enforced, or enforced and not told, shows.

describe('one rule, two readings', () => {
  it('lists a rule if and only if the gate enforces it: with all but that tool called, it refuses', () => {
    fc.assert(
      fc.property(skills, state, (all, turn) => {
        const active = activeIn(all, turn)
        const index = indexByActionTool(active)
        const enforced = pairs().filter(([action, required]) => {
          const others = new Set(tools.filter((tool) => tool !== required))
          return missing(index, action, others)?.includes(required)
        })
        expect(told(active).toSorted()).toEqual(enforced.map(String).toSorted())
      }),
    )
  })

  it('refuses, before anything was called, exactly the action tools of listed rules, for all that the listed rules lead to', () => {
    fc.assert(
      fc.property(skills, state, (all, turn) => {
        const active = activeIn(all, turn)
        const index = indexByActionTool(active)
        const nothing = toolsCalledThisTurn([])
        for (const action of tools) {
          const direct = told(active).filter((pair) => pair.startsWith(`${action},`))
          const verdict = missing(index, action, nothing)
          expect(verdict !== undefined).toBe(direct.length > 0)
          const self = direct.includes(`${action},${action}`) ? [action] : []
          const behind = [...reachable(active, action)].filter((tool) => tool !== action)
          expect((verdict ?? []).toSorted()).toEqual([...behind, ...self].toSorted())
        }
      }),
    )
  })

  it('neither lists nor enforces anything for a dropped skill', () => {
    fc.assert(
      fc.property(skills, state, (all, turn) => {
        const { active, dropped } = filterSkillsByStatePredicates(all, turn)
        expect([...active, ...dropped.map(({ item }) => item)]).toHaveLength(all.length)
        expect(buildRulesBlock(active)).toBe(
          buildRulesBlock(all.filter((skill) => !dropped.some(({ item }) => item === skill))),
        )
        const bound = new Set(active.map((skill) => skill.actionTool))
        for (const action of tools.filter((tool) => !bound.has(tool))) {
          expect(missing(indexByActionTool(active), action, new Set())).toBeUndefined()
        }
      }),
    )
  })

  it('gives skills without state predicates the same bytes and the same gate in every state', () => {
    fc.assert(
      fc.property(toolSkills, state, state, (all, one, other) => {
        expect(buildRulesBlock(activeIn(all, one))).toBe(buildRulesBlock(activeIn(all, other)))
        expect(activeIn(all, one)).toEqual(all)
      }),
    )
  })

  it('gives the same bytes whenever the same skills are active, in whatever order', () => {
    const shuffled = skills.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    )
    fc.assert(
      fc.property(shuffled, ([all, reordered]) => {
        expect(buildRulesBlock(reordered)).toBe(buildRulesBlock(all))
      }),
    )
  })
})

describe('the gate', () => {
  it('judges in order: calling what a refusal lists, step by step, opens the tool unless it names a circle', () => {
    fc.assert(
      fc.property(skills, state, history, fc.constantFrom(...tools), (all, turn, past, action) => {
        const index = indexByActionTool(activeIn(all, turn))
        const called = toolsCalledThisTurn(past)
        const verdict = judgeCall(index, action, called)
        if (verdict.allowed) return
        const isCircular = verdict.refusal.message.includes('circle')
        const plan = [...verdict.refusal.missing, action]
        const opened = plan.every((step) => {
          const isAllowed = judgeCall(index, step, called).allowed
          if (isAllowed) called.add(step)
          return isAllowed
        })
        expect(opened).toBe(!isCircular)
        expect(new Set(verdict.refusal.missing).size).toBe(verdict.refusal.missing.length)
      }),
    )
  })

  it('never closes because more has been called', () => {
    fc.assert(
      fc.property(toolSkills, fc.uniqueArray(tool), tool, tool, (all, before, more, action) => {
        const index = indexByActionTool(all)
        if (!judgeCall(index, action, new Set(before)).allowed) return
        expect(judgeCall(index, action, new Set([...before, more])).allowed).toBe(true)
      }),
    )
  })

  it('never opens because one more skill is active', () => {
    fc.assert(
      fc.property(toolSkills, toolSkills, fc.uniqueArray(tool), tool, (all, more, past, action) => {
        const called = new Set(past)
        if (judgeCall(indexByActionTool(all), action, called).allowed) return
        const verdict = judgeCall(indexByActionTool([...more, ...all]), action, called)
        expect(verdict.allowed).toBe(false)
      }),
    )
  })
})

describe('the forced first action', () => {
  it('is never a tool that the gate would refuse', () => {
    fc.assert(
      fc.property(skills, state, history, (all, turn, past) => {
        const active = activeIn(all, turn)
        const called = toolsCalledThisTurn(past)
        const forced = firstActionTool(active, called)
        if (forced === undefined) return
        expect(judgeCall(indexByActionTool(active), forced, called).allowed).toBe(true)
        expect(called.has(forced)).toBe(false)
      }),
    )
  })

  it('leads to the action tool of the most important skill and then ends, or forces nothing because of a circle', () => {
    fc.assert(
      fc.property(toolSkills, history, (all, past) => {
        const called = toolsCalledThisTurn(past)
        const [deciding] = all
          .filter((skill) => skill.actionTool !== undefined)
          .toSorted((one, other) => other.importance - one.importance)
        const action = deciding?.actionTool
        if (action === undefined) {
          expect(firstActionTool(all, called)).toBeUndefined()
          return
        }
        let steps = 0
        for (let forced = firstActionTool(all, called); forced !== undefined; steps += 1) {
          expect(steps).toBeLessThanOrEqual(tools.length)
          called.add(forced)
          forced = firstActionTool(all, called)
        }
        if (called.has(action)) return
        expect(steps).toBe(0)
        const verdict = judgeCall(indexByActionTool(all), action, called)
        expect(verdict).toMatchObject({
          refusal: { message: expect.stringContaining('circle') },
        })
      }),
    )
  })
})

const tools = ['a', 'b', 'c', 'd', 'e', '__proto__', 'constructor', 'x`y', 'x\u200by']
const tool = fc.constantFrom(...tools)
const toolEntry = fc.oneof(
  tool,
  tool.map((name) => ({ tool: name })),
)
const stateEntry = fc.constantFrom(
  { state: { path: 'platform', op: 'eq' as const, value: 'slack' } },
  { state: { path: 'platform', op: 'neq' as const, value: 'slack' } },
  { state: { path: 'user.name', op: 'exists' as const } },
)
const label = fc
  .oneof(fc.constantFrom('one', 'two'), fc.string({ unit: 'binary', minLength: 1 }))
  .filter((text) => text.trim() !== '')

function skillsWith(entry: fc.Arbitrary<Exclude<SkillSource['precondition'], string>>) {
  const source: fc.Arbitrary<SkillSource> = fc.record(
    {
      label,
      actionTool: tool,
      precondition: entry,
      importance: fc.integer({ min: -3, max: 3 }),
    },
    { requiredKeys: ['label'] },
  )
  return fc.array(source.map(defineSkill), { maxLength: 8 })
}

const skills = skillsWith(fc.array(fc.oneof(toolEntry, stateEntry), { maxLength: 3 }))
const toolSkills = skillsWith(fc.array(toolEntry, { maxLength: 3 }))
const state = fc.record(
  { platform: fc.constantFrom('slack', 'web'), user: fc.constantFrom({}, { name: 'ana' }) },
  { requiredKeys: [] },
)
const user: HistoryEntry = { type: 'user' }
const result = fc
  .tuple(tool, fc.boolean())
  .map(([toolName, failed]): HistoryEntry => ({ type: 'tool-result', toolName, failed }))
const history = fc.array(
  fc.oneof({ weight: 1, arbitrary: fc.constant(user) }, { weight: 6, arbitrary: result }),
)

function activeIn(all: readonly Skill[], turn: unknown): readonly Skill[] {
  return filterSkillsByStatePredicates(all, turn).active
}

function missing(index: GateIndex, action: string, called: ReadonlySet<string>) {
  const verdict = judgeCall(index, action, called)
  return verdict.allowed ? undefined : verdict.refusal.missing
}

function pairs(): [string, string][] {
  return tools.flatMap((action) => tools.map((required): [string, string] => [action, required]))
}

const writtenAs = new Map(tools.map((name) => [inertText(name), name]))

/** The rules that the text tells, each once, as `action,required`; both wordings must agree. */
function told(active: readonly Skill[]): string[] {
  const lines = buildRulesBlock(active).split('\n')
  const must = lines.flatMap((line) => {
    const [, required = '', action = ''] =
      /^- YOU MUST call `([^`]+)` BEFORE calling `([^`]+)` \(skill: /u.exec(line) ?? []
    return action === '' ? [] : [`${writtenAs.get(action)},${writtenAs.get(required)}`]
  })
  const mustNot = lines.flatMap((line) => {
    const [, action = '', required = ''] =
      /^- DO NOT call `([^`]+)` until `([^`]+)` has been called /u.exec(line) ?? []
    return action === '' ? [] : [`${writtenAs.get(action)},${writtenAs.get(required)}`]
  })
  expect(mustNot).toEqual(must)
  return [...new Set(must)]
}

/** Every tool that the told rules lead to from one action tool. */
function reachable(active: readonly Skill[], action: string): Set<string> {
  const rules = told(active).map((pair) => pair.split(','))
  const found = new Set<string>()
  const open = [action]
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    for (const [tool, required] of rules) {
      if (tool !== from || required === undefined || found.has(required)) continue
      found.add(required)
      open.push(required)
    }
  }
  return found
}
