import { analyzeSkills, defineSkill } from '@symfonic/preflight'
import type { Suite } from '../suite.ts'

const skillCount = 1_000
const limitMs = 200

/** Static analysis of 1,000 skills about 200 tools in a chain, against a fixed time. */
export const analyze1000: Suite = {
  name: 'preflight/analyze-1000',
  prepare: () => {
    const skills = thousandSkills()
    const tools = ['start', ...Array.from({ length: toolCount }, (_, index) => `tool_${index}`)]
    const analyze = () => analyzeSkills(skills, { tools })
    const codes = analyze().map(({ code }) => code)
    if (codes.join() !== 'NEVER_SELECTED_EQ_IN') {
      throw new Error(`The analysis finds ${codes.join() || 'nothing'}, not the one seeded fault.`)
    }
    return {
      contenders: [{ name: 'analyzeSkills', units: 1, work: analyze }],
      comparisons: [
        {
          name: `analyzeSkills of ${skillCount} skills / ${limitMs} ms`,
          ours: 'analyzeSkills',
          theirs: limitMs * 1e6,
          bound: 1,
        },
      ],
    }
  },
}

const toolCount = 200

/** Five rules about each tool, each for a plan of its own; the last one contradicts itself. */
function thousandSkills() {
  return Array.from({ length: skillCount }, (_, index) => {
    const about = index % toolCount
    const plan = `plan_${Math.floor(index / toolCount)}`
    return defineSkill({
      label: `Rule ${index}`,
      actionTool: `tool_${about}`,
      precondition: [
        { tool: about === 0 ? 'start' : `tool_${about - 1}` },
        { state: { path: 'account.plan', op: 'eq', value: plan } },
        ...(index === skillCount - 1
          ? [{ state: { path: 'account.plan', op: 'in' as const, value: ['plan_0'] } }]
          : []),
      ],
    })
  })
}
