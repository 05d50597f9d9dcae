import { defineSkill, filterSkillsByStatePredicates } from '@symfonic/preflight'
import type { Suite } from '../suite.ts'

const skillCount = 1000
const limitNs = 250_000

/** Selecting among 1,000 skills by state, against a fixed time. */
export const select1000: Suite = {
  name: 'preflight/select-1000',
  prepare: () => {
    const skills = thousandSkills()
    for (const [index, state] of states.entries()) {
      const { active, dropped } = filterSkillsByStatePredicates(skills, state)
      const expected = expectedActive[index]
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
          name: `${select} of ${skillCount} skills / 0.25 ms`,
          ours: select,
          theirs: limitNs,
          bound: 1,
        },
      ],
    }
  },
}

const platforms = ['slack', 'web', 'mail', 'voice']
const roles = ['agent', 'supervisor', 'admin']

const states = platforms.map((platform, index) => ({
  page_context: { platform },
  user: { role: roles[index % roles.length], region: 'north' },
  ...(index % 2 === 0 && { order: { id: index } }),
}))

/** Without state predicates, with one, two and three: a quarter each, all over the states. */
function thousandSkills() {
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
 * By hand: 250 skills without a predicate, then, for each further quarter whose other predicates
 * hold, the 63 or 62 of the state's platform.
 */
const expectedActive = [250 + 3 * 63, 250 + 2 * 63, 250 + 62, 250 + 2 * 62]
