import { defineSkill, type Skill } from '@symfonic/preflight'

/** How many skills `hundredSkills` makes. */
export const skillCount = 100

/** The state in which half of the skills are in force. */
export const state = { page_context: { platform: 'slack' }, user: { role: 'agent' } }

/** Ten rules about each of the ten tools, half of them in force, all obeyed by a loop that goes in order. */
export function hundredSkills(): Skill[] {
  return Array.from({ length: skillCount }, (_, index) => {
    const about = index % 10
    const platform = index % 20 < 10 ? 'slack' : 'web'
    return defineSkill({
      label: `Rule ${index}`,
      actionTool: `lookup_${about}`,
      precondition: [
        { state: { path: 'page_context.platform', op: 'eq', value: platform } },
        { state: { path: 'user.role', op: 'in', value: ['agent', 'supervisor'] } },
        ...(about === 0 ? [] : [{ tool: `lookup_${about - 1}` }]),
      ],
    })
  })
}
