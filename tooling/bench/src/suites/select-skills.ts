import { defineSkill, filterSkillsByStatePredicates } from '@symfonic/preflight'
import type { Suite } from '../suite.ts'

/** Selecting among 1,000 skills by state, against a fixed time. */
export const select1000 = selecting(1_000, 0.25)
/** Selecting among 10,000. */
export const select10000 = selecting(10_000, 5)

function selecting(skillCount: number, limitMs: number): Suite {
  return {
    name: `preflight/select-${skillCount}`,
    prepare: () => {
      const skills = manySkills(skillCount)
      for (const [index, state] of states.entries()) {
        const { active, dropped } = filterSkillsByStatePredicates(skills, state)
        const expected = expectedActive(skillCount)[index]
        if (active.length !== expected || active.length + dropped.length !== skillCount) {
          throw new Error(
            `State ${index} selects ${active.length} of ${skillCount} skills, not ${expected}.`,
          )
        }
      }
      const select = 'filterSkillsByStatePredicates'
      return {
        contenders: [
          {
            name: select,
            units: states.length,
            work: () => {
              let active = 0
              for (const state of states) {
                active += filterSkillsByStatePredicates(skills, state).active.length
              }
              return active
            },
          },
        ],
        comparisons: [
          {
            name: `${select} of ${skillCount} skills / ${limitMs} ms`,
            ours: select,
            theirs: limitMs * 1e6,
            bound: 1,
          },
        ],
      }
    },
  }
}

const platforms = ['slack', 'web', 'mail', 'voice']
const roles = ['agent', 'supervisor', 'admin']

const states = platforms.map((platform, index) => ({
  page_context: { platform },
  user: { role: roles[index % roles.length], region: 'north' },
  ...(index % 2 === 0 && { order: { id: index } }),
}))

/** Without state predicates, with one, two and three: a quarter each, all over the states. */
function manySkills(skillCount: number) {
  return Array.from({ length: skillCount }, (_, index) => {
    const parts = [
      {
        state: {
          path: 'page_context.platform',
          op: 'eq' as const,
          value: platforms[(index >> 2) % platforms.length],
        },
      },
      { state: { path: 'user.role', op: 'in' as const, value: roles.slice(0, 2) } },
      { state: { path: 'order.id', op: 'exists' as const } },
    ]
    return defineSkill({
      label: `Skill ${index}`,
      actionTool: `tool_${index % 50}`,
      precondition: [`tool_${(index + 1) % 50}`, ...parts.slice(0, index % 4)],
    })
  })
}

/**
 * Counted by hand: a quarter of the skills has no predicate; of each further quarter those of the
 * state's platform are active, one in four, as long as their other predicates hold.
 */
function expectedActive(skillCount: number): readonly number[] {
  const quarter = skillCount / 4
  const ofPlatform = platforms.map((_, index) => Math.ceil((quarter - index) / platforms.length))
  return [3, 2, 1, 2].map((held, index) => quarter + held * (ofPlatform[index] ?? 0))
}
