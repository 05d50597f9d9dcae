import { toolText } from '../inert-text.ts'
import { finding, type SkillFinding } from './finding.ts'
import type { Subject } from './subject.ts'
import { listText, skillsText } from './wording.ts'

/** Finds skills without an action tool: they yield no rule. @see PRE-11 */
export function unboundSkillFindings(subjects: readonly Subject[]): readonly SkillFinding[] {
  return subjects
    .filter(({ rule }) => rule === undefined)
    .map((subject) => {
      const skills = [subject]
      const tools = subject.skill.precondition.tools
      if (tools.length === 0) {
        const message =
          `${skillsText(skills)} has no action tool, so it yields no rule. Add an action tool if it ` +
          'is meant to be one.'
        return finding('BINDS_NOTHING', { skills, message })
      }
      const message =
        `${skillsText(skills)} requires ${listText(tools.map(toolText), 4)} and has no action tool, ` +
        'so nothing waits for what it requires. Add the action tool that has to wait.'
      return finding('REQUIREMENT_WITHOUT_ACTION_TOOL', { skills, tools, message })
    })
}
