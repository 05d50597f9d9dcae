import {
  defineSkill,
  filterSkillsByStatePredicates,
  indexByActionTool,
  judgeCall,
} from '@symfonic/preflight'
import type { Suite } from '../suite.ts'

const skillCount = 100
const calls = ['act_0', 'act_1', 'act_2', 'free', 'act_3']
const limitNs = 20_000

/** What the gate adds to a step: select among 100 skills, index them, judge 5 calls. */
export const gateStep: Suite = {
  name: 'preflight/gate-step',
  prepare: () => {
    const skills = hundredSkills()
    const state = { page_context: { platform: 'slack' }, user: { role: 'agent' } }
    const called = new Set(['read_0', 'read_1', 'read_2'])
    const judgeStep = () => {
      const index = indexByActionTool(filterSkillsByStatePredicates(skills, state).active)
      let refused = 0
      for (const toolName of calls) if (!judgeCall(index, toolName, called).allowed) refused += 1
      return refused
    }
    const refused = judgeStep()
    if (refused !== 1) throw new Error(`The gate refuses ${refused} of the calls, not one.`)
    const name = `the gate, ${skillCount} skills and ${calls.length} calls`
    return {
      contenders: [{ name, units: 1, work: judgeStep }],
      comparisons: [{ name: `${name} / 20 µs`, ours: name, theirs: limitNs, bound: 1 }],
    }
  },
}

/** Half of them in force, ten about each action tool, each of which wants one read first. */
function hundredSkills() {
  return Array.from({ length: skillCount }, (_, index) => {
    const platform = index % 20 < 10 ? 'slack' : 'web'
    return defineSkill({
      label: `Rule ${index}`,
      actionTool: `act_${index % 10}`,
      precondition: [
        { tool: `read_${index % 10}` },
        { state: { path: 'page_context.platform', op: 'eq', value: platform } },
      ],
    })
  })
}
